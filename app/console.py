"""What a person sees: the plan and each step's state while it works, then the answer. No control codes when piped."""

import asyncio
import json
import re
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any

from rich.cells import cell_len
from rich.console import Console as RichConsole
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from switchyard.agents.execution.approval import ApprovalRequest
from switchyard.app.events import Event
from switchyard.app.report import RunReport, Source
from switchyard.language.messages import Field, Message, is_known, message, said
from switchyard.language.words import language_of
from switchyard.ledger.journal import ModelCall
from switchyard.tools.core.json_values import is_list, is_object, json_in
from switchyard.tools.core.spec import Language

SIGNS = {"pending": "·", "running": "…", "done": "✓", "failed": "✗", "blocked": "–", "refused": "⊘"}
COLOURS = {"running": "yellow", "done": "green", "failed": "red", "blocked": "dim", "refused": "magenta"}
TEXT_SHOWN = 60
DOWNGRADES_SHOWN = 3
ITEMS_SHOWN = 3
LINES_AT_FIRST, LINES_AT_LAST = 30, 10
"""Lines of a longer text that are shown from its beginning and from its end."""
LINE_LENGTH = 300
"""Characters of one line."""
LEAST_WIDTH = 20
"""Columns left to a text that is cut, however narrow the terminal is."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Moves the cursor of a terminal, or shows text in another order than it is read in."""


def printable(text: str) -> str:
    """Text without control codes: what a tool or a model says must not move anybody's cursor."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def printable_json(value: Any, *, indent: int | None = None) -> str:
    """A value as JSON, Chinese as Chinese; control codes are escaped, so that whoever reads it gets the same value."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_YES = {"y", "yes", "是", "好", "同意"}
_APPROVE = {"a", "approve", "批准", *_YES}
_EDIT = {"e", "edit", "改", "修改"}
_REFUSE = {"r", "refuse", "n", "no", "拒绝", "否"}


