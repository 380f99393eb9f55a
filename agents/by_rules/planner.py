"""Planning without a model: a question is cut into the tasks that tools can serve, as few and as whole as they come."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from switchyard.agents.by_rules.changing import acts
from switchyard.agents.by_rules.followups import leans, leans_on, resolved
from switchyard.agents.by_rules.lists import compares_files, distributed, of_each
from switchyard.agents.by_rules.reader import look_up_steps, read_steps
from switchyard.agents.by_rules.requests import asks_for_request, names_body
from switchyard.agents.by_rules.selector import Earlier, Fit, understands
from switchyard.agents.by_rules.serving import Server
from switchyard.agents.by_rules.totals import find_total, without_total
from switchyard.agents.by_rules.wholeness import names_alternatives
from switchyard.agents.scope import RunScope
from switchyard.language.arithmetic import find_change
from switchyard.language.clauses import MAX_CHARACTERS, Clause, clauses, joined
from switchyard.language.messages import message
from switchyard.language.words import needs_a_model
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.plan import MAX_STEPS, ForEach, Step
from switchyard.tools.core.context import Turn
from switchyard.tools.core.errors import PlanRejected
from switchyard.tools.core.spec import ToolSpec

LONGEST_LIST = 300
"""Characters of a text that is read as one about several things."""
MOST_READINGS = 6
"""Ways to read a text as one about several things that are tried."""
MOST_PIECES = 8
"""A question with more pieces than this is a list of its own: each piece is taken as it is."""
LONGEST_TASK = 4
"""Pieces that may belong to one task."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of the question with the tool that serves it, if one does."""

    text: str
    spec: ToolSpec | None = None
    builds_on_earlier: bool = False
    loop: bool = False
    of_all: bool = False
    """Builds on every task before that no other builds on, not only on the last."""
    back: int = 1
    """How many tasks before it the one it builds on stands."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One way to cut a question, or its beginning, into tasks."""

    tasks: tuple[Task, ...] = ()
    score: float = 0.0
    served: bool = True
    """Whether a tool serves every one of them."""
    last: ToolSpec | None = field(default=None)


Served = tuple[tuple[Task, ...], float]
"""Tasks, and how much of what is said their tools know."""


async def steps_of(scope: RunScope, question: str) -> list[Step]:
    """The steps a question asks for, with their dependencies.

    Raises:
        PlanRejected: when it is too long to be read whole.
    """
    if len(question) > MAX_CHARACTERS:
        raise PlanRejected(message("question_too_long", length=len(question), most=MAX_CHARACTERS))
    if (steps := await read_steps(scope, question)) is not None:
        return steps
    server = Server(scope)
    best: Cut | None = await _cut(server, question)
    if scope.history and (not best.served or leans(question)):
        best = await _after_earlier(server, question, best)
    unserved = best is not None and not any(task.spec for task in best.tasks)
    if unserved and (steps := await look_up_steps(scope, question)) is not None:
        return steps
    if best is None or _is_half(best.tasks, question, server.today):
        return [Step(id="s1", description=question, tool=NO_TOOL)]  # no tool that fits a part of it may be taken
    return _steps(best.tasks)


async def _after_earlier(server: Server, question: str, alone: Cut) -> Cut | None:
    """The best way to cut what a question means after the ones before it; as it stands where they give it no meaning.

    None where it would mean a write: what is said of another file, "delete b.txt" or b.txt 呢, does not ask for the
    write that went before.
    """
    for meant in resolved(question, server.scope.history, server.today):
        again = await _cut(server, meant)
        if again.served and again.tasks:
            return None if _acts(again.tasks) else again
    return alone


def _acts(tasks: Iterable[Task]) -> bool:
    return any(task.spec is not None and acts(task.spec) for task in tasks)


def _is_half(tasks: Sequence[Task], question: str, today: date) -> bool:
    """Whether something would be changed or sent although not all that is said is understood."""
    loose = [task.text for task in tasks if not asks_for_request(task.text)]
    if 0 < len(loose) < len(tasks) and any(map(names_body, loose)):
        return True
    open_texts = [task.text for task in tasks if task.spec is None]
    if not _acts(tasks):
        return len(tasks) > 1 and any(map(asks_for_request, open_texts))
    if open_texts or names_alternatives(question, today):
        return True
    return not all(
        understands(task.spec, task.text, today, follows=task.builds_on_earlier) for task in tasks if task.spec
    )


