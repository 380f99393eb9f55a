"""What a newer version of the program wrote is refused with a sentence; what has no version is of the first."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import Settings
from switchyard.graphs.channels import read_channels
from switchyard.language.messages import Message
from switchyard.ledger.stored import VERSION
from switchyard.tools.core.errors import StateUnreadable, ThreadDamaged
from tests.app.conftest import Invoke
from tests.conftest import OpenOrchestrator

SENTENCES = {"en": "was written by a newer version; update the program", "zh": "由更新的版本写入；请更新程序"}
NEWER = "UPDATE store SET value = json_set(value, '$.version', ?) WHERE prefix LIKE ?"


def said_of(error: BaseException) -> dict[str, str]:
    """The sentence in both languages."""
    (sentence,) = error.args
    assert isinstance(sentence, Message)
    return {"en": sentence.english, "zh": sentence.text("zh")}


def test_a_state_without_a_version_is_read_and_a_newer_one_is_not() -> None:
    assert read_channels({"context": {"task": "问 ask"}}).context.version == 1
    with pytest.raises(StateUnreadable) as refused:
        read_channels({"context": {"task": "问 ask", "version": VERSION + 1}})
    said = said_of(refused.value)
    assert "newer version" in said["en"]
    assert "请更新程序" in said["zh"]


@pytest.mark.parametrize("kind", ["context", "runs", "attempts"])
async def test_a_thread_of_a_newer_version_is_refused_and_costs_no_other(
    orchestrator_with: OpenOrchestrator, tmp_path: Path, kind: str
) -> None:
    database = tmp_path / "threads.sqlite"
    async with orchestrator_with(database=str(database)) as opened:
        await opened.ask("2加2是多少？", thread_id="mine")
        await opened.ask("What is 3+3?", thread_id="other")
        (run,) = await opened.journal.runs("mine")
        (attempt,) = await opened.journal.attempts(run.run_id)
        graph, config = cast("Any", opened.graph), {"configurable": {"thread_id": "mine"}}
        state = await graph.aget_state(config)
        assert (run.version, attempt.version, state.values["context"]["version"]) == (VERSION, VERSION, VERSION)
        if kind == "context":
            await graph.aupdate_state(config, {"context": {"version": VERSION + 1}})
    if kind != "context":
        prefix = "runs.mine" if kind == "runs" else f"attempts.{run.run_id}"
        with closing(sqlite3.connect(database)) as connection, connection:
            assert connection.execute(NEWER, (VERSION + 1, prefix)).rowcount == 1
    async with orchestrator_with(database=str(database)) as opened:
        for act in [opened.report("mine"), *([opened.threads()] if kind == "runs" else [])]:
            with pytest.raises(ThreadDamaged) as refused:
                await act
            said = said_of(refused.value)
            assert all(sentence in said[language] for language, sentence in SENTENCES.items())
            assert "mine" in said["en"]
        assert "6" in (await opened.report("other")).answer
        await opened.delete_thread("mine")
        assert list(await opened.threads()) == ["other"]


@pytest.mark.parametrize(("question", "language"), [("What is 2+2?", "en"), ("2加2是多少？", "zh")])
def test_the_shell_says_it_in_the_language_of_the_question(invoke: Invoke, question: str, language: str) -> None:
    invoke("run", question, "--thread", "mine")

    async def make_newer() -> None:
        async with open_orchestrator(Settings()) as opened:
            config = {"configurable": {"thread_id": "mine"}}
            await cast("Any", opened.graph).aupdate_state(config, {"context": {"version": VERSION + 1}})

    asyncio.run(make_newer())
    done = invoke("run", question, "--thread", "mine")
    assert done.exit_code == 1
    assert SENTENCES[language] in done.stderr
