"""The figures of all trials, against what they must reach."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pydantic import BaseModel, Field

from benchmarks.__main__ import print_table
from benchmarks.convergence.trials import BROKEN, RULES, Trial

MUST_REACH = {"rules": 0.75, "stubborn": 0.90, "lazy": 0.85, "sloppy": 0.90, "sensible": 1.0}
"""Of the scenarios with a reachable answer and no fault that cannot be seen, how many must be answered rightly."""
CALLS_AGAINST_AGENT = 1 / 3
FAILED_AGAIN = 0.25
ATTEMPTS = 3
"""Within which the user's own example is answered."""
GOES_WELL, WITH_RANKING, MENDED_MORE, ONLY_FAILS = 3, 1, 2, 4
"""Model calls: of a plan that goes well, one more with ranking, two more with a failure mended, an endpoint that only
fails."""


class PlayerFigures(BaseModel):
    """One player's figures."""

    player: str
    engine: str
    trials: int
    answered_wrongly: int
    """Although something asked for is missing or wrong, and a rule could see it."""
    unseen: int
    """The same where no rule can see the fault."""
    repeated: int
    reachable: int
    right: int
    partly: int
    """Right, but not called answered."""
    unreachable: int
    stated_truly: int
    tool_calls: int
    failed_calls: int
    model_calls: int
    broke: int

    @property
    def share(self) -> float:
        """How many of the reachable were answered rightly."""
        return self.right / self.reachable if self.reachable else 1.0


class Measure(BaseModel):
    """A line of the second table."""

    name: str
    value: str
    wanted: str
    met: bool | None
    """None: nothing to measure it by."""
    those: list[str] = Field(default_factory=list[str])
    """The trials that spoil it."""


