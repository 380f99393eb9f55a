"""What a question asks for, which steps serve it, and whether they found it: status is measured by that alone (R6.2).

A planner lists the asks; what it leaves out of the question is put in by code. Each is served by steps, and answered
when all of those are done and verified, what it names was looked at, and the answer's writer does not leave it open.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from switchyard.language.clauses import MAX_CHARACTERS, Clause, clauses, joined
from switchyard.language.mentions import find_mentions, is_file
from switchyard.language.messages import Message, Said, message
from switchyard.language.places import find_places
from switchyard.language.tokeniser import has_chinese, words
from switchyard.language.words import is_asked
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import AskState, ExecutionContext, StepRecord
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.plan import Ask, Plan, Step

MOST_ASKS = 10
"""More things than this are asked for as one."""
EVIDENCE_READ = 200_000
"""Characters of what was called and found that are searched for what an ask names."""

_NAMING = frozenset({"url", "email", "code"})
"""Mentions that name a thing: an answer that has nothing to do with it is not the answer."""
_ROW = re.compile(r"[\w-]+(?:, [\w-]+)+,? (?:and|or|&) [\w-]+|[\u3400-\u9fff\w]+(?:、[\u3400-\u9fff\w]+)+")
"""Things in a row: name, size and date; 名称、大小和日期."""
_REPLY = re.compile(r"\n\([^\n]*\)\Z")
"""What the user was asked and replied, which stands after the question."""
_ASKS = re.compile(r"多少|什么|哪|谁|几[^乎]|怎么|如何|是否|吗")
"""A Chinese part with a question of its own."""
_NOUN = re.compile(r"(?i)(?:the|its|their|his|her|my|our)\b")
_PLACES = re.compile(
    r"(?i)(?:the|it|its|this|that|they|these)\b.*\b(?:is|are|stands?|lies?) (?:in|on|at|under|inside|within|from)"
    r"(?:\s+[^\s,;]+){1,5}$|.*(?:在|位于).+(?:里|中|上|内|里面)[。.]?$"
)
"""A part that says where something is."""
_OTHERS = re.compile(r"(?i)\s*(?:system|assistant|系统|助手)\s*[:：]\s*")
_USER = re.compile(r"(?i)\s*(?:user|用户)\s*[:：]\s*")
"""Whose turn a line of a conversation is."""
_TELLS = re.compile(
    r"(?i)(?:(?:and|also|besides|but|so)[, ]+)?(?:i|we|he|she|they)\s+\w"
    r"|(?:my|our|his|her|their|it|its|the|this|that|there)\b.*\b(?:is|are|was|were|has|have|had)\b"
    r"|(?=.*(?:[是有为在会已了过]|需要))(?:此外|另外|而且|并且|因为|所以|但是?)?[，,]?"
    r"(?:我们|我|他们?|她们?|它|这|那|公司|有|用户[:：])"
)
_WANTS = re.compile(
    r"(?i)[?？]|\b(?:want|need|like|wish|please|tell|show|know|should|shall|must|have to|to be|how|what|which|who|when"
    r"|where|why|help|could|can|would)\b|多少|什么|哪|谁|几[^乎]|怎么|如何|是否|吗|呢|请|帮|告诉|给我|想|(?<!需)要|希望|把|将|让|替"
    r"|[查算找写看列读发译]|总结"
)
"""A sentence that tells something, with its verb: the average, too, is none; and any word that asks for something."""
_COMPARES = re.compile(r"(?i)\b(?:between|among|compare|both|either|than|rather|if|sort|sorted)\b")
"""What makes the things in a row parts of one."""
_PIECE = re.compile(r"[A-Za-z0-9_.@:/%-]*[A-Za-z0-9%]|[\u3400-\u9fff]+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_TELLING = 4
"""Words of a question from which on a plan with none of them cannot be meant for it."""
_SHARED_CHARACTERS = 2
"""Chinese characters from which on two texts may speak of the same in other words: 点灯, 点亮大厅的灯."""
_PLAIN = re.compile(r"[\s\"'`“”‘’《》「」]+")


def asks_of(question: str, listed: Iterable[str]) -> list[Ask]:
    """What is asked: as the planner lists it, and beside that what of the question its list leaves out."""
    question = _REPLY.sub("", question)
    said = list(dict.fromkeys(text for one in listed if (text := " ".join(one.split()))))[:MOST_ASKS]
    parts = [part.text for part in _tasks(question)] if len(question) <= MAX_CHARACTERS else []
    if not 1 < len(parts) <= MOST_ASKS:
        texts = [*said, question] if not said or _leaves_out_some(question, " ".join(said)) else said
    elif not said:
        texts = parts
    elif has_chinese("".join(said)) is not has_chinese(question):
        texts = said  # listed in another language: its words say nothing about what is left out
    else:
        told = " ".join(said)
        # asks that name no file or address at all leave it to the question to say which
        named = [one.value for one in find_mentions(told, date.min) if one.kind in {"path", "url"}]
        files = "" if named else " ".join(str(one.value) for one in find_mentions(question, date.min))
        left = [part for part in parts if not _is_statement(part) and not _covers(f"{told} {files}", part)]
        texts = [*said, *left]
    return [Ask(id=str(number), text=text) for number, text in enumerate(texts[: 2 * MOST_ASKS], 1)]


def _leaves_out_some(question: str, told: str) -> bool:
    """Whether a text speaks of some of what a question lists, and not of all: of Paris and Rome, but not of Oslo."""
    named = [any(_plain(form) in _plain(told) for form in forms) for forms in _named(question)]
    rows = [re.split(r", |、| and | or | & |和|与|及", row[0]) for row in _ROW.finditer(question)]
    listed = [[not {*words(one)}.isdisjoint(words(told)) for one in row if words(one)] for row in rows]
    return any(any(spoken_of) and not all(spoken_of) for spoken_of in [named, *listed])


def _is_statement(part: str) -> bool:
    """Whether a part only tells something, in plain words: who lists what is asked decides whether it matters."""
    text = _USER.sub("用户：", part, count=1)
    if _OTHERS.match(text) or _WANTS.search(text):
        return bool(_OTHERS.match(text))
    return bool(_PLACES.match(text) or (_TELLS.match(text) and not _named(text)))


def _tasks(question: str) -> list[Clause]:
    """The parts of a question that ask something each; what only a comma or an "and" parts is mostly one."""
    found: list[list[Clause]] = []
    parts = [part for one in clauses(question) for part in _enumerated(one)]
    listed = _is_list(parts)
    for one in parts:
        asks_too = bool(found) and all(_ASKS.search(part.text) for part in (found[-1][-1], one))
        if found and one.joint == "comma" and not asks_too and not (listed and _NOUN.match(one.text)):
            found[-1].append(one)
        else:
            found.append([one])
    return [part for part in map(joined, found) if not all(map(is_asked, words(part.text)))]


def _enumerated(clause: Clause) -> list[Clause]:
    """The questions that a 、 parts: 有几行、多少列."""
    parts = clause.text.split("、")
    if not all(map(_ASKS.search, parts)):
        return [clause]
    return [replace(clause, text=parts[0]), *(Clause(text, "comma", before="、") for text in parts[1:])]


def _is_list(parts: Sequence[Clause]) -> bool:
    """Whether things are asked for in a row: the sum, the average, and the name of its head."""
    nouns = [one for one in parts[1:] if one.joint == "comma" and _NOUN.match(one.text)]
    return len(nouns) > 1 and len(nouns) == len(parts) - 1 and not _COMPARES.search(parts[0].text)


def _covers(said: str, part: str) -> bool:
    """Whether a text speaks of what another asks for: of all it names, and with half of its words."""
    wanted = {word for word in words(part) if not is_asked(word)}
    return not _unnamed(_named(part), _plain(said)) and 2 * len(wanted & set(words(said))) >= len(wanted)


def serving(steps: Sequence[Step], asks: Sequence[Ask]) -> list[Step]:
    """The steps with the asks that they serve: those they name, else those whose words they have.

    What is left over on both sides belongs together: a planner that says nothing of asks planned for all of them.
    """
    if len(asks) == 1:
        return [step.model_copy(update={"serves": [asks[0].id]}) for step in steps]
    by_text = {ask.text.casefold(): ask.id for ask in asks}
    known = {ask.id for ask in asks}
    found: dict[int, list[str]] = {}
    for at, step in enumerate(steps):
        named = [by_text.get(name.strip().casefold(), name.strip().removeprefix("a")) for name in step.serves]
        told = _told([step])
        found[at] = [name for name in dict.fromkeys(named) if name in known] or [
            ask.id for ask in asks if _covers(told, ask.text)
        ]
    told_by = {name for names in found.values() for name in names}
    idle = [at for at, names in found.items() if not names]
    for ask in asks:
        if ask.id in told_by:
            continue
        fitting = [at for at, step in enumerate(steps) if _covers(step.description, ask.text)]
        for at in fitting or [at for at in idle if _may_serve(steps[at].description, ask)]:
            found[at] = [*found[at], ask.id]
    return [step.model_copy(update={"serves": found[at]}) for at, step in enumerate(steps)]


def _may_serve(description: str, ask: Ask) -> bool:
    """Whether a step that says nothing of asks can be about one: it names what that names, or nothing at all."""
    return not _unnamed(_named(ask.text), _plain(description)) or not _named(description)


def is_beside(question: str, steps: Sequence[Step]) -> bool:
    """Whether a plan has nothing to do with a question: it has none of its words, and names nothing it may mean."""
    told = _told(steps)
    wanted = {word for word in words(question) if not is_asked(word)}
    if len(wanted) < _TELLING or wanted & set(words(told)) or has_chinese(told) is not has_chinese(question):
        return False  # too little is said to tell, or it has other words in another language
    return len(set(_HAN.findall(question)) & set(told)) < _SHARED_CHARACTERS and not _named(told)


def _told(steps: Sequence[Step]) -> str:
    return "\n".join(f"{step.description} {step.query} {step.tool or ''}" for step in steps)


def by_clause(steps: Sequence[Step]) -> tuple[list[Ask], list[Step]]:
    """The asks of a plan by rules, where each step has the words of the clause that it was read from."""
    texts = list(dict.fromkeys(step.description for step in steps))
    asks = [Ask(id=str(number), text=text) for number, text in enumerate(texts, 1)]
    return asks, [step.model_copy(update={"serves": [asks[texts.index(step.description)].id]}) for step in steps]


def unserved(plan: Plan) -> list[Ask]:
    """The asks that a plan neither serves nor gives up."""
    served = {name for step in plan.steps for name in step.serves}
    return [ask for ask in plan.asks if ask.id not in served and not ask.given_up]


def states_of(plan: Plan, context: ExecutionContext, attempts: Sequence[Attempt]) -> list[AskState]:
    """What became of each ask, as far as it can be told before the answer is written."""
    named = {ask.id: _named(ask.text) for ask in plan.asks} if plan.by == "model" else {}
    looked_at, thought_of = _evidence(plan, context, attempts) if any(named.values()) else ("", "")
    found: list[AskState] = []
    for ask in plan.asks:
        steps = [step for step in plan.steps if ask.id in step.serves]
        state = AskState(id=ask.id, text=ask.text, steps=[step.id for step in steps])
        if ask.given_up:
            state.state, state.reason = "given_up", ask.given_up
        elif not steps:
            state.state, state.reason = "open", message("ask_unserved")
        elif not all(context.is_good(step.id) for step in steps):
            state.state = "open"  # its steps say why
        elif unsaid := list(dict.fromkeys(word for step in steps if step.call for word in step.call.unsaid)):
            state.state, state.reason = "open", message("ask_words_unsaid", words=unsaid)
        elif lacking := [why for step in steps if (why := _lacking(context.steps.get(step.id)))]:
            state.state, state.reason = "open", lacking[0]
        elif name := _unnamed(named.get(ask.id, ()), looked_at, thought_of):
            state.state, state.reason = "open", message("ask_not_looked_at", name=name)
        found.append(state)
    return found


def _lacking(record: StepRecord | None) -> Said | None:
    """That words of the question were not there when it was read over what was fetched."""
    issues = record.verdict.issues if record and record.verdict else []
    return next((one for one in issues if isinstance(one, Message) and one.code == "ask_words_unsaid"), None)


def left_out(states: Sequence[AskState], text: str, results: Mapping[str, object], question: str) -> frozenset[str]:
    """The asks that an answer says nothing of.

    Where the same steps serve several, and fewer things of what they gave are told than are asked: those whose own
    words are not in the answer, though another's are.
    """
    found: set[str] = set()
    said = {*words(text)}
    answered = [one for one in states if one.state == "answered"]
    for steps in {frozenset(one.steps) for one in answered}:
        sharing = [one for one in answered if frozenset(one.steps) == steps]
        if len(sharing) == 1:
            continue
        given = json.dumps([results.get(step) for step in steps], ensure_ascii=False, default=str)[:EVIDENCE_READ]
        told = (_pieces(text) & _pieces(given)) - _pieces(question)
        if len(told) >= len(sharing):
            continue
        named = {one.id: {word for word in words(one.text) if not is_asked(word)} for one in sharing}
        times = Counter(word for mine in named.values() for word in mine)
        own = {name: {word for word in mine if times[word] == 1} for name, mine in named.items()}
        if any(mine & said for mine in own.values()):
            found |= {name for name, mine in own.items() if mine and not mine & said}
    return frozenset(found)


def _pieces(text: str) -> set[str]:
    """The numbers, names and words of a text, each whole; those that mean nothing by themselves left out."""
    return {one.casefold() for one in _PIECE.findall(text) if any(not is_asked(word) for word in words(one))}


def _evidence(plan: Plan, context: ExecutionContext, attempts: Sequence[Attempt]) -> tuple[str, str]:
    """What was called and what came back, as one text; and what steps of reasoning were given."""
    made = [one for one in attempts if context.status(one.step_id) == "done" and one.tool != NO_TOOL]
    # what a step was asked for and did not get, but something near to it, was looked at too
    called: list[Mapping[str, object]] = [{"tool": one.tool, "arguments": one.arguments} for one in made]
    called += [record.wanted for record in context.steps.values() if record.status == "done" and record.wanted]
    called += [{"result": one.result.result} for one in made if one.result]  # last: a large one is cut
    tools = {step.id: step.tool for step in plan.steps} | {name: one.tool for name, one in context.steps.items()}
    reasoned = [step.description for step in plan.steps if tools[step.id] == NO_TOOL]
    looked_at = "\n".join(json.dumps(one, ensure_ascii=False, default=str) for one in called)
    return _plain(looked_at[:EVIDENCE_READ]), _plain("\n".join(reasoned))


def _unnamed(named: Sequence[tuple[str, ...]], looked_at: str, thought_of: str = "") -> str:
    """The first thing that is named and not in what was told, plainly; nothing where all are there.

    Nobody has seen a file or an address by thinking of it.
    """
    for forms in named:
        told = looked_at if "." in forms[0] or "/" in forms[0] else looked_at + thought_of
        if not any(_plain(form) in told for form in forms):
            return forms[0]
    return ""


def _named(text: str) -> list[tuple[str, ...]]:
    """What a text names, each by the forms it may be found in."""
    named: list[tuple[str, ...]] = []
    for one in find_mentions(text, date.min):  # days are no names
        if one.kind == "place":
            named += [(one.text, place.name_en, place.name_zh) for place in find_places(one.text)]
        elif one.kind in _NAMING or (one.kind == "path" and is_file(str(one.value))):
            path = str(one.value).rstrip("/?!.,;:")
            named.append((path, path.rsplit("/", 1)[-1]))
    return named


def _plain(text: str) -> str:
    return _PLAIN.sub("", text).casefold()
