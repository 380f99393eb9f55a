"""A question read whole, without a model: its clauses as tasks, each a call or a few, and what later ones take of them.

A clause is something that is worked out, something that is done (`deeds`), something that is asked of rows
(`row_question`), or meant for a tool that brings no sentences (`schema_call`). A clause that speaks of an earlier one
is read with what that one gives: its number, its rows, its text, or the file it names. A question that follows another
is read in the same way, with the other one before it; or it is the other one, with the one thing in it that is named.
"""

import asyncio
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

from switchyard.agents.by_rules.deeds import Deed, Deeds, RowPhrase
from switchyard.agents.by_rules.fetched import asked_of_address, is_api
from switchyard.agents.by_rules.forms import FULL_NAME, Form, formed, separator, without_form
from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.query import columns_of, quoted, sql_as_written, sql_of
from switchyard.agents.by_rules.row_question import (
    LONGEST_ABOUT_ROWS,
    ROWS_ASKED,
    RowQuestion,
    read_after,
    read_in_workspace,
    read_row_question,
    says_which,
    told,
)
from switchyard.agents.by_rules.schema_call import SchemaCalls, acts
from switchyard.agents.by_rules.several import texts_about_each
from switchyard.agents.by_rules.table import unit_of
from switchyard.agents.by_rules.told_dates import with_told_date
from switchyard.agents.by_rules.turns import (
    LEADS,
    LONGEST_FOLLOW_UP,
    STANDS_FOR,
    bare,
    dated,
    leaned_on,
    leans,
    with_a_word_changed,
    with_one_changed,
)
from switchyard.agents.by_rules.world import table_of_columns
from switchyard.agents.scope import RunScope
from switchyard.language.arithmetic import find_arithmetic, find_change
from switchyard.language.asides import Question, led, with_place_in_it, without_aside
from switchyard.language.clauses import Clause, clauses, joined
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.time_questions import read_time_question
from switchyard.language.words import asks, is_conditional, is_demonstrative
from switchyard.ledger.plan import MAX_STEPS, Call, ForEach, Step
from switchyard.toolhub.recall.query import Scored
from switchyard.toolhub.sentences import find_listed
from switchyard.tools.core.context import Turn


@cache
def _threads(_process: int) -> ThreadPoolExecutor:
    """Its own: a reading waits for the event loop, which must not wait for a thread that a reading has."""
    return ThreadPoolExecutor(4, "reading")


CALCULATE, GET_TIME, ANALYZE = "calculate", "get_time", "data_analyzer"
TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl"})
LONGEST_GROUP = 4
"""Clauses that may be one task together."""
TURNS_BACK = 6
MOST_COPIED = 1000
"""Rows of a table that are copied into a file; more are declined by the tool."""

_HE = re.compile(r"(?i)\b(?:he|she|his|her|they|their)\b|他|她")
"""Somebody who was spoken of before: never everybody."""
_ROWS_BEFORE = re.compile(r"(?i)\b(?:them|those|these|they|their)\b|它们|这些|那些|其中")
_FILES = re.compile(r"(?i)\b(?:which|what|how many) files\b|(?:哪些|哪几个|几个|多少个?)文件")
_OF_ALL = re.compile(r"(?i)\b(?:all|overall|every|each)\b|所有|全部|整个|各")
_FIGURE = re.compile(r"\d|[一二三四五六七八九十]")
_THEN = re.compile(r"(?i)\bthen\b|然后|接着|再")
_EITHER = re.compile(r"(?i)\bor\b|或|还是|呢[?？。\s]*$")
"""One or the other, or a question about the other: not both."""
_ASKS_WHEN = re.compile(r"(?i)when (?:is|was|were|did|does|do|will|are)\b")
_FOLDERS = re.compile(r"(?i)\b(?:sub)?(?:folders?|director(?:y|ies))\b|文件夹|目录")
_INSIDE = re.compile(r"(?i)\b(?:in|of|across|within|inside)\s*$|在$")
_ONE = re.compile(r"(?i)\b(?:the|my|our)\s+(?:\w+\s+)?(?:file|document|script)$|^文件$")
_OF_SEVERAL = re.compile(r"(?i)\b(?:most|least|fewest|\w{3,}est|which|each|every)\b|最|每|各|哪|共|合计|平均")
_USES = re.compile(r"(?i)^[\s,，:：]+|(?:\b(?:use|using|with|via|ask|the)\b|用|使用|通过)\s*(?=[,，:：]|$)")
_SAYS_WHICH = re.compile(
    r"(?i)[的里中内]$|^(?:in|of|among|out of|during|(?:go|judg)ing by|according to|based on) |^(?:按|依[照据]|根据)"
)
_THOSE_ROWS = re.compile(r"的(?:那些|那几[个条行]|所有|全部)?(?:行|人|数据|条目|内容|记录)?$")
"""What stands for the rows that are to be written: 北京的那些, 没付的."""
_WHOEVER = re.compile(
    r"(?i)^(?:everybody|everyone|anybody|anyone|all (?:those|the people)|those|the people|people)"
    r"( (?:in|from|on) \S+)? who\b"
)
_LISTED = re.compile(r"(?i)\b(?:and|with)\b|[,，、&+和与及带]")
_FOR_WHOM = re.compile(r"(?i)for (?:the|our|my) [\w' -]{2,40}: ")
_PLACES = frozenset({"path", "output", "url"})
_DEGREES = re.compile(r"(?i)temp\w*_(c|f)$")
_ANY = "987654321"
"""A figure that stands for one which is not known yet."""