async def _cut(server: Server, question: str) -> Cut:
    """The best way to cut a question: most of it served, said sequences kept, commas not cut at without need."""
    parts: list[Clause] = []
    for group in _at_strong_joints(clauses(question)):
        # of files that are compared none is told of alone, and what goes with a request is a part of it
        whole = joined(group)
        parts += [whole] if compares_files(whole.text, server.today) or asks_for_request(whole.text) else group
    if len(parts) > MOST_PIECES:
        parts = [joined(group) for group in _at_strong_joints(parts)]
    if len(parts) > MAX_STEPS:
        return Cut((Task(question),), served=False)  # more than any plan may have
    ways = [Cut()] + [Cut(score=float("-inf"))] * len(parts)
    for end in range(1, len(parts) + 1):
        for start in range(max(0, end - LONGEST_TASK), end):
            before = ways[start]
            group = parts[start:end]
            compared = compares_files(joined(group).text, server.today)
            served = None if compared else await _tasks(server, group, before, len(parts))
            score = before.score + _score(group, served[1] if served else None)
            if score > ways[end].score:
                taken = (
                    served[0] if served else (Task(joined(group).text, builds_on_earlier=_speaks_of_earlier(group)),)
                )
                ways[end] = Cut((*before.tasks, *taken), score, before.served and served is not None, taken[-1].spec)
    return ways[-1]


def _score(group: Sequence[Clause], coverage: float | None) -> float:
    inner = sum({"end": 12.0, "then": 4.0, "also": 2.0}.get(part.joint, 0.0) for part in group[1:])
    cut_at_comma = 1.0 if group[0].joint == "comma" else 0.0
    return (0.0 if coverage is None else (6.0 + 4.0 * coverage) * len(group)) - inner - cut_at_comma


async def _tasks(server: Server, group: Sequence[Clause], before: Cut, pieces: int) -> Served | None:
    """The tasks that serve these pieces together, and how well; none where no tool does."""
    text = joined(group).text
    if (several := of_each(text)) is not None and (looped := await _looped(server, *several)) is not None:
        return looped
    last = before.last
    of_all = len(before.tasks) > 1 and group[0].joint != "comma" and find_total(text) is not None
    back = of_all or _speaks_of_earlier(group)
    others = tuple(str(position) for position in range(len(before.tasks) - 1)) if of_all else ()
    earlier = Earlier("earlier", last, others) if last is not None and back else None
    found = await server.best(text, earlier)
    if found is not None and found.handed and last is not None and found.spec.name == last.name:
        return None  # says more about what the step before is after: that step serves it too
    if (found is None or found.coverage < 1) and all(part.joint == "comma" for part in group[1:]):
        nouns = len(group) == 1 or len(group) == pieces
        several = await _distributed(server, text, nouns=nouns) or await _distributed_total(server, text, nouns=nouns)
        if several is not None:
            return several
    if found is None:
        return await _leaning(server, group[0].before + text, before) if len(group) == 1 else None
    if of_all:
        return (Task(text, found.spec, builds_on_earlier=True, of_all=True),), found.coverage
    tasks = _with_lookups(server, found, text, last, back=group[0].joint == "then" or (back and found.late))
    return None if tasks is None else (tasks, found.coverage)


async def _leaning(server: Server, text: str, before: Cut) -> Served | None:
    """A piece that goes on from the task before it: "What time is it in London? And in Paris?"."""
    if not before.tasks or before.last is None or not leans_on(text, server.today) or needs_a_model(text):
        return None
    if acts(before.last):
        return None  # another file or address beside one that is written asks for a write only in so many words
    said = Turn("user", before.tasks[-1].text)
    for meant in islice(resolved(text, (said,), server.today), MOST_READINGS):
        fit = await server.best(meant)
        if fit is not None and fit.spec.name == before.last.name and not fit.looked_up:
            return (Task(meant, fit.spec),), fit.coverage
    return None