class Console:
    """Progress goes to standard error, the answer to standard output: a pipe gets the answer alone."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._out = RichConsole(file=sys.stdout, highlight=False, soft_wrap=True)
        self._err = RichConsole(file=sys.stderr, highlight=False)
        self._quiet = quiet or not self._err.is_terminal
        self._steps: dict[str, dict[str, Any]] = {}
        self._live: Live | None = None
        self._language: Language = "en"
        """Of the question of the run that is shown."""

    @contextmanager
    def live(self) -> Generator[None]:
        """Show the steps while the block runs."""
        if self._quiet:
            yield
            return
        with Live(console=self._err, refresh_per_second=12, transient=True) as self._live:
            yield
        self._live = None

    def show_event(self, event: Event) -> None:
        """Take one event of a run into the picture."""
        match event["event"]:
            case "run":
                self._language = language_of(str(event["question"]))
            case "plan":
                self._steps = {step["id"]: {"text": step["description"]} for step in event["steps"]}
            case "step":
                step = self._steps.setdefault(event["id"], {"text": ""})
                step.update({key: event.get(key) for key in ("state", "tool", "ms", "error") if key in event})
            case "skill_call":
                step = self._steps.setdefault(event["id"], {"text": ""})
                step["tool"] = f"{event['skill']} › {event['tool']}"
            case "downgrade" if not self._quiet:
                self._tell(_note(event["agent"], event["reason"], self._language), "yellow")
            case _:
                pass
        if self._live is not None:
            self._live.update(self._picture())

    def show_report(self, report: RunReport, *, steps: bool = False) -> None:
        """The answer, where it comes from and what it cost."""
        language = self._language = language_of(report.question)
        if steps or (self._err.is_terminal and not self._quiet):
            self._show_steps(report)
        if report.answer:
            self._out.print(printable(report.answer), markup=False)
        if report.sources:
            parts = dict.fromkeys(_source(source).text(language) for source in report.sources)
            sources = message("sources", sources=("，" if language == "zh" else ", ").join(parts)).text(language)
            self._out.print(printable(f"\n{sources}"), markup=False, style="dim")
        notes = dict.fromkeys(_note(one.agent, one.reason, language) for one in report.downgrades)
        for line in [*list(notes)[:DOWNGRADES_SHOWN], _cost_of(report, language)]:
            self._out.print(printable(line), markup=False, style="dim")

    def show_calls(self, calls: Iterable[ModelCall]) -> None:
        """Every model call of a run, to be read."""
        for number, call in enumerate(calls, start=1):
            tokens = f"{call.prompt_tokens}+{call.completion_tokens} tokens, {call.ms:.0f} ms"
            self._tell(f"── call {number}: {call.agent} on {call.model}, {tokens}", "bold")
            for sent in call.messages:
                self._tell(f"[{sent['role']}]\n{sent['text']}")
            self._tell(f"[answer]\n{call.answer}")
            if call.parsed is not None:
                self._tell(f"[parsed]\n{printable_json(call.parsed)}")
            if call.error:
                self._tell(f"[error]\n{call.error}", "red")

    def show_table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], *, cut: bool = False) -> None:
        """A table at a terminal, with `cut` a line a row, its last text cut; in a pipe, tab-separated lines."""
        if not self._out.is_terminal:
            for row in rows:
                sys.stdout.write("\t".join(" ".join(printable(cell).split()) for cell in row) + "\n")
            return
        table = Table(*heads, box=None, header_style="bold", pad_edge=False)
        shown = [[printable(cell) for cell in row] for row in rows]
        if cut:
            taken = sum(max(map(cell_len, column)) + 2 for column in list(zip(heads, *shown, strict=True))[:-1])
            last = table.columns[-1]
            last.no_wrap, last.overflow, last.max_width = True, "ellipsis", max(self._out.width - taken, LEAST_WIDTH)
            shown = [[*row[:-1], " ".join(row[-1].split())] for row in shown]
        for row in shown:
            table.add_row(*map(escape, row))
        self._out.print(table)

    def say(self, text: str) -> None:
        """Plain text on standard output."""
        self._out.print(printable(text), markup=False)

    @property
    def has_person(self) -> bool:
        """Whether somebody is there to answer."""
        return sys.stdin.isatty() and self._err.is_terminal

    async def confirm(self, question: str) -> bool:
        """Ask the person at the terminal for a yes; everything else is a no."""
        return (await self._read(f"{printable(question)} [y/N] ")).lower() in _YES

    async def ask_a_person(self, report: RunReport) -> Any:
        """Put what a run waits for to the person at the terminal; None when nobody is there."""
        if not self.has_person or report.waiting_for is None:
            return None
        self._language = language_of(report.question)
        if isinstance(report.waiting_for, str):
            self._tell(report.waiting_for)
            return await self._read(message("prompt_reply").text(self._language))
        return {request.step_id: await self._decide(request) for request in report.waiting_for}

    async def _decide(self, request: ApprovalRequest) -> Any:
        self._show_request(shown_call(request, self._language), request)
        while True:
            answer = (await self._read(message("prompt_decide").text(self._language))).lower()
            if answer in _APPROVE:
                return {"decision": "approve", "signature": request.signature}
            if answer in _REFUSE:
                return {"decision": "refuse", "signature": request.signature}
            if answer in _EDIT:
                edited = json_in(await self._read(message("prompt_arguments").text(self._language)))
                if is_object(edited):
                    return {"decision": "edit", "arguments": edited, "signature": request.signature}
                self._tell(message("no_object").text(self._language))

    def _show_request(self, call: str, request: ApprovalRequest) -> None:
        """A call, what it would do, and why it is asked about, on standard error."""
        self._tell(call)
        for line, style in shown_effect(request, self._language):
            self._tell(line, style)
        self._tell(f"  {request.description}\n  {request.reason}")

    async def _read(self, prompt: str) -> str:
        from prompt_toolkit import PromptSession  # noqa: PLC0415  only a person at a terminal needs it

        session: PromptSession[str] = PromptSession()
        try:
            return (await session.prompt_async(prompt)).strip()
        except (EOFError, KeyboardInterrupt):
            raise asyncio.CancelledError from None

    def _tell(self, text: str, style: str = "") -> None:
        """Plain text on standard error."""
        self._err.print(printable(text), markup=False, style=style, soft_wrap=True)

    def _picture(self) -> Table:
        table = Table.grid(padding=(0, 1))
        for step_id, step in self._steps.items():
            state = str(step.get("state") or "pending")
            error = said(str(step["error"]), self._language) if step.get("error") else ""
            remark = error or (f"{step['ms']:.0f} ms" if step.get("ms") else "")
            colour = COLOURS.get(state, "white")
            table.add_row(
                f"[{colour}]{SIGNS.get(state, '·')}[/{colour}]",
                step_id,
                escape(printable(str(step["text"]))[:TEXT_SHOWN]),
                f"[cyan]{escape(printable(str(step.get('tool') or '')))}[/cyan]",
                f"[dim]{escape(printable(remark)[:TEXT_SHOWN])}[/dim]",
            )
        return table

    def _show_steps(self, report: RunReport) -> None:
        described = {step.id: step.description for step in report.plan.steps}
        self._steps = {
            step.id: {
                "text": described.get(step.id, ""),
                "state": "done" if step.success else "failed" if step.error else "pending",
                "tool": step.tool,
                "ms": step.ms,
                "error": step.error,
            }
            for step in report.steps
        }
        self._err.print(self._picture())

    def show_hints(self, report: RunReport, flags: str = "") -> None:
        """What the person can do now, on standard error."""
        language = self._language = language_of(report.question)
        again = f"{report.thread_id}{flags}"
        if report.status == "cancelled":
            self._tell(message("stopped", again=again).text(language))
        elif isinstance(report.waiting_for, str):
            self._tell(report.waiting_for)
            self._tell(message("resume_answer", again=again).text(language))
        elif report.waiting_for is not None:
            for request in report.waiting_for:
                call = f"{request.step_id} {shown_call(request, language)}"
                self._show_request(message("waiting_for_approval", call=call).text(language), request)
            lost = next((one.step_id for one in report.waiting_for if one.why == "secret_lost"), None)
            given = message("resume_give", again=again, step=lost) if lost else message("resume_approve", again=again)
            self._tell(given.text(language))


def _source(source: Source) -> Message:
    names = source.source.split(", ")
    kinds: Field = [message(f"source.{name}") if is_known(f"source.{name}") else name for name in names]
    if source.items:
        kinds = message("source_with_items", source=kinds, items=source.items[:ITEMS_SHOWN])
    return message("source_of_answer", tool=source.tool, source=kinds)


def _note(agent: str, reason: str, language: Language) -> str:
    who = message(f"agent.{agent}") if is_known(f"agent.{agent}") else agent
    return message("note", agent=who, reason=said(reason, language)).text(language)


def _cost_of(report: RunReport, language: Language) -> str:
    usage = report.usage
    sent, every = usage.tool_tokens.summaries + usage.tool_tokens.definitions, usage.tool_tokens.full_catalogue
    tokens = message("cost_tokens", count=usage.prompt_tokens + usage.completion_tokens).text(language)
    if sent:  # what the tools took of the prompts, against sending them all
        tokens += message("cost_tool_share", sent=sent, all=every).text(language)
    parts = [
        message("cost_seconds", seconds=usage.seconds).text(language),
        message("cost_tool_calls", count=usage.tool_calls).text(language),
        message("cost_model_calls", count=usage.model_calls).text(language),
        tokens,
        message("cost_thread", thread=report.thread_id).text(language),
    ]
    return message("cost", status=message(f"status.{report.status}"), parts=" · ".join(parts)).text(language)


def shown_call(request: ApprovalRequest, language: Language) -> str:
    """The tool and its arguments; secrets among them were masked when the request was made."""
    texts: dict[str, str] = {}
    rest = _without_texts(request.arguments, "", texts, language)
    tool = f"{request.tool}.{request.action}" if request.action not in {None, request.tool} else request.tool
    call = f"{tool} {json.dumps(rest, ensure_ascii=False)}"
    blocks = [f"  {name}:\n{_lines(text, language)}" for name, text in texts.items()]
    return "\n".join([call, *blocks])


def shown_effect(request: ApprovalRequest, language: Language) -> list[tuple[str, str]]:
    """What the call would do, line by line, each with the style it has at a terminal."""
    lines: list[tuple[str, str]] = []
    for effect in request.effect:
        name = "sends_nothing" if effect.kind == "sends" and not effect.text else effect.kind
        lines.append((f"  {message(f'effect.{name}', target=effect.target).text(language)}", "bold"))
        is_diff = effect.text.startswith("--- ")
        for place, line in enumerate(effect.text.splitlines()):
            lines.append((f"  │ {line}", _style_in_diff(place, line) if is_diff else ""))
        if effect.left_out:
            count = effect.left_out + len(effect.text.splitlines())
            left_out = message("lines_left_out", left_out=effect.left_out, count=count)
            lines.append((f"  {left_out.text(language)}", ""))
    return lines


def _style_in_diff(place: int, line: str) -> str:
    """What comes is green, what goes is red, the heads are dim."""
    if place < 2 or line.startswith("@@ "):  # noqa: PLR2004  the two lines that name the file
        return "dim"
    return {"+": "green", "-": "red"}.get(line[:1], "")


def _without_texts(value: Any, name: str, texts: dict[str, str], language: Language) -> Any:
    """The arguments with a word in the place of each text of several lines; the texts join `texts`."""
    if isinstance(value, str) and len(lines := value.splitlines()) > 1:
        texts[name] = value
        return message("lines_below", count=len(lines)).text(language)
    if is_object(value):
        inside = f"{name}." if name else ""
        return {key: _without_texts(part, f"{inside}{key}", texts, language) for key, part in value.items()}
    if is_list(value):
        return [_without_texts(part, f"{name}[{position}]", texts, language) for position, part in enumerate(value)]
    return value


def _lines(text: str, language: Language) -> str:
    """The lines behind a bar, so that none of them can be taken for a word of ours."""
    lines = text.splitlines()
    left_out = len(lines) - LINES_AT_FIRST - LINES_AT_LAST
    shown = [f"  │ {_cut(line, language)}" for line in lines]
    if left_out > 0:
        note = "  " + message("lines_left_out", left_out=left_out, count=len(lines)).text(language)
        shown = [*shown[:LINES_AT_FIRST], note, *shown[-LINES_AT_LAST:]]
    return "\n".join(shown)


def _cut(line: str, language: Language) -> str:
    over = len(line) - LINE_LENGTH
    return f"{line[:LINE_LENGTH]}… {message('more_characters', over=over).text(language)}" if over > 0 else line