@dataclass(frozen=True, slots=True)
class Task:
    """A clause that was read: its steps, and what a later clause may take of the last one."""

    text: str
    steps: tuple[Step, ...]
    gives: Mapping[str, Any]
    asked: RowQuestion | None = None
    """What it asks of the rows of a file."""

    @property
    def call(self) -> Call:
        """The call its answer comes from."""
        return cast("Call", self.steps[-1].call)

    @property
    def calls(self) -> Iterator[Call]:
        """All its calls."""
        return (step.call for step in self.steps if step.call is not None)

    @property
    def places(self) -> set[str]:
        """The files and addresses it names."""
        given = [(name, value) for call in self.calls for name, value in call.arguments.items()]
        return {value for name, value in given if name in _PLACES and isinstance(value, str)}

    @property
    def next_number(self) -> int:
        """The number of a step that comes after it."""
        return 1 + int(self.steps[-1].id[1:])

    def reference(self, what: str) -> str:
        """What stands for its number, or its content, in a later call."""
        path = str(self.gives.get(what, ""))
        return f"{{{{{self.steps[-1].id}{f'.{path}' if path else f'#{what}'}}}}}"


class Reader:
    """Reads the questions of one run."""

    def __init__(self, scope: RunScope, history: Sequence[Turn] | None = None) -> None:
        """`history`: what was said before, where it is not all that the run knows."""
        self._scope = scope
        self._history = scope.history if history is None else history
        self._today = scope.equipment.clock().date()
        self._place = Place(scope.equipment.workspace)
        self._deeds = Deeds(scope, self._place)
        self._loop: asyncio.AbstractEventLoop | None = None

    @cached_property
    def _by_schema(self) -> SchemaCalls:
        return SchemaCalls(self._scope, self._recall, self._deeds.tools | {CALCULATE, GET_TIME})

    def acts(self, task: Task) -> bool:
        """Whether a task changes or sends something."""
        found = ((self._scope.equipment.hub.registry.get(call.tool), call) for call in task.calls)
        return any(spec is not None and acts(spec.for_action(call.action)) for spec, call in found)

    def is_exact(self, clause: Clause) -> bool:
        """Whether a clause is a calculation, a time, or a call of a tool that it names by its id."""
        if (clause.refers_back or clause.joint != "start") and find_change(clause.text, "it") is not None:
            return True
        exact = find_arithmetic(clause.text) or read_time_question(clause.text, self._today)
        return not clause.refers_back and (exact is not None or self._named(clause.text) is not None)

    def leans(self, question: str) -> bool:
        """Whether a question says that it goes on from the one before: and Berlin, 那上海呢."""
        return bool(leaned_on(self._history, question))

    async def read(self, question: str) -> list[Task | Clause]:
        """The tasks of a question, and what of it was not understood; files are looked at in a thread."""
        self._loop = asyncio.get_running_loop()
        context = copy_context()
        return await self._loop.run_in_executor(_threads(os.getpid()), lambda: context.run(self._read, question))

    def _recall(self, text: str) -> list[Scored]:
        """The tools for a text: what a project recalls with belongs to the event loop."""
        found = self._scope.recall(text, for_model=False)
        return asyncio.run_coroutine_threadsafe(found, cast("asyncio.AbstractEventLoop", self._loop)).result()

    def _read(self, question: str) -> list[Task | Clause]:
        question = with_place_in_it(without_aside(self._place.with_names_quoted(question)), self._is_place)
        return _with_copies(self._understood(question))

    def _is_place(self, said: str) -> bool:
        name = said.strip('`"“”')
        return "://" in name or self._place.exists(self._place.found(name))

    def _understood(self, question: str) -> list[Task | Clause]:
        leans = self.leans(question)
        if leans and (found := self._after_turn(question)):
            return [*found]
        alone = self._tasks(question)
        if not self._history or len(question) > LONGEST_FOLLOW_UP:
            return alone
        tasks = [one for one in alone if isinstance(one, Task)]
        is_open = leans or any(self._may_be_of_those(one, question) for one in tasks)
        if len(tasks) == len(alone) and not is_open:
            return alone
        found = None if leans else self._after_turn(question)
        if found is None and is_open and any(one.asked for one in tasks):
            return [Clause(question)]  # it speaks of something before that was not understood
        return [*found] if found else alone

    def _tasks(self, question: str) -> list[Task | Clause]:
        parts = clauses(question)
        whole = self._task(Clause(question), [])
        goes_on = any(one.refers_back and _THEN.search(one.before) for one in parts[1:])
        if whole is not None and not (goes_on and whole.call.tool == ANALYZE):  # rows do not show it to me then
            return [whole]
        if len(parts) > MAX_STEPS:
            return [Clause(question)]
        read: list[Task | Clause] = []
        at = 0
        while at < len(parts):
            before = [one for one in read if isinstance(one, Task)]
            task, end = None, min(len(parts), at + LONGEST_GROUP)
            while task is None and end > at and not (end == at + 1 < len(parts) and only_says_which(parts[at].text)):
                task = self._task(joined(parts[at:end]), before) if (at, end) != (0, len(parts)) else None
                end -= 1
            read.append(self._in_order(task, before, parts[at].joint) if task else parts[at])
            at = end + 1 if task else at + 1
        told = any(isinstance(one, Clause) and _FIGURE.search(one.text) and not asks(one.text) for one in read)
        if told and any(isinstance(one, Task) and one.call.tool in {CALCULATE, GET_TIME} for one in read):
            return [
                Clause(question)
            ]  # 24匹马，每匹每天6.5公斤: what is worked out needs the figure that was not understood
        return read

    def _in_order(self, task: Task, before: Sequence[Task], joint: str) -> Task:
        """A task that waits for those before it where order matters: as said, or as both touch what one changes."""
        waits = [
            one.steps[-1].id
            for one in before
            if joint == "then" or ((self.acts(task) or self.acts(one)) and not task.places.isdisjoint(one.places))
        ]
        first = task.steps[0]
        after = list(dict.fromkeys([*first.dependencies, *waits]))
        return replace(task, steps=(first.model_copy(update={"dependencies": after}), *task.steps[1:]))

    def _task(self, clause: Clause, before: Sequence[Task]) -> Task | None:
        text = clause.text
        if not before:
            return self._alone(text, 1)
        first = before[-1].next_number
        if clause.refers_back or clause.joint == "then" or find_change(text, "it") is not None:
            found = self._about(text, before, first)
            if found is not None or clause.refers_back:
                return found
        found = self._alone(text, first)
        if found is not None and not self._strays(found, before):
            return found
        # …, 写入 a.txt: what is written is what was found; 都是谁: of what was found
        more = self._about_rows(text, before[-1], first) if before[-1].asked is not None else None
        return more or self._done(text, first, before[-1])

    def _strays(self, found: Task, before: Sequence[Task]) -> bool:
        """Whether a clause that follows others asks nothing itself, or of rows that are not those spoken of before."""
        if found.call.tool == ANALYZE and (_is_open(found) or not asks(found.text)):
            return True
        if found.asked is None:
            return False
        of_all = found.asked.named or found.asked.query.conditions or _OF_ALL.search(found.text)
        if found.asked.query.extreme and _is_narrowed(before[-1]) and not of_all:
            return True  # which has the most of those
        named = any(one.kind in {"path", "quoted", "url"} for one in self._mentions(found.text))
        sources = {place for one in before for place in one.places}
        return not named and bool(sources) and found.asked.table.path not in sources

    # by itself

    def _alone(self, text: str, first: int, *, of_one: bool = False) -> Task | None:
        """A clause that needs no other; `of_one`: it is known to be about one thing."""
        expression, time = find_arithmetic(text), read_time_question(text, self._today)
        is_figure = expression is not None or time is not None
        if is_conditional(text) and not _ASKS_WHEN.match(text) and not is_figure:
            return None
        if (named := self._named(text)) is not None:
            return self._of_named(text, *named, first)
        if (found := self._calculated(text, first, expression)) is not None:
            return found
        if time is not None and self._has(GET_TIME):
            return _task(text, first, Call(tool=GET_TIME, arguments=time))
        readings = self._deeds.readings(text)
        if readings:  # of two calls that fit, none is taken
            return _of_deed(text, first, readings[0]) if len(readings) == 1 else None
        if not is_figure:
            found = self._rows(text, first) or self._kept(text, first) or self._of_address(text, first)
            found = found or self._of_told_date(text, first) or (None if of_one else self._several(text, first))
        return found or self._called(text, first)

    def _of_told_date(self, text: str, first: int) -> Task | None:
        """A question about a day that a file tells."""
        meant = with_told_date(text, self._place, self._today) if self._has(GET_TIME) else None
        time = read_time_question(meant, self._today) if meant else None
        return _task(text, first, Call(tool=GET_TIME, arguments=time)) if time else None

    def _calculated(self, text: str, first: int, expression: str | None) -> Task | None:
        if expression is None or not self._has(CALCULATE):
            return None
        return _task(text, first, Call(tool=CALCULATE, arguments={"expression": expression}))

    def _called(self, text: str, first: int, earlier: Step | None = None) -> Task | None:
        """The call of a tool that has no sentences."""
        deed = self._by_schema.read(text, earlier=earlier)
        return None if deed is None else _of_deed(text, first, deed)

    def _has(self, tool: str) -> bool:
        return self._scope.equipment.hub.registry.get(tool) is not None and self._scope.allows(tool)

    def _mentions(self, text: str) -> tuple[Mention, ...]:
        return find_mentions(text, self._today)

    def _named(self, text: str) -> tuple[str, str] | None:
        """The rest of a text that names a tool by its id, and the tool."""
        for spec in self._scope.equipment.hub.registry:
            name = spec.tool_id
            if ("/" in name or "_" in name) and name.lower() in text.lower() and self._scope.allows(name):
                return re.sub(re.escape(name), " ", text, flags=re.IGNORECASE), name
        return None

    def _of_named(self, text: str, rest: str, name: str, first: int) -> Task | None:
        deed = self._deeds.read(_USES.sub("", rest).strip(" ,，:："), only=[name])
        deed = deed or self._by_schema.of_named(rest, [name])
        return None if deed is None else _of_deed(text, first, deed)

    def _rows(self, text: str, first: int) -> Task | None:
        """A question about the rows of what a phrase in it stands for, or of a file."""
        if len(text) > LONGEST_ABOUT_ROWS or not self._has(ANALYZE) or is_demonstrative(text):
            return None
        for start, end, _ in [*find_listed("whole", text)][:1]:  # all of it is meant where no folder is named
            text = f"{_INSIDE.sub('', text[:start])} {text[end:].lstrip('里中内')}"
        for phrase in self._deeds.row_phrases(text):
            if (read := self._of_phrase(text, phrase, first)) is not None:
                return read
        found = None if _FILES.search(text) else read_in_workspace(text, self._place, self._today)
        return None if found is None else self._of_file(text, found, first)

    def _of_phrase(self, text: str, phrase: RowPhrase, first: int) -> Task | None:
        before, after = phrase.text[: phrase.start], phrase.text[phrase.end :]
        if _ONE.search(phrase.text[: phrase.end]) and not _OF_SEVERAL.search(phrase.text):
            return None  # which one is not said
        if _FOLDERS.search(before + after):
            return None  # which folder has the most files: it is asked of folders
        called = str(phrase.deed.gives["called"]).split("|")
        rest = f"{before} {called[0] if phrase.text.isascii() else called[-1]} {after}"
        fetched = _of_deed(text, first, phrase.deed)
        return self._of_result(text, rest, fetched, fetched.steps)

    def _of_file(self, text: str, found: RowQuestion, first: int) -> Task:
        call = self._query(found, {"path": found.table.path})
        return replace(_task(text, first, call, {"rows": "rows"}), asked=found)

    def _query(self, found: RowQuestion, source: dict[str, Any]) -> Call:
        language = self._scope.language
        sql = sql_of(found.query, found.table.rows_with(columns_of(found.query)), language)
        arguments = {**source, "sql": sql, "limit": found.query.limit or ROWS_ASKED}
        several = len({one.column for one in found.query.conditions}) > 1
        about = told(found, language)
        return Call(tool=ANALYZE, action="query", arguments=arguments, about=about, must_find=several)

    def _of_result(self, text: str, rest: str, fetched: Task, steps: tuple[Step, ...] = ()) -> Task | None:
        """What is asked of the rows that an earlier step gives."""
        gives, first = fetched.gives, fetched.next_number
        if not gives.get("rows") or not gives.get("columns"):
            return None
        each = gives.get("each", {})
        columns = {**gives["columns"], **each.get("columns", {})}
        label = ", ".join(str(value) for value in fetched.call.arguments.values() if isinstance(value, str))
        names = str(gives.get("called", "")).split("|")
        table = table_of_columns(
            label or fetched.call.tool, columns, names, gives.get("named", ""), gives.get("measure", "")
        )
        found = read_row_question(Question(rest), [table], self._today, named=True)
        if found is None:
            return None
        source = f"{{{{{fetched.steps[-1].id}.{gives['rows']}}}}}"
        if columns_of(found.query) - gives["columns"].keys():
            one = Call(tool=each["tool"], arguments={n: f"{{{{item.{c}}}}}" for n, c in each["arguments"].items()})
            loop = ForEach(step=fetched.steps[-1].id, path=gives["rows"])
            steps = (*steps, _step(first, text, one, for_each=loop))
            source, first = f"{{{{s{first}}}}}", first + 1
        asked = _step(first, text, self._query(found, {"rows": source}))
        one_file = {"file": "rows[0].path"} if found.query.extreme and gives.get("named") == "path" else {}
        return Task(text, (*steps, asked), {"rows": "rows", **one_file})

    def _kept(self, text: str, first: int, last: Task | None = None) -> Task | None:
        """Something that is found and written down in one breath: save the average price to a.txt, 把…另存为….

        After another (`last`) it is something of what that one found: save just their names to a.txt.
        """
        plain, form = without_form(text)
        where, _, rest = led(plain)
        whom = _FOR_WHOM.match(rest)
        rest = rest[whom.end() :] if whom else rest
        deed = self._deeds.read_kept(rest)
        if deed is None:
            return None
        what = FULL_NAME.sub(r"\1 names and \2 names", deed.call.arguments["content"])
        path = Path(deed.call.arguments["path"])
        if last is None:
            what = _THOSE_ROWS.sub("的记录", _WHOEVER.sub(r"who\1", what))
            found = self._alone(f"{where}, {what}" if where else what, first, of_one=True)
        else:
            found = self._about_rows(what, last, first) if last.asked else None
        figures = [one.asked.query.measures for one in (last, found) if one and one.asked]
        if found is None or self.acts(found) or (last and all(figures)):
            return None  # the number that is to be written is not how many there are of it
        is_table = path.suffix.lower() in TABLES
        for_some = whom and (found.asked is None or says_which(whom[0], found.asked.table, self._today))
        if for_some or (is_table and deed.call.arguments.get("mode") == "append_line"):
            return None  # rows of one table are none of another; for the Leeds branch: of which rows it is
        found = self._shaped(found, form, what, is_table=is_table)
        if found is None or not _fits(form, found, is_table=is_table):
            return None
        content = {**deed.call.arguments, "content": found.reference("content")}
        written = _step(found.next_number, text, deed.call.model_copy(update={"arguments": content}))
        return Task(text, (*found.steps, written), deed.gives)

    def _shaped(self, found: Task, form: Form, what: str, *, is_table: bool) -> Task | None:
        """What was found, as it shall stand in a file; None where the form cannot be had, or columns say which rows."""
        asked = found.asked if found.asked and found.asked.table.path.endswith((".csv", ".tsv")) else None
        if asked is None:
            return None if form.changes else found
        rows = re.match(r"(?:all )?(?:the )?([a-z]+?)s?\b|(?:所有)?", what)
        if is_table and all(
            one in asked.table.stem or (rows and form.heading and one == rows[1]) for one in asked.query.shown
        ):
            asked = replace(asked, query=replace(asked.query, shown=[], distinct=False))  # the lots of lots.csv
        if len(asked.query.shown) > 1 and not (form.wish or _LISTED.search(what)):
            return None  # 对东西过敏的孩子的姓名: one of them says which rows
        shaped = formed(asked, form, self._today)
        if shaped is None:
            return None
        is_line = form.wish or form.said & {"each", "form"} or separator(shaped.query.shown) == " "
        between = separator(shaped.query.shown) if is_line and not is_table else ""
        return _as_written(found, shaped, between, form.heading)

    def _of_address(self, text: str, first: int) -> Task | None:
        """What a page or an API says: it is fetched, and the question read when it is there."""
        asked = asked_of_address(text, self._today)
        if asked is None or not self._has(ANALYZE) or LEADS.match(text):
            return None
        url, question = asked
        is_json = is_api(url, text)
        fetch = self._deeds.read(f"GET {url}" if is_json else f"read {url}")
        if fetch is None:
            return None
        arguments = {**fetch.call.arguments, **({} if is_json else {"tables": True})}
        got = _step(first, text, fetch.call.model_copy(update={"arguments": arguments}))
        rows = f"{{{{{got.id}{'.json' if is_json else ''}}}}}"
        call = Call(tool=ANALYZE, action="query", arguments={"rows": rows}, about=url, must_find=True, reads=question)
        return Task(text, (got, _step(first + 1, text, call)), {"rows": "rows"})

    def _several(self, text: str, first: int) -> Task | None:
        """One clause about several things, as a task for each: the time in Paris and in Berlin."""
        if len(text) > LONGEST_ABOUT_ROWS or _THEN.search(text):
            return None
        for texts in texts_about_each(text, self._today, self._letters_of_name):
            tasks: list[Task] = []
            for one in texts:
                task = self._alone(one, tasks[-1].next_number if tasks else first, of_one=True)
                if task is None or (self.acts(task) and (self._is_again(task, tasks) or _EITHER.search(text))):
                    break
                tasks += _without_known(task, [step for done in tasks for step in done.steps])
            else:
                return Task(text, tuple(step for task in tasks for step in task.steps), {})
        return None

    def _is_again(self, task: Task, before: Sequence[Task]) -> bool:
        """Whether something is done once more with the same file, or with none: that would undo or double it."""
        path = task.call.arguments.get("path")
        known = path is not None or task.call.tool in self._deeds.tools
        return known and path in [one.call.arguments.get("path") for one in before]

    def _letters_of_name(self, text: str) -> int | None:
        deed = self._deeds.read(text)
        return deed.loose if deed is not None and deed.look_up else None

    # after another

    def _about(self, text: str, before: Sequence[Task], first: int) -> Task | None:
        """A clause that speaks of what earlier ones gave."""
        last = before[-1]
        changed = self._calculated(text, first, _changed(text, last))
        found = changed if last.asked is None else None
        found = found or self._about_rows(text, last, first) or changed
        found = found or self._done(text, first, last) or self._kept(text, first, last)
        if found is not None:
            return found
        for meant in self._with_names(text, [task.text for task in before]):
            found = self._alone(meant, first)
            # they are the rows that were found, of which it was read already
            again = found is not None and found.asked and last.asked and _ROWS_BEFORE.search(text)
            if found is not None and not again and not (_is_narrowed(last) and _is_of_all(found)):
                return replace(found, text=text)
        called = self._called(text, first, last.steps[-1])
        return called if called is not None and called.steps[-1].dependencies else None  # else it speaks for itself

    def _done(self, text: str, first: int, last: Task) -> Task | None:
        """What a sentence asks to be done with an earlier result."""
        content = last.reference("content")
        plain, form = without_form(text)
        deed = self._deeds.read(plain, earlier=content)
        if deed is not None and form != Form():
            is_table = Path(str(deed.call.arguments.get("path"))).suffix.lower() in TABLES
            if form.changes or "content" not in deed.call.arguments or not _fits(form, last, is_table=is_table):
                return None
        if deed is not None and deed.call.arguments.get("path") == content:  # a file that was found
            if "file" not in last.gives:
                return None
            found = deed.call.model_copy(update={"arguments": {**deed.call.arguments, "path": last.reference("file")}})
            deed = replace(deed, call=found)
        return None if deed is None else _of_deed(text, first, deed)

    def _about_rows(self, text: str, last: Task, first: int) -> Task | None:
        if not self._has(ANALYZE):
            return None
        if last.asked is None:
            return self._of_result(text, text, last)
        found = read_after(text, last.asked, self._today)
        return None if found is None else self._of_file(text, found, first)

    def _with_names(self, text: str, before: Sequence[str]) -> Iterator[str]:
        """The text with what earlier ones named: in the place of the word that stands for it, or behind the rest."""
        said = STANDS_FOR.search(text)
        if said is None and self._deeds.read_kept(text) is not None:
            return  # the result is written, not what it was found in
        kinds = {"date"} if said and said["date"] else {"path", "url", "place", "quoted"}
        kinds -= {one.kind for one in self._mentions(text)}
        for one in [one for said_before in reversed(before) for one in reversed(self._mentions(said_before))]:
            if one.kind not in kinds or one.value == self._today:
                continue
            if said:
                yield f"{text[: said.start()]} {one.text} {text[said.end() :]}"
            else:
                yield f"{text} in {one.text}" if text.isascii() else f"{one.text} {text}"

    # after another turn

    def _after_turn(self, question: str) -> list[Task] | None:
        """What a question means after the ones before it; None where they give it no meaning."""
        said = [turn.text for turn in self._history if turn.role == "user"]
        if not said:
            return None
        tasks = self._before
        # one that leaned itself stands for what it meant
        before = tasks[-1].text if tasks and leans(said[-1]) else said[-1]
        question = dated(question.strip(), before, self._today)
        alone = bare(question)
        if (found := self._calculated(question, 1, find_arithmetic(alone))) is not None:
            return [found]
        if tasks and not any(map(self.acts, tasks)):
            for text in dict.fromkeys([question, alone]):
                if (found := self._about(text, tasks, tasks[-1].next_number)) is not None:
                    needed = any(f"{{{{{task.steps[-1].id}" in str(found.steps) for task in tasks)
                    return [*(_for(task, question) for task in tasks), found] if needed else [found]
        if not tasks and _ROWS_BEFORE.search(question):
            return None  # of which rows is not known
        narrowed = not tasks or _is_narrowed(tasks[-1])
        named = self._with_names(alone, [before]) if STANDS_FOR.search(alone) else ()
        for meant in (*named, *with_one_changed(before, alone, self._today)):
            task = self._alone(meant, 1)
            asked = task.asked.query if task is not None and task.asked is not None else None
            open_ = asked is not None and not (
                tasks or asked.conditions or asked.groups or asked.order
            )  # who drove it?
            of_all = task is not None and (open_ or _is_of_all(task))
            if task is not None and not self.acts(task) and not (narrowed and of_all):
                return [task]
        return self._done_again(before, alone)

    def _done_again(self, before: str, said: str) -> list[Task] | None:
        """What was done before with one other thing: and in config? 那工人文件夹呢; None where it may be several."""
        last = self._before[0] if len(self._before) == 1 else None
        if last is None or last.asked or self.acts(last) or last.call.tool in {CALCULATE, GET_TIME, ANALYZE}:
            return None
        found: list[Task] = []
        for text in with_a_word_changed(before, said, self._today):
            deed = self._deeds.read(text)
            if deed is None or (deed.call.tool, deed.call.action) != (last.call.tool, last.call.action):
                continue
            pairs = deed.call.arguments.items() ^ last.call.arguments.items() if deed.look_up is None else ()
            if {name for name, _ in pairs} == {"path"} and deed.call not in [one.call for one in found]:
                found.append(_of_deed(said, 1, deed))
        return found if len(found) == 1 else None

    def with_changes(self, question: str) -> tuple[str, list[str]]:
        """The question before one that leans, where no call was read from it, and what it is with this one's words."""
        said = [turn.text for turn in self._history if turn.role == "user"]
        if not self.leans(question) or self._before or leans(said[-1]):
            return "", []
        alone = bare(dated(question.strip(), said[-1], self._today))
        whole = with_one_changed(said[-1], alone, self._today)
        return said[-1], whole or [*with_a_word_changed(said[-1], alone, self._today)]

    @cached_property
    def _before(self) -> list[Task]:
        """What was understood of the last question."""
        said = [at for at, turn in enumerate(self._history) if turn.role == "user"]
        if not said:
            return []
        earlier = Reader(self._scope, self._history[said[-TURNS_BACK:][0] : said[-1]])
        earlier._loop = self._loop
        read = earlier._read(self._history[said[-1]].text)
        tasks = [one for one in read if isinstance(one, Task)]
        return tasks if len(tasks) == len(read) else []  # else it is not known which part is meant

    def _may_be_of_those(self, task: Task, question: str) -> bool:
        """Whether a question that says of no rows which may be one of those that were found before."""
        if task.asked is None:
            return False
        if not self._before:
            of_all = not task.asked.query.conditions and (_is_open(task) or _is_of_all(task))
            return of_all or self._is_elsewhere(task.asked)
        if task.asked.query.conditions:
            return self._may_narrow(task.asked, question)
        if _is_open(task) or (_HE.search(question) and _is_of_all(task)):
            return True
        last = self._before[-1].asked
        if last is None or task.asked.named or last.table.path != task.asked.table.path:
            return False
        return _is_narrowed(self._before[-1]) and not _OF_ALL.search(question)

    def _is_elsewhere(self, asked: RowQuestion) -> bool:
        """Whether the last question was of another file, and this one does not say that it is of its own."""
        last = next(turn.text for turn in reversed(self._history) if turn.role == "user")
        files = {self._place.found(str(one.value)) for one in self._mentions(last) if one.kind == "path"}
        return bool(files) and not asked.named and asked.table.path not in files

    def _may_narrow(self, asked: RowQuestion, question: str) -> bool:
        """Whether a question says which rows by other columns than the one before did, of the same table."""
        last = self._before[-1].asked if self._before else None
        if last is None or asked.named or last.table.path != asked.table.path or _OF_ALL.search(question):
            return False
        before = {one.column for one in last.query.conditions}
        return bool(before) and before.isdisjoint(one.column for one in asked.query.conditions)


