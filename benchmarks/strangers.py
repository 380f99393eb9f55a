"""What strangers asked: questions over a folder written without sight of the code, in both languages.

    python -m benchmarks.strangers [--set NAME|FOLDER] [--json] [--show]

Every question is asked by rules, on a fresh copy of the set's files, with its pages on a local server and the time
server from `mcp.local.json`; approvals are given. A question counts as right when the answer says all it must and
nothing it must not, and the files are written as asked and no other is touched; or, where it must be declined, when
nothing was given as an answer. What was done in part is right when all that was asked for is there (only a remark was
left), else it is declined. Wrong is what was given as answered and is not right. `--show` on a set ends its being held
back: see `strangers_data/README.md`.
"""

import argparse
import asyncio
import functools
import json
import re
import shutil
import statistics
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from benchmarks.measuring import progress
from benchmarks.understanding import fix_the_clock
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.settings import Settings

DATA = Path(__file__).parent / "strangers_data"
TIME_SERVER = Path(__file__).parent.parent / "mcp.local.json"
SETS = (
    *("workshop", "vineyard", "school", "shelter", "bakery", "theatre", "harbour", "rescue"),
    *("press", "garden", "repair", "compound", "tours", "kitchen", "ferry", "museum"),
    *("airfield", "vets", "apiary", "library", "brigade", "gym", "radio", "hostel"),
    *("ceramics", "orchestra", "clinic", "haulage", "film", "seedbank", "langschool"),
    *("diving", "buses", "cheese", "football", "survey", "picturebooks", "events", "couriers", "hydropower"),
    *("stables", "laundry", "nursery", "restorer", "pool", "brewery", "observatory", "dental", "metro"),
    *("mushrooms", "optician", "daycare", "sawmill", "recycling", "chess"),
    *("marina", "dance", "toys", "seamen", "trams"),
    *("bikehire", "aquarium", "solar", "ropeway", "puppets", "sailmakers", "foodbank", "coldstore"),
    *("bookbinder", "campsite", "blooddonors", "lighthouse", "treenursery"),
    *("glassworks", "skischool", "olivepress", "boatyard", "clockshop", "drivingschool"),
)
NOW = datetime(2026, 11, 17, 2, 0, tzinfo=UTC)
"""The day the questions were written for; it is the same day in UTC, Shanghai and Melbourne."""
WRITTEN_ADDRESS = "127.0.0.1:8765"
"""Where the questions and pages think they are served."""
MINUTES = 5
"""How far off "now" may be."""
NUMBER = re.compile(r"(?<![a-z0-9_./:\-])-?\d+(?:\.\d+)?(?!\d|[./:\-]\d)")
"""A number of its own: not part of a date, an address, a version or an article's code."""
LOOKED_FOR = re.compile(r"\([^()\n]*[=<>][^()\n]*\)")
"""What an answer says it chose by, `(date = 10)`: a number in it is the question's."""
ROW = re.compile(r": [^,\n]*, ?[^,:\n]+: ")
"""Two columns with their values."""

Outcome = Literal["right", "declined", "wrong"]
"""`declined`: it should have been answered and was not; that is no wrong answer."""


class Near(BaseModel):
    """A number, right when it is this one to so many digits."""

    number: float
    digits: int


class Count(BaseModel):
    """How many: a number in the answer's first line, which is not a row of a table that happens to have it."""

    count: int


class Pattern(BaseModel):
    """A regular expression that is found in the answer."""

    pattern: str


class Clock(BaseModel):
    """A time of day in a zone: of now, or of a time of day elsewhere."""

    clock: str
    at: str = Field(default="UTC", alias="from")
    to: str


Said = str | float | Near | Count | Pattern | Clock


class Written(BaseModel):
    """What a file must hold, where its whole text is not laid down: texts in their order, and how many lines."""

    has: list[str]
    lines: int | None = None