def figures(trials: Sequence[Trial]) -> list[PlayerFigures]:
    """By player and engine, of the first runs."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        if trial.run == 1 and trial.player != BROKEN:
            groups.setdefault((trial.engine, trial.player), []).append(trial)
    return [_figures(player, engine, group) for (engine, player), group in sorted(groups.items(), reverse=True)]


def _figures(player: str, engine: str, trials: Sequence[Trial]) -> PlayerFigures:
    reachable = [one for one in trials if one.reachable and not one.unseeable]
    unreachable = [one for one in trials if not one.reachable]
    wrongly = [one for one in trials if one.answered and not one.right]
    return PlayerFigures(
        player=player,
        engine=engine,
        trials=len(trials),
        answered_wrongly=sum(1 for one in wrongly if not one.unseeable),
        unseen=sum(1 for one in wrongly if one.unseeable),
        repeated=sum(len(one.repeated) for one in trials),
        reachable=len(reachable),
        right=sum(1 for one in reachable if one.right and one.answered),
        partly=sum(1 for one in reachable if one.right and not one.answered),
        unreachable=len(unreachable),
        stated_truly=sum(1 for one in unreachable if one.true_statement),
        tool_calls=sum(len(one.calls) for one in trials),
        failed_calls=sum(one.failed_calls for one in trials),
        model_calls=sum(one.model_calls for one in trials),
        broke=sum(1 for one in trials if one.broke),
    )


def measures(trials: Sequence[Trial]) -> list[Measure]:
    """Each thing that must be reached."""
    ours = [one for one in trials if one.engine == "ours"]
    first = [one for one in ours if one.run == 1 and one.player != BROKEN]
    wrongly = [one for one in ours if one.answered and not one.right and not one.unseeable]
    again = [one for one in ours if one.repeated]
    unstated = [one for one in first if not one.reachable and not one.true_statement]
    found = [
        _none_of("answered although something is missing or wrong", wrongly),
        _none_of("identical failing calls made again", again, sum(len(one.repeated) for one in again)),
    ]
    for player in dict.fromkeys(one.player for one in first):
        mine = [one for one in first if one.player == player and one.reachable and not one.unseeable]
        missed = [one for one in mine if not (one.right and one.answered)]
        least = MUST_REACH.get(player)
        part = 1 - len(missed) / len(mine) if mine else 1.0
        wanted = f"≥ {least:.0%}" if least is not None else ""
        met = None if least is None or not mine else part >= least
        found.append(
            Measure(
                name=f"answered rightly: {player}", value=f"{part:.0%}", wanted=wanted, met=met, those=_told(missed)
            )
        )
    found.append(_calls_against_agent(trials))
    found.append(_users_example(ours))
    found.append(_none_of("no reachable answer, and no true statement of what was tried", unstated))
    found += _second_runs(ours)
    found += _model_calls(ours)
    return found


def _none_of(name: str, those: Sequence[Trial], count: int | None = None) -> Measure:
    number = len(those) if count is None else count
    return Measure(name=name, value=str(number), wanted="0", met=number == 0, those=_told(those))


def _told(trials: Iterable[Trial]) -> list[str]:
    return [
        f"{one.scenario} / {one.player}{' (2nd run)' if one.run == 2 else ''}: {one.status}; {one.why}"
        for one in trials
    ]


def _calls_against_agent(trials: Sequence[Trial]) -> Measure:
    stubborn = [one for one in trials if one.player == "stubborn" and one.run == 1]
    ours = [one for one in stubborn if one.engine == "ours"]
    theirs = [one for one in stubborn if one.engine == "create_agent"]
    name = "tool calls of the stubborn player, ours against create_agent's"
    if not ours or not theirs:
        return Measure(name=name, value="not measured", wanted="≤ 1/3", met=None)
    mine, others = (sum(len(one.calls) for one in group) for group in (ours, theirs))
    right, theirs_right = (sum(1 for one in group if one.right and one.answered) for group in (ours, theirs))
    value = f"{mine} / {others} = {mine / max(others, 1):.2f}; right {right} / {theirs_right}"
    return Measure(name=name, value=value, wanted="≤ 0.33", met=mine <= others * CALLS_AGAINST_AGENT)


def _users_example(ours: Sequence[Trial]) -> Measure:
    """The counter that sits elsewhere now: how many attempts the stubborn player needs, and how many the next time."""
    name = "a.social-count, stubborn: attempts, and the second time"
    mine = [one for one in ours if one.scenario.startswith("counter-moved") and one.player == "stubborn"]
    if not mine:
        return Measure(name=name, value="not measured", wanted="≤ 3, 1", met=None)
    over = [one for one in mine if not one.right or len(one.calls) > (ATTEMPTS if one.run == 1 else 1)]
    value = ", ".join(f"{len(one.calls)}{'' if one.right else ' and not right'} ({one.lang} {one.run})" for one in mine)
    return Measure(name=name, value=value, wanted="≤ 3, 1", met=not over, those=_told(over))


def _second_runs(ours: Sequence[Trial]) -> list[Measure]:
    first = {(one.scenario, one.player): one for one in ours if one.run == 1}
    pairs = [(first[one.scenario, one.player], one) for one in ours if one.run == 2]
    pairs = [(before, after) for before, after in pairs if before.reachable]
    before, after = (sum(pair[number].failed_calls for pair in pairs) for number in (0, 1))
    share = after / before if before else 0.0
    worse = [two for one, two in pairs if two.failed_calls and two.failed_calls > one.failed_calls * FAILED_AGAIN]
    lessons = [one for one in ours if one.wrong_lessons and not one.unseeable]
    return [
        Measure(
            name="second run with memory: failed calls against the first's",
            value=f"{after} / {before} = {share:.0%}" if pairs else "not measured",
            wanted="≤ 25%",
            met=share <= FAILED_AGAIN if pairs else None,
            those=[f"{one.scenario} / {one.player}: {one.failed_calls} failed" for one in worse],
        ),
        Measure(
            name="wrong lessons",
            value=str(sum(len(one.wrong_lessons) for one in lessons)),
            wanted="0",
            met=not lessons,
            those=[f"{one.scenario} / {one.player} ({one.run}): {'; '.join(one.wrong_lessons)}" for one in lessons],
        ),
    ]


def _model_calls(ours: Sequence[Trial]) -> list[Measure]:
    played = [one for one in ours if one.player == "sensible" and one.run == 1]
    well = [one for one in played if one.about == "goes_well"]
    mended = [one for one in played if one.about == "mended_once"]
    broken = [one for one in ours if one.player == BROKEN]
    without = [one for one in ours if one.about == "no_model" and one.player not in {RULES, BROKEN}]

    def most(one: Trial) -> int:
        return GOES_WELL + WITH_RANKING * ("rank" in one.asked)

    return [
        _at_most("model calls: a plan that goes well", well, most, "3 (4 with ranking)"),
        _at_most("model calls: one failure mended", mended, lambda one: most(one) + MENDED_MORE, "at most 2 more"),
        _at_most("model calls: an endpoint that only fails", broken, lambda _: ONLY_FAILS, "≤ 4"),
        _at_most("model calls: a calculation or a time", without, lambda _: 0, "0"),
    ]


def _at_most(name: str, trials: Sequence[Trial], most: Callable[[Trial], int], wanted: str) -> Measure:
    if not trials:
        return Measure(name=name, value="not measured", wanted=wanted, met=None)
    counts = Counter(one.model_calls for one in trials)
    value = ", ".join(f"{calls} ×{times}" for calls, times in sorted(counts.items()))
    over = [one for one in trials if one.model_calls > most(one)]
    told = [f"{one.scenario} / {one.player}: {one.model_calls} ({' '.join(one.asked)})" for one in over]
    return Measure(name=name, value=value, wanted=wanted, met=not over, those=told)


def document(trials: Sequence[Trial]) -> str:
    """Everything as one JSON object."""
    return json.dumps(
        {
            "measures": [one.model_dump() for one in measures(trials)],
            "players": [{**one.model_dump(), "share": one.share} for one in figures(trials)],
            "unseeable": [_line(one) for one in trials if one.unseeable and one.answered and not one.right],
            "trials": [one.model_dump() for one in trials],
        },
        ensure_ascii=False,
        indent=2,
    )


def print_tables(trials: Sequence[Trial], *, show: bool) -> None:
    """The figures by player, and what must be reached."""
    heads = (
        "player",
        "engine",
        "trials",
        "wrong",
        "unseen",
        "again",
        "right",
        "partly",
        "stated",
        "calls",
        "failed",
        "model",
    )
    rows = [
        (
            one.player,
            one.engine,
            str(one.trials),
            str(one.answered_wrongly),
            str(one.unseen),
            str(one.repeated),
            f"{one.right}/{one.reachable} {one.share:.0%}",
            str(one.partly),
            f"{one.stated_truly}/{one.unreachable}",
            str(one.tool_calls),
            str(one.failed_calls),
            str(one.model_calls),
        )
        for one in figures(trials)
    ]
    print_table([heads, *rows])
    print()
    lines = measures(trials)
    met = {True: "yes", False: "no", None: ""}
    print_table([("must be reached", "is", "wanted", "met"), *((o.name, o.value, o.wanted, met[o.met]) for o in lines)])
    unseen = [one for one in trials if one.unseeable and one.answered and not one.right and one.engine == "ours"]
    if unseen:
        print("\nanswered wrongly where no rule can see it:")
        for name in dict.fromkeys(one.scenario for one in unseen):
            print(f"  {name}: {', '.join(dict.fromkeys(one.player for one in unseen if one.scenario == name))}")
    for one in trials:
        if one.broke:
            print(f"\nbroke: {_line(one)}")
    if show:
        for line in lines:
            if line.met is False and line.those:
                print(f"\n{line.name}:")
                print("\n".join(f"  {told}" for told in line.those))


def _line(one: Trial) -> str:
    return f"{one.scenario} / {one.player} / {one.engine} ({one.run}): {one.status}; {one.why}; {one.answer[:200]!r}"
