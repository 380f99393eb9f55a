"""A question read whole, without a model: its clauses as tasks, each a call or a few, and what later ones take of them.

A clause is something that is worked out, something that is done (`deeds`), something that is asked of rows
(`row_question`), or meant for a tool that brings no sentences (`schema_call`). A clause that speaks of an earlier one
is read with what that one gives: its number, its rows, its text, or the file it names. A question that follows another
is read in the same way, with the other one before it.
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
from switchyard.agents.by_rules.pieces import Place, without_courtesy
from switchyard.agents.by_rules.query import Measure, Query, columns_of, sql_as_written, sql_of
from switchyard.agents.by_rules.row_question import (
    LONGEST_ABOUT_ROWS,
    ROWS_ASKED,
    RowQuestion,
    read_after,
    read_in_workspace,
    read_row_question,
    told,
)
from switchyard.agents.by_rules.schema_call import SchemaCalls, acts
from switchyard.agents.by_rules.several import texts_about_each
from switchyard.agents.by_rules.world import table_of_columns
from switchyard.agents.scope import RunScope
from switchyard.language.arithmetic import find_arithmetic, find_change
from switchyard.language.asides import Question, without_aside
from switchyard.language.clauses import Clause, clauses, joined
from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.time_questions import read_time_question
from switchyard.language.units import find_units
from switchyard.language.words import courtesy, is_conditional, is_demonstrative, language_of
from switchyard.ledger.plan import MAX_STEPS, Call, ForEach, Step
from switchyard.toolhub.recall.query import Scored
from switchyard.toolhub.sentences import find_listed
from switchyard.tools.core.context import Turn


@cache
def _threads(_process: int) -> ThreadPoolExecutor:
    """Its own: a reading waits for the event loop, which must not wait for a thread that a reading has."""
    return ThreadPoolExecutor(4, "reading")


CALCULATE, GET_TIME, ANALYZE = "calculate", "get_time", "data_analyzer"
LONGEST_GROUP = 4
"""Clauses that may be one task together."""
TURNS_BACK = 6
LONGEST_FOLLOW_UP = 80
"""Characters of a question that may lean on the one before."""

_LEADS = re.compile(
    r"^(?:and|but|or|so|what about|how about|what if|ok(?:ay)?|now|then|also|only|just|same for"
    r"|那么?(?!一?天)|那如果|换成|换作|改成|再|然后|如果是|只看|只要)(?![a-z])[\s,，]*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:的话)?呢?[?？。.!！\s]*$")
_LEANS = re.compile(
    rf"(?i){_LEADS.pattern}|呢[?？。\s]*$|\b(?:instead|too|as well)[?.\s]*$"
    r"|\b(?:they|them|their|those|these|he|she|his|her|its)\b|(?<!is )\bit\b|\b(?:of|is|was) that\b"
    r"|其中|^里面|[他她它]|这些|那些"
)
_THOSE = re.compile(r"(?i)\b(?:they|them|their|those|these)\b|其中|他们|她们|它们|这些|那些")
"""Words for what was found before: without it they say nothing."""
_SAYS_MORE = re.compile(
    r"(?i)(?!(?:in|at|on|for|to|of|the|a|an|from|with|about)\b)\b[a-z]{2,}|(?![里的在到吗是把成用按])[\u3400-\u9fff]"
)
"""What a question says beside a thing that takes the place of another."""
_IT = re.compile(
    r"(?i)\b(?:(?:this|that|the) (?:file|folder|page|table|document|site|url|city|place)|it|them|there)\b"
    r"|(?:这个|那个|该|这份|那份)(?:文件夹|文件|目录|网页|页面|表格?|文档|城市|地方)|它们?|那里|那儿|那边|当地|里面"
)
_THE_TWO = re.compile(r"(?i)\b(?:the two|these two|those two|both|them)\b|两者|两个|这两|那两|它俩|二者")
_NEXT = re.compile(
    r"(?i)(?:(?:which|who|what)(?: one)? )?(?:is |was |comes |came )?(?:in )?(?:the )?(?:next|second|(?P<third>third))"
    r"(?: (?:place|one))?(?:,? (?:and )?how (?:much|many))?"
    r"|(?:排|那)?(?:第二|其次|(?P<zh>第三))[名位个家]?的?(?:是|呢)?(?:哪[个家位]?|谁)?(?:[，,]是?多少)?"
)
"""The one behind the one that was found."""
_FOLDERS = re.compile(r"(?i)\b(?:sub)?(?:folders?|director(?:y|ies))\b|文件夹|目录")
_INSIDE = re.compile(r"(?i)\b(?:in|of|across|within|inside)\s*$|在$")
_THAT_DAY = re.compile(r"(?i)\b(?:that|the same) (?:day|date)\b|那一?天|当天|同一天")
_TODAY_DATED = re.compile(r"(?i)(?:\btoday|今[天日])\s*[(（](?P<date>[^()（）]{3,30})[)）]")
_FILE_NAMES = re.compile(
    r"(?i)(?<=[^\s?？,，。.;；])[?？,，。.;；]\s?(?:just |only )?(?:the )?file ?names?(?: only)?(?: please)?[.!?]?$"
    r"|(?<=[^\s?？,，。.;；])[?？,，。；]\s?(?:只要|只给|给我?|只列|列出?)文件名(?:就行|就好|即可|就可以)?[。！]?$"
)
"""That the files are to be named, behind what asks for files: they are."""
_IN_ENGLISH = ("{} in {}", "{} are in {}", "{} of {}", "{} does {} have")
_IN_CHINESE = ("{1} {0}", "{1}里{0}")
"""A question with the place that the one before it named."""
_EITHER = re.compile(r"(?i)\bor\b|或|还是|呢[?？。\s]*$")
"""One or the other, or a question about the other: not both."""
TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl"})
_TOTALS = tuple(
    (re.compile(said, re.IGNORECASE), function)
    for said, function in (
        (r"\b(?:average|mean)\b|平均", "mean"),
        (r"\b(?:difference|differ)\b|相差|之差|差多少", "distance"),
        (r"\bmultiply (?:them|both|the two)\b|相乘|乘积|之积", "product"),
        (r"\b(?:sum|total|together|add (?:them|both|the two|up))\b|相加|加起来|总和|之和|合计|加在一起", "sum"),
    )
)
_ASKS_WHEN = re.compile(r"(?i)when (?:is|was|were|did|does|do|will|are)\b")
_PLACES = frozenset({"path", "output", "url"})
_OF_ALL = re.compile(r"(?i)\b(?:all|total|altogether|overall|every|each|average)\b|所有|全部|一共|总共|合计|平均|各")
_HE = re.compile(r"(?i)\b(?:he|she|his|her|they|their)\b|他|她")
"""Somebody who was spoken of before: never everybody."""
BOTH = 2
LONGEST_KEPT = 500
"""Characters of a clause that finds something and writes it down."""
MOST_COPIED = 1000
"""Rows of a table that are copied into a file; more are declined by the tool."""
_USES = re.compile(r"(?i)^[\s,，:：]+|(?:\b(?:use|using|with|via|ask|the)\b|用|使用|通过)\s*(?=[,，:：]|$)")
_APART = re.compile(
    r"(?i)\b(?:the )?difference (?:between|in|of)\s+|(?:之间)?(?:的差值?|之差|相差|差)(?:是|有)?多少米?|相差"
)
_THEN = re.compile(r"(?i)\bthen\b|然后|接着|再")
_ONE = re.compile(r"(?i)\b(?:the|my|our)\s+(?:\w+\s+)?(?:file|document|script)$|^文件$")
_IN_WHICH = re.compile(r"(?i)in (?:which|what)\b|在?哪[些个几].{0,3}文件[里中]")
_OF_SEVERAL = re.compile(r"(?i)\b(?:most|least|fewest|\w{3,}est|which|each|every)\b|最|每|各|哪|共|合计|平均")
_FILE = r"(?:`[^`]+`|\"[^\"]+\"|“[^”]+”|[\w./-]+\.\w{1,8})"
_NEW = r"(?:(?:an?|the|new|separate|own|csv|json|text|file|table|called|named),?\s+)*"
_TAKE = re.compile(r"(?i)^take (?=(?:the|all)\b)")
_JUST = re.compile(r"(?i)^(?:just|only)\s+|^只?(?:把|将)")
_KEEPS = re.compile(
    r"(?i)(?:save|write|export|put|store|copy|extract|collect|(?P<adds>append|add))\s+(?P<what1>.{4,200}?)\s+(?:to|into|in|as)\s+"
    rf"{_NEW}(?P<path1>{_FILE})\s*[.!]?$"
    rf"|(?:make|create|generate)\s+(?:me\s+)?{_NEW}(?P<path2>{_FILE})\s+"
    r"(?:with|of|containing|from|that (?:has|contains))\s+(?:only\s+|just\s+)?(?P<what2>.{4,200}?)\s*[.!]?$"
    r"|[把将]?(?P<what3>.{3,200}?)(?:(?:帮我|请|给我|都|全部?|单独|另外|一起|[挑筛选找摘提拎算]选?取?一?下?出来|算一下|复制|拷贝|[，,])\s*)*"
    r"(?:(?:另存|另外存|保存|导出|复制|提取|拷贝|存|写|放|(?P<added>追加|添加|加))(?:[为成到进入在]|一份[为成到]?)|整理成|做成)\s*(?:一?[个份])?新?的?(?:文件|表格?)?(?:叫做?|名为)?"
    rf"\s*(?P<path3>{_FILE})\s*[里中]?面?[。！]?$"
)

_ONE_EACH = re.compile(r"(?i)\b(?:one|only the|just the) (?!per\b|a\b)[a-z]|[一每]行一个\w")
"""That one thing of each row is to be written: one name per line."""
_THOSE_ROWS = re.compile(r"的(?:那些|那几[个条行]|所有|全部)?(?:行|人|数据|条目|内容|记录)?$")
"""What stands for the rows that are to be written: 北京的那些, 没付的."""


@dataclass(frozen=True, slots=True)
class Task:
    """A clause that was read: its steps, and what a later clause may take of the last one."""

    text: str
    steps: tuple[Step, ...]
    gives: Mapping[str, Any]
    asked: RowQuestion | None = None
    """What it asks of the rows of a file."""
    parts: "tuple[Task, ...]" = ()
    """Of one about several things, those about each."""

    @property
    def call(self) -> Call:
        """The call its answer comes from."""
        return cast("Call", self.steps[-1].call)

    def reference(self, what: str) -> str:
        """What stands for its number, or its content, in a later call."""
        path = str(self.gives.get(what, ""))
        return f"{{{{{self.steps[-1].id}{f'.{path}' if path else f'#{what}'}}}}}"

    def about(self, question: str) -> "Task":
        """The same, done for the sake of another question."""
        return replace(self, steps=tuple(one.model_copy(update={"description": question}) for one in self.steps))


def leaned_on(history: Sequence[Turn], question: str) -> Sequence[Turn]:
    """What was said before, where a question goes on from it; nothing where it stands alone."""
    return history if len(question) <= LONGEST_FOLLOW_UP and _LEANS.search(question) else ()


class Reader:
    """Reads the questions of one run."""

    def __init__(self, scope: RunScope, history: Sequence[Turn] | None = None) -> None:
        """`history`: what was said before, where it is not all that the run knows."""
        self._scope = scope
        self._history = scope.history if history is None else history
        self._today = scope.equipment.clock().date()
        self._place = Place(scope.equipment.workspace)
        self._deeds = Deeds(scope, self._place)
        self._earlier: dict[int, list[Task]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    @cached_property
    def _by_schema(self) -> SchemaCalls:
        return SchemaCalls(self._scope, self._recall, self._deeds.tools | {CALCULATE, GET_TIME})

    def acts(self, task: Task) -> bool:
        """Whether a task changes or sends something."""
        found = ((self._scope.equipment.hub.registry.get(call.tool), call) for call in _calls(task))
        return any(spec is not None and acts(spec.for_action(call.action)) for spec, call in found)

    def fetches(self, task: Task) -> bool:
        """Whether a task looks at something outside of this machine."""
        return any("url" in call.arguments for call in _calls(task))

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
        plain = _without_form(question, self._mentions(question))
        if plain is None:
            return [Clause(question)]
        read = self._read_whole(plain)
        if self._history and _HE.search(question) and any(map(_is_of_all, read)):
            return [Clause(question)]  # of him, not of all
        written = [one for one in read if isinstance(one, Task) and self.acts(one)] if plain != question else []
        return [Clause(question)] if any(_looks_otherwise(one, question) for one in written) else read

    def _read_whole(self, question: str) -> list[Task | Clause]:
        question = _TODAY_DATED.sub(self._dated, _FILE_NAMES.sub("", question))
        question = without_aside(self._place.with_names_quoted(question))
        may_lean = bool(self._history) and len(question) <= LONGEST_FOLLOW_UP
        if self.leans(question) and (found := self._after_turn(question)):
            return [*found]
        alone = self._tasks(question)
        whole = all(isinstance(one, Task) and not _is_open(one) for one in alone)
        if may_lean and not whole and (found := self._after_turn(question)):
            return [*found]
        if may_lean and self._goes_on(question, alone):
            return [*(self._after_turn(question) or [Clause(question)])]
        back = self.leans(question) or any(isinstance(one, Task) and _is_open(one) for one in alone)
        back = back or (may_lean and not self._tasks_before() and all(map(_is_of_all, alone)))
        if may_lean and back and any(isinstance(one, Task) and one.asked for one in alone):
            return [Clause(question)]  # it speaks of something before that was not understood
        return alone

    def _dated(self, said: re.Match[str]) -> str:
        """The date in the place of today, where a question says which day that is: today (18 November)."""
        named = [one for one in find_mentions(said["date"], self._today) if one.kind == "date"]
        return said["date"] if len(named) == 1 and named[0].text == said["date"].strip() else said[0]

    def is_exact(self, clause: Clause) -> bool:
        """Whether a clause is a calculation, a time, or a call of a tool that it names by its id."""
        if (clause.refers_back or clause.joint != "start") and find_change(clause.text, "it") is not None:
            return True
        exact = find_arithmetic(clause.text) or read_time_question(clause.text, self._today)
        return not clause.refers_back and (exact is not None or self._named(clause.text) is not None)

    def leans(self, question: str) -> bool:
        """Whether a question says that it goes on from the one before: and Berlin, 那上海呢."""
        return bool(leaned_on(self._history, question))

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
            while task is None and end > at:
                task = self._task(joined(parts[at:end]), before) if (at, end) != (0, len(parts)) else None
                end -= 1
            read.append(self._in_order(task, before, parts[at].joint) if task else parts[at])
            at = end + 1 if task else at + 1
        return read

    def _in_order(self, task: Task, before: Sequence[Task], joint: str) -> Task:
        """A task that waits for those before it where order matters: as said, or as both touch what one changes."""
        acts, places = self.acts(task), _places(task)
        awaited = [
            one.steps[-1].id
            for one in before
            if joint == "then" or ((acts or self.acts(one)) and not places.isdisjoint(_places(one)))
        ]
        own = {step.id for step in task.steps}
        after = {step.id: list(dict.fromkeys([*step.dependencies, *awaited])) for step in task.steps}
        steps = [
            step if own.intersection(step.dependencies) else step.model_copy(update={"dependencies": after[step.id]})
            for step in task.steps
        ]
        return replace(task, steps=tuple(steps))

    def _task(self, clause: Clause, before: Sequence[Task]) -> Task | None:
        text = clause.text
        first = 1 + sum(len(task.steps) for task in before)
        goes_on = clause.refers_back or clause.joint == "then" or _total(text) or find_change(text, "it") is not None
        if before and goes_on:
            found = self._about(text, before, first)
            if found is not None or clause.refers_back:
                return found
        found = self._alone(text, first)
        if found is not None and before and (_is_open(found) or _strays(found, before, self._mentions(text))):
            found = None
        if found is None and before:  # …, 写入 a.txt: what is written is what was found; 都是谁: of what was found
            asked = before[-1].asked is not None
            more = self._about_rows(text, before[-1], first) if asked else None
            return more or self._done(text, first, before[-1])
        return found

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
            found = found or (None if of_one else self._several(text, first))
        return found or self._called(text, first)

    def _calculated(self, text: str, first: int, expression: str | None) -> Task | None:
        if expression is None or not self._has(CALCULATE):
            return None
        return _task(text, first, Call(tool=CALCULATE, arguments={"expression": expression}))

    def _done(self, text: str, first: int, last: Task) -> Task | None:
        """What a sentence asks to be done with an earlier result."""
        content = last.reference("content")
        deed = self._deeds.read(text, earlier=content)
        if deed is not None and deed.call.arguments.get("path") == content:  # a file that was found
            if "file" not in last.gives:
                return None
            found = deed.call.model_copy(update={"arguments": {**deed.call.arguments, "path": last.reference("file")}})
            deed = replace(deed, call=found)
        return None if deed is None else _of_deed(text, first, deed)

    def _called(self, text: str, first: int, earlier: Step | None = None) -> Task | None:
        """The call of a tool that has no sentences."""
        deed = self._by_schema.read(text, earlier=earlier)
        return None if deed is None else _of_deed(text, first, deed)

    def _has(self, tool: str) -> bool:
        return self._scope.equipment.hub.registry.get(tool) is not None and self._scope.allows(tool)

    def _mentions(self, text: str) -> tuple[Mention, ...]:
        return find_mentions(text, self._today)

    def _named(self, text: str) -> tuple[str, list[str]] | None:
        """The rest of a text that names a tool by its id, or a server, and the tools that are meant."""
        registry = self._scope.equipment.hub.registry
        said = text.lower()
        for spec in registry:
            name = spec.tool_id.lower()
            if ("/" in name or "_" in name) and name in said and self._scope.allows(spec.tool_id):
                return re.sub(re.escape(name), " ", text, flags=re.IGNORECASE), [spec.tool_id]
        servers = {spec.tool_id.partition("/")[0] for spec in registry if spec.source == "mcp" and "/" in spec.tool_id}
        for server in servers:
            match = re.search(rf"(?<!\w){re.escape(server)}\s*(?:mcp\s*)?(?:server\b|服务器|服务)", text, re.IGNORECASE)
            if match is not None:
                own = [spec.tool_id for spec in registry if spec.tool_id.startswith(f"{server}/")]
                return text[: match.start()] + " " + text[match.end() :], own
        return None

    def _of_named(self, text: str, rest: str, names: list[str], first: int) -> Task | None:
        deed = self._deeds.read(_USES.sub("", rest).strip(" ,，:："), only=names)
        if deed is not None:
            return _of_deed(text, first, deed)
        deed = self._by_schema.of_named(rest, names)
        return None if deed is None else _of_deed(text, first, deed)

    def _rows(self, text: str, first: int) -> Task | None:
        """A question about the rows of what a phrase in it stands for, or of a file."""
        if len(text) > LONGEST_ABOUT_ROWS or not self._has(ANALYZE) or is_demonstrative(text):
            return None
        text = _TAKE.sub("", text)
        for start, end, _ in [*find_listed("whole", text)][:1]:  # all of it is meant where no folder is named
            text = f"{_INSIDE.sub('', text[:start])} {text[end:].lstrip('里中内')}"
        for phrase in self._deeds.row_phrases(text):
            if (read := self._of_phrase(text, phrase, first)) is not None:
                return read
        found = read_in_workspace(text, self._place, self._today)
        return None if found is None else self._of_file(text, found, first)

    def _of_phrase(self, text: str, phrase: RowPhrase, first: int) -> Task | None:
        if _ONE.search(phrase.text[: phrase.end]) and not _OF_SEVERAL.search(phrase.text):
            return None  # which one is not said
        if _IN_WHICH.match(phrase.text):
            return None  # in which files: something that is in them
        called = str(phrase.deed.gives["called"]).split("|")
        name = called[0] if phrase.text.isascii() else called[-1]
        rest = f"{phrase.text[: phrase.start]} {name} {phrase.text[phrase.end :]}"
        if _FOLDERS.search(phrase.text[: phrase.start] + phrase.text[phrase.end :]):
            return None  # which folder has the most files: it is asked of folders
        fetched = _of_deed(text, first, phrase.deed)
        return self._of_result(text, rest, fetched, first + len(fetched.steps), fetched.steps)

    def _of_file(self, text: str, found: RowQuestion, first: int) -> Task:
        call = self._query(found, {"path": found.table.path})
        return replace(_task(text, first, call, {"rows": "rows"}), asked=found)

    def _query(self, found: RowQuestion, source: dict[str, Any]) -> Call:
        language = self._scope.language
        sql = sql_of(found.query, found.table.rows_with(columns_of(found.query)), language)
        arguments = {**source, "sql": sql, "limit": found.query.limit or ROWS_ASKED}
        return Call(tool=ANALYZE, action="query", arguments=arguments, about=told(found, language))

    def _of_result(self, text: str, rest: str, fetched: Task, first: int, steps: tuple[Step, ...] = ()) -> Task | None:
        """What is asked of the rows that an earlier step gives."""
        gives = fetched.gives
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
        match = _KEEPS.match(without_courtesy(text, after=True)) if len(text) <= LONGEST_KEPT else None
        if match is None:
            return None
        what, path = next((match[f"what{n}"], match[f"path{n}"]) for n in (1, 2, 3) if match[f"what{n}"])
        if last is None:
            found = self._alone(_THOSE_ROWS.sub("的记录", what), first, of_one=True)
        else:
            found = self._about_rows(_JUST.sub("", what), last, first) if last.asked else None
        if found is None or self.acts(found):
            return None
        asked = found.asked if found.asked and found.asked.table.path.endswith((".csv", ".tsv")) else None
        as_written = sql_as_written(asked.query) if asked else None
        if as_written:  # the copy of a row is the row, not what is reckoned with: 3.50, not 3.5
            arguments = {**found.call.arguments, "sql": as_written, "limit": MOST_COPIED}
            call = found.call.model_copy(update={"arguments": arguments, "must_find": True})
            found = replace(found, steps=(found.steps[-1].model_copy(update={"call": call}),))
        adds = match["adds"] or match["added"]
        if adds and Path(path).suffix.lower() in TABLES:  # rows of one table are none of another
            return None
        ways = ("append it to", "把它追加到") if adds else ("save it to", "把它保存到")
        said = f"{ways[language_of(text) == 'zh']} {path}"
        written = self._done(said, first + len(found.steps), found)
        return None if written is None else Task(text, (*found.steps, *written.about(text).steps), written.gives)

    def _of_address(self, text: str, first: int) -> Task | None:
        """What a page or an API says: it is fetched, and the question read when it is there."""
        asked = asked_of_address(text, self._today)
        if asked is None or not self._has(ANALYZE) or _LEADS.match(text):
            return None
        url, question = asked
        is_json = is_api(url, text)
        fetch = self._deeds.read(f"GET {url}" if is_json else f"read {url}")
        if fetch is None:
            return None
        arguments = {**fetch.call.arguments, **({} if is_json else {"tables": True})}
        got = _task(text, first, fetch.call.model_copy(update={"arguments": arguments}))
        rows = f"{{{{{got.steps[-1].id}{'.json' if is_json else ''}}}}}"
        call = Call(tool=ANALYZE, action="query", arguments={"rows": rows}, about=url, must_find=True, reads=question)
        return Task(text, (*got.steps, _step(first + 1, text, call)), {"rows": "rows"})

    def _several(self, text: str, first: int) -> Task | None:
        """One clause about several things, as a task for each: the time in Paris and in Berlin."""
        each = _APART.sub("", text, count=1)
        if len(text) > LONGEST_ABOUT_ROWS or _THEN.search(text):
            return None
        for texts in texts_about_each(each, self._today, self._letters_of_name):
            tasks: list[Task] = []
            for one in texts:
                task = self._alone(one, first + sum(len(done.steps) for done in tasks), of_one=True)
                path, written = task and task.call.arguments.get("path"), [t.call.arguments.get("path") for t in tasks]
                known = task is not None and (path is not None or task.call.tool in self._deeds.tools)
                again = (known and path in written) or _EITHER.search(text)
                if task is None or (again and self.acts(task)):
                    break
                fresh = _without_known(task, [step for done in tasks for step in done.steps])
                tasks += [fresh] if fresh.steps else []  # 水位和蓄水量: one call tells both
            else:
                steps = tuple(step for task in tasks for step in task.steps)
                if each == text:
                    return Task(text, steps, {}, parts=tuple(tasks))
                numbers = [task.reference("number") for task in tasks if "number" in task.gives]
                if len(numbers) == len(tasks) == BOTH:
                    apart = self._calculated(text, first + len(steps), f"distance({', '.join(numbers)})")
                    return None if apart is None else replace(apart, steps=(*steps, *apart.steps))
        return None

    def _letters_of_name(self, text: str) -> int | None:
        deed = self._deeds.read(text)
        return deed.loose if deed is not None and deed.look_up else None

    # after another

    def _about(self, text: str, before: Sequence[Task], first: int) -> Task | None:
        """A clause that speaks of what earlier ones gave."""
        last = before[-1]
        total = _total(text)
        numbers = [part.reference("number") for task in before for part in task.parts or (task,)]
        of_all = total and len(numbers) > 1 and not re.search(r"\d", text)
        change = f"{total}({', '.join(numbers)})" if of_all else find_change(text, numbers[-1])
        asked = last.asked is not None and not of_all
        found = self._about_rows(text, last, first) if asked else None
        found = found or self._calculated(text, first, change) or self._about_rows(text, last, first)
        if found := found or self._done(text, first, last) or self._kept(text, first, last):
            return found
        for meant in self._with_names(text, before) if not _KEEPS.match(text) else ():
            if (found := self._alone(meant, first)) is not None:
                return replace(found, text=text)
        called = self._called(text, first, last.steps[-1])
        return called if called is not None and called.steps[-1].dependencies else None  # else it speaks for itself

    def _about_rows(self, text: str, last: Task, first: int) -> Task | None:
        if not self._has(ANALYZE):
            return None
        if last.asked is not None:
            behind = _NEXT.fullmatch(text.strip(" ?？。.")) if last.asked.query.extreme else None
            rank = 3 if behind and (behind["third"] or behind["zh"]) else 2
            found = behind and replace(last.asked, query=replace(last.asked.query, rank=rank))
            found = found or read_after(text, last.asked, self._today)
            if found is None and last.asked.query.extreme and _total(text):  # the highest price … and the average?
                found = read_after(text, replace(last.asked, query=_as_figure(last.asked.query)), self._today)
            return None if found is None else self._of_file(text, found, first)
        return self._of_result(text, text, last, first)

    def _with_names(self, text: str, before: Sequence[Task]) -> Iterator[str]:
        """The text with what earlier ones named in the place of the word that stands for it."""
        if not (said := _IT.search(text)):
            return
        for task in reversed(before):
            for one in reversed(self._mentions(task.text)):
                if one.kind in {"path", "url", "place", "quoted"}:
                    yield f"{text[: said.start()]} {one.text} {text[said.end() :]}"
            written = task.call.arguments.get("path")
            if isinstance(written, str) and task.asked is None:
                yield f"{text[: said.start()]} {written} {text[said.end() :]}"

    def _after_turn(self, question: str) -> list[Task] | None:
        """What a question means after the ones before it; None where they give it no meaning."""
        said = [at for at, turn in enumerate(self._history) if turn.role == "user"]
        if not said:
            return None
        bare = _LEADS.sub("", _ENDS.sub("", question.strip())).strip()
        if found := self._of_answers(question, bare):
            return found
        before = self._history[said[-1]].text
        tasks = self._tasks_before()
        if tasks and _LEANS.search(before):
            before = tasks[-1].text  # one that leaned itself stands for what it meant
        is_safe = tasks and not any(map(self.acts, tasks))
        if is_safe and (found := self._after_tasks(question, bare, tasks)) is not None:
            return found
        asked = tasks[-1].asked if tasks else None
        of_all = asked is not None and not asked.query.conditions  # else it is of those that were chosen before
        for meant in self._resolved(bare, before) if not _THOSE.search(bare) else ():
            if (task := self._alone(meant, 1)) is not None and not self.acts(task) and (of_all or not _is_of_all(task)):
                return [task]
        given = tasks[-1].call.arguments if tasks and re.fullmatch(r"\w+", bare) else {}
        for name, value in given.items():  # which files mention tea? and coffee?
            if isinstance(value, str) and before.count(value) == 1:
                task = self._alone(before.replace(value, bare), 1)
                if task is not None and task.call.arguments == {**given, name: bare} and not self.acts(task):
                    return [task]
        return None

    def _of_answers(self, question: str, bare: str) -> list[Task] | None:
        """What is made of the number of the last answer, or of those of the last two: by how much they differ."""
        total, earlier, last = _total(bare), self._tasks_before(2), self._tasks_before()
        is_safe = len(earlier) == len(last) == 1 and not any(map(self.acts, (*earlier, *last)))
        if total and is_safe and (_THE_TWO.search(bare) or total == "distance"):
            moved = {one.id: f"s{at}" for at, one in enumerate(last[0].steps, 1 + len(earlier[0].steps))}
            second = replace(last[0], steps=tuple(_renamed(step, moved) for step in last[0].steps))
            both = [earlier[0].about(question), second.about(question)]
            numbers = ", ".join(task.reference("number") for task in both)
            made = self._calculated(question, 1 + sum(len(task.steps) for task in both), f"{total}({numbers})")
            return None if made is None else [*both, made]
        answers = [turn.text for turn in self._history if turn.role == "assistant"]
        line = answers[-1].splitlines()[0] if answers and answers[-1] else ""
        said = [one.text for one in self._mentions(line) if one.kind == "number"]
        change = find_change(clauses(question)[0].text, said[-1]) if said and clauses(question) else None
        found = self._calculated(question, 1, find_arithmetic(bare) or change)
        return None if found is None else [found]

    def _goes_on(self, question: str, alone: Sequence[Task | Clause]) -> bool:
        """Whether a question that names no rows is one of those that were found before: how many bags are there."""
        before = (self._tasks_before())[-1:]
        asked = [one.asked for one in (*before, *alone) if isinstance(one, Task) and one.asked is not None]
        if len(asked) != BOTH or asked[0].table.path != asked[1].table.path or asked[1].named:
            return False
        chosen = asked[0].query.conditions or asked[0].query.extreme
        of_those = bool(chosen) and not _OF_ALL.search(question)
        return (of_those or _HE.search(question) is not None) and not asked[1].query.conditions

    def _tasks_before(self, turns: int = 1) -> list[Task]:
        """What was understood of the question so many turns before."""
        said = [at for at, turn in enumerate(self._history) if turn.role == "user"]
        if turns > len(said):
            return []
        if turns not in self._earlier:
            first = said[-TURNS_BACK:][0]  # what was said longer ago says nothing any more
            earlier = Reader(self._scope, self._history[first : said[-turns]])
            earlier._loop = self._loop
            read = earlier._read(self._history[said[-turns]].text)
            whole = all(isinstance(one, Task) for one in read)  # else it is not known which part is meant
            self._earlier[turns] = [one for one in read if whole and isinstance(one, Task)]
        return self._earlier[turns]

    def _after_tasks(self, question: str, bare: str, tasks: Sequence[Task]) -> list[Task] | None:
        """The question as one more clause of the question before; earlier steps are done again where it needs them."""
        first = 1 + sum(len(task.steps) for task in tasks)
        for text in dict.fromkeys([question.strip(), bare]):
            found = self._about(text, tasks, first)
            if found is None:
                continue
            if any(f"{{{{{task.steps[-1].id}" in str(found.steps) for task in tasks):
                return [*(task.about(question) for task in tasks), found]
            from_one = {step.id: f"s{at}" for at, step in enumerate(found.steps, 1)}
            return [replace(found, steps=tuple(_renamed(step, from_one) for step in found.steps))]
        return None

    def _resolved(self, bare: str, before: str) -> Iterator[str]:
        """What a question means after another one, the surest reading first."""
        new, old = self._things(bare), self._things(before)
        days = [one.text for one in old if one.kind == "date" and one.value != self._today]
        if len(days) == 1 and _THAT_DAY.search(bare):
            yield _THAT_DAY.sub(days[0], bare)
        if not _SAYS_MORE.search(hidden(bare, new)):
            yield from _replaced(before, old, new)
        carried = [one for one in old if one.kind not in {m.kind for m in new} and one.kind in {"path", "url", "place"}]
        for one in carried:
            yield from (form.format(bare, one.text) for form in (_IN_ENGLISH if bare.isascii() else _IN_CHINESE))

    def _things(self, text: str) -> list[Mention]:
        """What a text mentions, units too: "and in pounds?" swaps one for another."""
        found = list(self._mentions(text))
        units = [Mention("unit", one.unit, text[one.start : one.end], one.start, one.end) for one in find_units(text)]
        return found + [one for one in units if not any(m.start < one.end and one.start < m.end for m in found)]


@cache
def _form_said() -> re.Pattern[str]:
    said = {side: courtesy(side).replace("…", r"\w{1,12}") for side in ("form", "order", "header", "bare")}
    sides = "|".join(f"(?P<{side}>{one})" for side, one in said.items())
    return re.compile(
        rf"(?i)[\s,，;；.。(（](?:and\s)?(?:{sides})[)）]?(?=[\s,，;；.。!！]|$)|(?P<also>连同?表头(?:一起)?)"
    )


def _without_form(text: str, mentions: Sequence[Mention]) -> str | None:
    """A text without how the file it writes shall look, where it does so anyway; None where it does not."""
    files = [one for one in mentions if one.kind == "path"]
    if not files or len(text) > LONGEST_KEPT or ":" in text or "：" in text:
        return text  # what follows a colon is written as it is
    found = [one for one in _form_said().finditer(text) if not any(m.start < one.start() < m.end for m in mentions)]
    is_table = Path(files[-1].text).suffix.lower() in TABLES
    if any(one["bare"] if is_table else one["header"] or one["also"] for one in found):
        return None
    for one in reversed(found):
        text = text[: one.start()].rstrip(" ,，;；") + text[one.end() :]
    return text


def _looks_otherwise(task: Task, question: str) -> bool:
    """Whether what a task writes is not as a question says: in another order, or more than one thing of each row."""
    asked = " ".join(str(call.arguments.get("sql")) for call in _calls(task))
    whole = "SELECT *" in asked or "SELECT written.*" in asked
    said = list(_form_said().finditer(question))
    sorts = "SELECT DISTINCT" in asked and any(one["order"] for one in said)
    return sorts or (whole and any(_ONE_EACH.search(one[0]) for one in said))


def _as_figure(query: Query) -> Query:
    """What the rows with the highest or lowest of something have there, as the figure it is."""
    measures = [Measure(query.extreme, query.order)] if query.extreme and query.order else query.measures
    return replace(query, measures=measures, extreme=None, order=None, shown=[])


def _total(text: str) -> str | None:
    """What a text asks to make of several numbers."""
    return next((name for said, name in _TOTALS if said.search(text)), None) if len(text) <= LONGEST_FOLLOW_UP else None


def _calls(task: Task) -> Iterator[Call]:
    return (step.call for step in task.steps if step.call is not None)


def _places(task: Task) -> set[str]:
    """The files and addresses a task names."""
    given = (value for call in _calls(task) for name, value in call.arguments.items() if name in _PLACES)
    return {value for value in given if isinstance(value, str)}


def _step(number: int, text: str, call: Call, *, for_each: ForEach | None = None) -> Step:
    needs = re.findall(r"\{\{(s\d+)[.#}\[]", str(call.arguments)) + ([for_each.step] if for_each else [])
    after = list(dict.fromkeys(needs))
    return Step(id=f"s{number}", description=text, tool=call.tool, call=call, dependencies=after, for_each=for_each)


def _task(text: str, first: int, call: Call, gives: Mapping[str, Any] | None = None) -> Task:
    return Task(text, (_step(first, text, call),), gives or {})


def _of_deed(text: str, first: int, deed: Deed) -> Task:
    if deed.look_up is None:
        return _task(text, first, deed.call, deed.gives)
    known = deed.call.arguments
    looked_up = [name for name, value in known.items() if name == value]  # stands for what is looked up
    found = {name: f"{{{{s{first}.{name}}}}}" for name in looked_up}
    call = deed.call.model_copy(update={"arguments": {**known, **found}})
    return Task(text, (_step(first, text, deed.look_up), _step(first + 1, text, call)), deed.gives)


def _renamed(step: Step, names: Mapping[str, str]) -> Step:
    text = step.model_dump_json()
    for old, new in names.items():
        text = re.sub(rf'(?<=\{{\{{){old}(?=[.#}}\[])|(?<="){old}(?=")', new, text)
    return Step.model_validate_json(text)


def _without_known(task: Task, known: Sequence[Step]) -> Task:
    """A task without the steps that an earlier one has, such as a look-up of the same; it takes them from there."""
    first = int(task.steps[0].id[1:])
    kept: list[Step] = []
    names: dict[str, str] = {}
    for step in task.steps:
        same = [one.id for one in known if one.call == _renamed(step, names).call]
        names[step.id] = same[0] if same else f"s{first + len(kept)}"
        kept += [] if same else [_renamed(step, names)]
    return replace(task, steps=tuple(kept))


def _strays(found: Task, before: Sequence[Task], mentions: Sequence[Mention]) -> bool:
    """Whether a clause was read of a file that nobody named, after one that named a file or a page."""
    if found.asked is None or any(one.kind in {"path", "quoted", "url"} for one in mentions):
        return False
    named = [call.arguments for task in before for call in _calls(task)]
    sources = {str(given.get("path") or given.get("url")) for given in named if given.get("path") or given.get("url")}
    return bool(sources) and found.asked.table.path not in sources


def _is_open(task: Task) -> bool:
    """Whether a question asks for something of rows and does not say of which: who is the manager?"""
    asked = task.asked.query if task.asked else None
    if asked is None or asked.conditions or asked.groups or asked.limit or asked.share:
        return False
    bare = (bool(asked.shown) or (task.asked is not None and task.asked.loosely)) and not asked.order
    bare = bare or (bool(asked.extreme) and not asked.shown and not asked.measures)  # which is the cheapest?
    return bare and not any(one.kind == "path" for one in find_mentions(task.text, date.min))


def _is_of_all(read: Task | Clause) -> bool:
    """Whether a short question asks for a figure of all rows there are: what is the total?"""
    asked = read.asked.query if isinstance(read, Task) and read.asked else None
    return asked is not None and bool(asked.measures) and not asked.conditions and not asked.groups


_FIGURES = frozenset({"number", "unit", "currency"})


def _form(one: Mention, others: Sequence[Mention]) -> tuple[bool, bool]:
    """How a figure is said: 20% is no 2480, and 100 km is swapped for 10 km, not for the miles that are asked for."""
    near = {m.kind for m in others if 0 <= m.start - one.end <= 1 or 0 <= one.start - m.end <= 1}
    return one.text.endswith(("%", "％")), not near.isdisjoint(_FIGURES)


def _replaced(before: str, old: Sequence[Mention], new: Sequence[Mention]) -> Iterator[str]:
    """The question before with what is mentioned now in the place of what was mentioned then."""
    swaps: list[tuple[Mention, Mention]] = []
    for one in new:
        same = [m for m in old if m.kind == one.kind and m not in [then for then, _ in swaps]]
        alike = [m for m in same if _form(m, old) == _form(one, new)]
        if not same or (one.kind in _FIGURES and len(same) > 1 and len(alike) != 1):
            return
        swaps.append(((alike or same)[-1], one))
    text = before
    for then, now in sorted(swaps, key=lambda swap: -swap[0].start):
        text = text[: then.start] + now.text + text[then.end :]
    if swaps:
        yield text