class Question(BaseModel):
    """One line of a set."""

    id: int
    lang: Literal["en", "zh"]
    turns: list[str]
    """What is asked one after another; the last is judged."""
    answer: str
    """What is right, in the asker's words."""
    kind: str
    names_file: bool
    decline: bool = False
    """Nothing may be given as an answer, but for one that says `says`, where it is there."""
    says: list[Said | list[Said]] = Field(default_factory=list[Said | list[Said]])
    """What must stand in the answer, each or one of each list."""
    not_says: list[Said] = Field(default_factory=list[Said])
    most: int | None = None
    """The most lines: a listing of everything has the right text in it too, and is no answer."""
    writes: dict[str, str | Written] = Field(default_factory=dict[str, str | Written])
    """By path, or paths parted by " | " of which one is enough: the whole text, or what must be in it."""


class Given(BaseModel):
    """What came of asking."""

    status: str
    answer: str
    changed: dict[str, str | None]
    """The files that are not as before, with their text; None: gone."""
    ms: float
    model_calls: int = 0


class Judged(BaseModel):
    """What became of a question."""

    question: Question
    given: Given
    outcome: Outcome
    why: str


class Share(BaseModel):
    """The figures of some of the questions."""

    answerable: int
    right: int
    declined: int
    wrong: int
    """Given as answered and not right, what had to be declined included."""
    to_decline: int
    rightly_declined: int


class Figures(BaseModel):
    """The figures of a set."""

    set: str
    total: Share
    parts: dict[str, Share]
    p50_ms: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strangers", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--set", help=f"one of the sets ({', '.join(SETS)}) or a folder with one; all when left out")
    parser.add_argument("--show", action="store_true", help="show what was not answered rightly; not with --json")
    chosen = parser.parse_args()
    if chosen.set and not (DATA / chosen.set / "questions.jsonl").is_file():
        parser.error(f"no questions.jsonl in {chosen.set!r}")
    judged = {name: asyncio.run(measure(DATA / name)) for name in ([chosen.set] if chosen.set else SETS)}
    figures = [summed(name, results) for name, results in judged.items()]
    if chosen.json:
        print(json.dumps({"sets": [each.model_dump() for each in figures]}, indent=2))
    else:
        for each in figures:
            print_figures(each)
    if chosen.show and not chosen.json:
        for results in judged.values():
            show(results)


async def measure(folder_of_set: Path) -> list[Judged]:
    """Ask every question of a set."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        with served(folder_of_set / "web", home / "web") as address:
            questions = read(folder_of_set, address)
            workspace = home / "files"
            workspace.mkdir()
            settings = Settings(
                model="none",
                database=":memory:",
                workspace=workspace,
                config_dir=home / "config",
                cache_dir=home / "cache",
                mcp_files=[TIME_SERVER],
                allow_private=[address],
                auto_approve=True,
            )
            now = now_of(folder_of_set)
            async with open_orchestrator(settings, clock=lambda: now) as orchestrator:
                fix_the_clock(orchestrator, now)
                await orchestrator.ask("东京现在几点？")  # what is loaded on first use
                judged: list[Judged] = []
                for question in questions:
                    given = await ask(orchestrator, question, folder_of_set / "files", workspace)
                    outcome, why = judge(question, given)
                    judged.append(Judged(question=question, given=given, outcome=outcome, why=why))
                    if len(judged) % 25 == 0:
                        progress(f"{folder_of_set.name}: {len(judged)} questions asked")
    return judged


def now_of(folder_of_set: Path) -> datetime:
    """The time at which a set is asked: on the day in its file `today`, where it has one."""
    day = folder_of_set / "today"
    return datetime.combine(date.fromisoformat(day.read_text().strip()), NOW.timetz()) if day.is_file() else NOW


def read(folder_of_set: Path, address: str) -> list[Question]:
    """The questions of a set, its pages being served at an address."""
    text = (folder_of_set / "questions.jsonl").read_text(encoding="utf-8").replace(WRITTEN_ADDRESS, address)
    return [Question.model_validate_json(line) for line in text.splitlines() if line.strip()]


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Nothing."""