async def _looped(server: Server, many: str, question: str) -> Served | None:
    """A task that finds the many, and one that is done for each of them."""
    first = await server.best(many)
    if first is None or first.looked_up:
        return None
    second = await server.best(question, Earlier("earlier", first.spec), each=True)
    if second is None:
        return None
    return (Task(many, first.spec), Task(question, second.spec, builds_on_earlier=True, loop=True)), 1.0


async def _distributed(server: Server, text: str, *, nouns: bool) -> Served | None:
    """A text about several things as a task for each, where every one of them is served without a doubt."""
    if len(text) > LONGEST_LIST:
        return None
    for texts in islice(distributed(text, server.today, nouns=nouns), MOST_READINGS):
        tasks: list[Task] = []
        looked_up: dict[str, int] = {}
        calls: set[str] = set()
        written: set[str] = set()
        for one in texts:
            fit = await server.best(one)
            if fit is None or (fit.coverage < 1 and not fit.looked_up) or _replaces(fit, written):
                break
            if not fit.looked_up:
                tasks.append(Task(one, fit.spec))
                continue
            found = server.look_up(fit)
            if found is None or not found.certain:
                break
            if found.key not in looked_up:  # two questions about one thing look it up once
                looked_up[found.key] = len(tasks)
                tasks.append(Task(found.text, found.spec))
            call = f"{fit.spec.name} {fit.filled.arguments} {found.key}"
            if call not in calls:
                calls.add(call)
                tasks.append(Task(one, fit.spec, builds_on_earlier=True, back=len(tasks) - looked_up[found.key]))
        else:
            return tuple(tasks), 1.0
    return None


def _replaces(fit: Fit, written: set[str]) -> bool:
    """Whether a file would be written that another text of the same sentence is for; else it is one of them now."""
    path = fit.filled.arguments.get("path") if acts(fit.spec) else None
    replaces = path in written
    written.update([str(path)] if path is not None else [])
    return replaces


async def _distributed_total(server: Server, text: str, *, nouns: bool) -> Served | None:
    """A text that asks what several things make together: 修武站和汲县站的水位相差多少."""
    asked = without_total(text)
    several = await _distributed(server, asked[0], nouns=nouns) if asked else None
    if asked is None or several is None:
        return None
    last = several[0][-1].spec
    fit = await server.best(asked[1], Earlier("earlier", last, ("other",)))
    if fit is None or not fit.late:
        return None
    return (*several[0], Task(asked[1], fit.spec, builds_on_earlier=True, of_all=True)), 1.0


def _with_lookups(
    server: Server, found: Fit, text: str, last: ToolSpec | None, *, back: bool
) -> tuple[Task, ...] | None:
    """A task after the ones that find what it needs; none where nothing finds it."""
    if not found.looked_up:
        return (Task(text, found.spec, builds_on_earlier=back, loop=found.each),)
    if last is not None and set(found.looked_up) <= set(last.produces):
        return (Task(text, found.spec, builds_on_earlier=True),)
    first = server.look_up(found)
    return None if first is None else (Task(first.text, first.spec), Task(text, found.spec, builds_on_earlier=True))


def _speaks_of_earlier(group: Sequence[Clause]) -> bool:
    first = group[0]
    return first.joint == "then" or first.refers_back or (first.joint != "start" and _is_change(first.text))


def _is_change(text: str) -> bool:
    return len(text) <= LONGEST_LIST and find_change(text, "it") is not None


def _at_strong_joints(parts: Sequence[Clause]) -> list[list[Clause]]:
    groups: list[list[Clause]] = []
    for part in parts:
        if groups and part.joint == "comma":
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _steps(tasks: Sequence[Task]) -> list[Step]:
    steps: list[Step] = []
    for task in tasks:
        before = _built_on(task, steps)
        steps.append(
            Step(
                id=f"s{len(steps) + 1}",
                description=task.text,
                tool=task.spec.name if task.spec else None,
                dependencies=before,
                for_each=ForEach(step=before[-1]) if before and task.loop else None,
            )
        )
    return steps


def _built_on(task: Task, steps: Sequence[Step]) -> list[str]:
    if not task.builds_on_earlier:
        return []
    if not task.of_all:
        return [step.id for step in steps[-task.back :][:1]]
    used = {name for step in steps for name in step.dependencies}
    return [step.id for step in steps if step.id not in used]