def _as_written(found: Task, asked: RowQuestion, separator: str = "", heading: Sequence[str] = ()) -> Task:
    """What was found with its cells as the file has them: the copy of a row is the row, 3.50, not 3.5."""
    rows = asked.table.rows_with(columns_of(asked.query))
    sql = sql_as_written(asked.query, rows, separator)
    if sql is None and not heading:
        return found
    sql = sql or str(found.call.arguments["sql"])
    if heading:
        sql = f"SELECT * FROM ({sql}) AS headed({', '.join(map(quoted, heading))})"  # noqa: S608  names are quoted
    arguments = {**found.call.arguments, "sql": sql, "limit": MOST_COPIED}
    call = found.call.model_copy(update={"arguments": arguments, "must_find": True})
    return replace(found, steps=(*found.steps[:-1], found.steps[-1].model_copy(update={"call": call})))


def _with_copies(read: Sequence[Task | Clause]) -> list[Task | Clause]:
    """The tasks, where rows of a file that a later one writes down are as they stand there."""
    written = {str(call.arguments.get("content")) for one in read if isinstance(one, Task) for call in one.calls}
    return [
        _as_written(one, one.asked)
        if isinstance(one, Task)
        and one.asked
        and one.reference("content") in written
        and one.asked.table.path.endswith((".csv", ".tsv"))
        else one
        for one in read
    ]