@contextmanager
def served(pages: Path, folder: Path) -> Generator[str]:
    """Serve a copy of the pages on a free port, and say where."""
    shutil.copytree(pages, folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    address = f"127.0.0.1:{server.server_port}"
    for page in folder.rglob("*.*"):
        page.write_text(page.read_text(encoding="utf-8").replace(WRITTEN_ADDRESS, address), encoding="utf-8")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def ask(orchestrator: Orchestrator, question: Question, files: Path, workspace: Path) -> Given:
    """Ask a question turn by turn on a fresh copy of the files, and see what came of it."""
    await asyncio.to_thread(renew, files, workspace)
    thread_id = f"stranger-{question.id}"
    for turn in question.turns[:-1]:
        await orchestrator.ask(turn, thread_id=thread_id)
    before = await asyncio.to_thread(contents, workspace)
    started = time.perf_counter()
    report = await orchestrator.ask(question.turns[-1], thread_id=thread_id)
    ms = (time.perf_counter() - started) * 1000
    after = await asyncio.to_thread(contents, workspace)
    changed = {path: after.get(path) for path in before | after if before.get(path) != after.get(path)}
    calls = report.usage.model_calls
    return Given(status=report.status, answer=report.answer, changed=changed, ms=ms, model_calls=calls)


def renew(files: Path, workspace: Path) -> None:
    """The workspace as it was before anything was written to it."""
    shutil.rmtree(workspace)
    shutil.copytree(files, workspace)


def contents(workspace: Path) -> dict[str, str]:
    """Every file's text, by its path."""
    return {
        path.relative_to(workspace).as_posix(): path.read_text(encoding="utf-8-sig", errors="replace")
        for path in workspace.rglob("*")
        if path.is_file()
    }


def judge(question: Question, given: Given) -> tuple[Outcome, str]:
    """Whether what came is what the question asked for."""
    answered = given.status == "answered"
    touched = untold_change(question, given.changed)
    if touched:
        return "wrong", touched
    if question.decline and not answered:
        return "right", ""
    if question.decline and not question.says:
        return "wrong", "answered what it must decline"
    if given.status not in {"answered", "partial"}:
        return "declined", f"status {given.status}"
    why = problem(question, given.answer) or badly_written(question, given.changed)
    if why is None:
        return "right", ""
    return ("wrong" if answered else "declined"), why


def problem(question: Question, answer: str) -> str | None:
    """What is not as expected in an answer."""
    for wanted in question.says:
        if not any(stands(one, answer) for one in (wanted if isinstance(wanted, list) else [wanted])):
            return f"the answer lacks {wanted}"
    for unwanted in question.not_says:
        if stands(unwanted, answer):
            return f"the answer says {unwanted}"
    lines = sum(1 for line in answer.splitlines() if line.strip())
    if question.most is not None and lines > question.most:
        return f"the answer has {lines} lines, at most {question.most} are one"
    return None


def stands(wanted: Said, answer: str) -> bool:
    """Whether a text, number, pattern or time of day is in an answer."""
    text = plain(answer)
    if isinstance(wanted, str):
        return re.search(apart(plain(wanted)), text) is not None
    if isinstance(wanted, Clock):
        return any(close(found, wanted) for found in re.findall(r"(?<![\d+:\-])(\d{1,2}):(\d\d)", text))
    text = LOOKED_FOR.sub("", text)
    if isinstance(wanted, Pattern):
        return re.search(wanted.pattern, text, re.IGNORECASE) is not None
    if isinstance(wanted, Count):
        first = text.strip().partition("\n")[0]
        return not ROW.search(first) and any(float(found) == wanted.count for found in NUMBER.findall(first))
    number, within = (wanted.number, 0.5 * 10**-wanted.digits) if isinstance(wanted, Near) else (wanted, 0.0)
    return any(abs(float(found) - number) <= within + 1e-9 for found in NUMBER.findall(text))


def plain(text: str) -> str:
    """A text without what does not matter: case, width, thousands separators, how much space."""
    text = unicodedata.normalize("NFKC", text.replace("：", ": ")).casefold()
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    return re.sub(r"[ \t]+", " ", text)


def apart(text: str) -> str:
    """A pattern for a text that does not go on: 12 is not in 120, and Tom not in tomorrow."""
    before = next((f"(?<!{same})" for same in (r"[0-9]", r"[a-z]") if re.match(same, text)), "")
    after = next((f"(?!{same})" for same in (r"[0-9]", r"[a-z]") if re.search(f"{same}$", text)), "")
    return before + re.escape(text) + after


def close(found: tuple[str, str], wanted: Clock) -> bool:
    """Whether a time of day is the wanted one. The time server knows the day of the run alone, the others ours."""
    minutes = int(found[0]) * 60 + int(found[1])
    within = MINUTES if wanted.clock == "now" else 0
    for day in (datetime.now(UTC), NOW):
        moment = day
        if wanted.clock != "now":
            hour, minute = map(int, wanted.clock.split(":"))
            moment = day.astimezone(ZoneInfo(wanted.at)).replace(hour=hour, minute=minute)
        there = moment.astimezone(ZoneInfo(wanted.to))
        off = abs(minutes - there.hour * 60 - there.minute)
        if min(off, timedelta(days=1) // timedelta(minutes=1) - off) <= within:
            return True
    return False


def untold_change(question: Question, changed: dict[str, str | None]) -> str | None:
    """A file that nobody asked to write."""
    asked = {path for paths in question.writes for path in paths.split(" | ")}
    others = sorted(set(changed) - asked)
    return f"changed {others}" if others else None


def badly_written(question: Question, changed: dict[str, str | None]) -> str | None:
    """What is not as asked in the files."""
    for paths, wanted in question.writes.items():
        texts = [changed.get(path) for path in paths.split(" | ")]
        if not any(text is not None and holds(wanted, text) for text in texts):
            return f"{paths} is not as asked"
    return None


def holds(wanted: str | Written, text: str) -> bool:
    """Whether a file's text is the wanted one, or has in it what it must, in that order."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    if isinstance(wanted, str):
        return lines == [line.rstrip() for line in wanted.strip().splitlines()]
    if wanted.lines is not None and wanted.lines != len(lines):
        return False
    return re.search(".*?".join(map(re.escape, wanted.has)), text, re.DOTALL) is not None


def summed(name: str, results: list[Judged]) -> Figures:
    """The figures of a set."""
    parts: dict[str, Callable[[Question], bool]] = {
        "English": lambda question: question.lang == "en",
        "Chinese": lambda question: question.lang == "zh",
        "file named": lambda question: question.names_file,
        "file not named": lambda question: not question.names_file,
    }
    return Figures(
        set=name,
        total=share(results),
        parts={part: share([each for each in results if belongs(each.question)]) for part, belongs in parts.items()},
        p50_ms=round(statistics.median(each.given.ms for each in results), 1),
    )


def share(results: list[Judged]) -> Share:
    """How many are what."""
    answerable = [each.outcome for each in results if not each.question.decline]
    to_decline = [each.outcome for each in results if each.question.decline]
    return Share(
        answerable=len(answerable),
        right=answerable.count("right"),
        declined=answerable.count("declined"),
        wrong=answerable.count("wrong") + to_decline.count("wrong"),
        to_decline=len(to_decline),
        rightly_declined=to_decline.count("right"),
    )


def print_figures(figures: Figures) -> None:
    """The figures of a set, for people."""
    print(f"{figures.set}: a question takes {figures.p50_ms:.0f} ms (median)")
    for part, each in {"all": figures.total, **figures.parts}.items():
        print(
            f"  {part:14} right {each.right} of {each.answerable}, declined {each.declined}, "
            f"wrong {each.wrong}, rightly declined {each.rightly_declined} of {each.to_decline}"
        )


def show(results: list[Judged]) -> None:
    """What was not answered rightly: what was asked, what is right, what was given."""
    for each in results:
        if each.outcome != "right":
            sys.stdout.write(
                f"{each.outcome} {each.question.id} {' || '.join(each.question.turns)}\n"
                f"  expected {each.question.answer}\n"
                f"  given    {each.given.answer[:600]}\n"
                f"  because  {each.why}\n"
            )


if __name__ == "__main__":
    main()