def _fits(form: Form, found: Task, *, is_table: bool) -> bool:
    """Whether what was found can stand in a file in a form: a table has a heading, a text has none."""
    sql = str(found.call.arguments.get("sql"))
    whole = "SELECT *" in sql or "SELECT written.*" in sql
    otherwise = (
        *(("bare",) if is_table else ("header", "commas")),
        "order" if "SELECT DISTINCT" in sql else "each" if whole else "",
    )
    return form.said.isdisjoint(otherwise) and (is_table or not form.heading)


def _changed(text: str, last: Task) -> str | None:
    """What a text asks to do with the figure that was found, in the unit of its column: in Fahrenheit?"""
    asked = last.asked.query if last.asked else None
    told = [*asked.shown, *(one.column for one in asked.measures if one.column)] if asked and not asked.groups else []
    unit = unit_of(told[0]) if len(told) == 1 else None
    degrees = _DEGREES.search(told[0]) if len(told) == 1 else None
    name = f"°{degrees[1].upper()}" if degrees else unit.symbol if unit else ""
    found = find_change(text, f"{_ANY} {name}") if name else None
    return found.replace(_ANY, last.reference("number")) if found else find_change(text, last.reference("number"))


def only_says_which(text: str) -> bool:
    """Whether a clause asks nothing and only says of which rows the next one asks: 还在运输中的，金额一共多少."""
    return _SAYS_WHICH.search(text) is not None and not asks(text)


def _step(number: int, text: str, call: Call, *, for_each: ForEach | None = None) -> Step:
    needs = re.findall(r"\{\{(s\d+)[.#}\[]", str(call.arguments)) + ([for_each.step] if for_each else [])
    after = list(dict.fromkeys(needs))
    return Step(id=f"s{number}", description=text, tool=call.tool, call=call, dependencies=after, for_each=for_each)


def _task(text: str, first: int, call: Call, gives: Mapping[str, Any] | None = None) -> Task:
    return Task(text, (_step(first, text, call),), gives or {})


def _for(task: Task, question: str) -> Task:
    """A task that is done for the sake of another question."""
    return replace(task, steps=tuple(one.model_copy(update={"description": question}) for one in task.steps))


def _of_deed(text: str, first: int, deed: Deed) -> Task:
    if deed.look_up is None:
        return _task(text, first, deed.call, deed.gives)
    known = deed.call.arguments
    found = {name: f"{{{{s{first}.{name}}}}}" for name, value in known.items() if name == value}  # what is looked up
    call = deed.call.model_copy(update={"arguments": {**known, **found}})
    return Task(text, (_step(first, text, deed.look_up), _step(first + 1, text, call)), deed.gives)


def _without_known(task: Task, known: Sequence[Step]) -> list[Task]:
    """A task without a look-up that an earlier one has made, of which it takes it; nothing where all is known."""
    looked_up = [(step.id, one.id) for step in task.steps[:-1] for one in known if one.call == step.call]
    for own, earlier in looked_up[:1]:
        arguments = {
            name: value.replace(f"{{{{{own}.", f"{{{{{earlier}.") if isinstance(value, str) else value
            for name, value in task.call.arguments.items()
        }
        call = task.call.model_copy(update={"arguments": arguments})
        task = replace(task, steps=(_step(int(own[1:]), task.text, call),))
    return [] if any(one.call == task.call for one in known) else [task]


def _is_open(task: Task) -> bool:
    """Whether a question asks for something of rows and does not say of which: who is the manager?"""
    asked = task.asked.query if task.asked else None
    if asked is None or asked.conditions or asked.groups or asked.limit or asked.share:
        return False
    bare = (bool(asked.shown) or (task.asked is not None and task.asked.loosely)) and not asked.order
    bare = bare or (bool(asked.extreme) and not asked.shown and not asked.measures)  # which is the cheapest?
    return bare and not any(one.kind == "path" for one in find_mentions(task.text, date.min))


def _is_narrowed(task: Task) -> bool:
    """Whether a question found some of the rows there are: what goes on from it is asked of those."""
    return task.asked is not None and bool(task.asked.query.conditions or task.asked.query.extreme)


def _is_of_all(task: Task) -> bool:
    """Whether a short question asks for a figure of all rows there are: what is the total?"""
    asked = task.asked.query if task.asked else None
    return asked is not None and bool(asked.measures) and not asked.conditions and not asked.groups
