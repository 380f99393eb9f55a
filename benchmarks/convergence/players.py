"""Models, played by a scenario's script: what each says to a prompt.

A player answers from the prompt it is given and from the script. What it is for is how it behaves when something
failed. To play another, give `--player FILE` a Python file with

    PLAYERS = {"name": PlayerClass}

where a class is made with the scenario and has `reply(self, prompt: Prompt) -> Reply`; deriving it from `Sensible` and
changing one of its methods is the shortest way. One object is made for each run.
"""

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from benchmarks.convergence.endpoint import Refusal, Reply, ToolCalls
from benchmarks.convergence.prompts_read import Prompt, calls_told
from benchmarks.convergence.scenario import Scenario, ScriptCall, ScriptStep
from benchmarks.strangers import Clock, Count, Near, Pattern, Said, plain, stands

COULD_NOT = {"en": "Could not be found out", "zh": "未能查到"}
"""How a player says that it has no answer: where `create_agent` ends with it, nothing was answered."""
FOUND = {"en": "Found", "zh": "查到"}
DONE = {"en": "Done.", "zh": "好了。"}

_REFERENCE = re.compile(r"\{\{@([\w/-]+)\.([^}]+)\}\}|\{\{([\w-]+)((?:\.[^}]*|\[[^}]*)?)\}\}")


class Player(Protocol):
    """Somebody at the other end of the line."""

    def reply(self, prompt: Prompt) -> Reply:
        """What is said to a prompt."""
        ...


class Sensible:
    """Reads what it is told, changes what was wrong, and says what is missing."""

    heeds_lessons = True

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.asked = 0
        self.ids: dict[str, str] = {}
        """The ids of the script's steps in the plan under way."""
        self.script: list[ScriptStep] = list(scenario.steps)

    def reply(self, prompt: Prompt) -> Reply:
        """What is said to a prompt, by who asks."""
        self.asked += 1
        objects: dict[str, Callable[[Prompt], dict[str, Any]]] = {
            "plan": self.plan,
            "rank": self.rank,
            "fill": self.fill,
            "late": self.late,
            "decide": self.decide,
            "judge": self.judge,
        }
        if said := objects.get(prompt.kind):
            return self.worded(prompt, said(prompt))
        if prompt.kind == "agent":
            return Agent(self, prompt).reply()
        return self.answer(prompt) if prompt.kind == "answer" else self.reason(prompt)

    def worded(self, prompt: Prompt, said: Mapping[str, Any]) -> str:
        """An object as this model writes it."""
        del prompt
        return json.dumps(said, ensure_ascii=False)

    # The five jobs

    def plan(self, prompt: Prompt) -> dict[str, Any]:
        """The script's plan; anew, what is not finished, each failed step by its next call."""
        if not prompt.plans_anew:
            self.script = list(self.scenario.steps)
            self.ids = {step.id: step.id for step in self.script}
            return self._as_plan(prompt, self.script)
        if self.scenario.replan:
            self.script = list(self.scenario.replan)
            self.ids = {step.id: step.id for step in self.script}
            return self._as_plan(prompt, self.script)
        left: list[ScriptStep] = []
        for step in self.script:
            if self.ids.get(step.id) in prompt.finished:
                continue
            call = self.next_call(step, prompt)
            changed = {"tool": call.tool or step.tool, "action": call.action, "arguments": call.arguments}
            left.append(step.model_copy(update=changed))
        number = self.asked
        self.ids |= {step.id: f"{step.id}n{number}" for step in left}
        self.script = [next((one for one in left if one.id == step.id), step) for step in self.script]
        return self._as_plan(prompt, left)

    def _as_plan(self, prompt: Prompt, steps: Sequence[ScriptStep]) -> dict[str, Any]:
        asks = prompt.asks or dict(enumerate(self.asks(steps), start=1))
        served = {step.id: self._served(step, steps, asks) for step in steps}
        drafts: list[dict[str, Any]] = []
        for step in steps:
            loop = step.for_each and {**step.for_each, "step": self.ids.get(step.for_each["step"], "")}
            drafts.append(
                {
                    **self._arguments(step, prompt),
                    "id": self.ids[step.id],
                    "serves": served[step.id],
                    "description": step.does,
                    "task_type": "task",
                    "tool": step.tool,
                    "dependencies": [self.ids[other] for other in step.after],
                    "for_each": loop,
                }
            )
        plan: dict[str, Any] = {"asks": list(asks.values()), "steps": drafts}
        left = [number for number in prompt.open_asks if not any(number in numbers for numbers in served.values())]
        return {**plan, "given_up": self.given_up(left)} if left else plan

    def _arguments(self, step: ScriptStep, prompt: Prompt) -> dict[str, Any]:
        """What a planner writes of a step whose tool it is shown the definition of, where all of it can be known."""
        if step.tool not in prompt.defined:
            return {}
        said = self.written(self.call_for(prompt, self.ids[step.id], step.does, step.tool), prompt)
        return {} if said["missing"] or said["late"] else {"action": said["action"], "arguments": said["arguments"]}

    def asks(self, steps: Sequence[ScriptStep]) -> list[str]:
        """What the question asks for: each step that no other needs, or the whole of it."""
        last = [step for step in steps if not any(step.id in other.after for other in steps)]
        return [step.does for step in last] if len(last) > 1 else [self.scenario.question]

    def given_up(self, asks: Sequence[int]) -> dict[str, str]:
        """Why asks get no steps any more."""
        return {str(number): "there is no way left to find it out" for number in asks}

    def _served(self, step: ScriptStep, steps: Sequence[ScriptStep], asks: Mapping[int, str]) -> list[int]:
        """The numbers of the asks a step leads to: its own, or those of the steps that need it."""
        own = [number for number, text in asks.items() if plain(step.does) in plain(text)]
        if own:
            return own
        after = [number for one in steps if step.id in one.after for number in self._served(one, steps, asks)]
        return sorted(set(after)) or list(asks)

    def rank(self, prompt: Prompt) -> dict[str, Any]:
        """The script's tools for each step."""
        choices: dict[str, list[str]] = {}
        for asked in prompt.steps:
            step = self.step_of(asked.id, asked.text)
            known = [call.tool for call in step.calls] if step else []
            choices[asked.id] = [name for name in dict.fromkeys(known) if name in prompt.listed_tools]
        return {"choices": choices}

    def fill(self, prompt: Prompt) -> dict[str, Any]:
        """The arguments of each step."""
        calls: list[dict[str, Any]] = []
        for asked in prompt.steps:
            call = self.call_for(prompt, asked.id, asked.text, asked.tool)
            calls.append({"step": asked.id, **self.written(call, prompt)})
        return {"calls": calls}

    def late(self, prompt: Prompt) -> dict[str, Any]:
        """The arguments of one step whose results are there."""
        said = self.written(self.call_for(prompt, "", prompt.task, prompt.defined_tool), prompt)
        return {"arguments": said["arguments"], "missing": said["missing"]}

    def decide(self, prompt: Prompt) -> dict[str, Any]:
        """The next call of each failed step, in whichever way it is allowed."""
        nexts = {step_id: call for step_id, call in self._open_calls(prompt).items() if call is not None}
        for way in prompt.ways:
            if way.action != "execute_tool":
                continue
            mine = {step: call for step, call in nexts.items() if step in way.steps and self._is_current(step, call)}
            if mine:
                written = {step: self.as_sent(call, prompt) for step, call in mine.items()}
                return {"action": "execute_tool", "reason": "other arguments", "arguments": written}
            if "adjusted" in way.reason or "again" in way.reason:
                return {"action": "execute_tool", "reason": "as proposed", "arguments": {}}
        switch = next((way for way in prompt.ways if way.action == "switch_tool"), None)
        if switch is not None:
            offered = {
                step: call.tool for step, call in nexts.items() if call.tool in _plain_names(switch.tools.get(step, []))
            }
            if offered:
                return {"action": "switch_tool", "reason": "another tool", "tools": offered}
        if any(way.action == "replan" for way in prompt.ways) and (nexts or self.scenario.replan):
            return {"action": "replan", "reason": "another way"}
        return {"action": "complete", "reason": "nothing else is known"}

    def judge(self, prompt: Prompt) -> dict[str, Any]:
        """Every result is fine, but what is plainly wrong."""
        ids = re.findall(r"^([\w.-]+): ", prompt.user, re.MULTILINE)
        steps = [found for found in ids if found not in {"Question", "result"}]
        return {"judgements": [{"step": step, "ok": True, "confidence": 0.9, "reason": "fits"} for step in steps]}

    def reason(self, prompt: Prompt) -> str:
        """What the script thinks about a step."""
        step = self.step_of("", prompt.task)
        return step.thinks if step and step.thinks else COULD_NOT[self.scenario.lang]

    def answer(self, prompt: Prompt) -> str:
        """What the results say, and what they do not."""
        if self.scenario.writer is not None:
            return prompt.closed(self.scenario.writer, [])
        return self.answer_from(prompt, prompt.results, prompt.not_done)

    def answer_from(self, prompt: Prompt, results: str, not_done: str) -> str:
        """The values that are wanted and in the results, else those taken for them; and what was not done."""
        lang, scenario = self.scenario.lang, self.scenario
        wanted = [one if isinstance(one, list) else [one] for one in scenario.says]
        found = [next((_said(one) for one in some if in_results(one, results)), None) for some in wanted]
        values = [one for one in found if one is not None]
        wrong = [_said(one) for one in scenario.decoys if in_results(one, results)]
        missing = bool(not_done.strip()) or (len(values) < len(wanted) and not wrong)
        missing = missing or results.strip() in {"", "(none)"} or COULD_NOT[lang] in results
        told = f"{FOUND[lang]}: {'; '.join(values or wrong)}." if values or wrong else ""
        if not told and not missing:
            told = f"{DONE[lang]} {', '.join(scenario.writes)}".strip()
        could_not = f"{COULD_NOT[lang]}: {scenario.question} {' '.join(not_done.split())}" if missing else ""
        named = [number for number, text in prompt.asks.items() if plain(text) in plain(not_done)]
        still_open = (named if values else []) or list(prompt.asks)
        return prompt.closed(f"{told} {could_not}".strip(), still_open if missing else [])

    # What the script says about a step

    def step_of(self, step_id: str, text: str) -> ScriptStep | None:
        """The step of the script that is meant."""
        by_id = next((step for step in self.script if step_id and self.ids.get(step.id) == step_id), None)
        if by_id is not None:
            return by_id
        within = [step for step in self.script if plain(step.does) in plain(text) or plain(text) in plain(step.does)]
        return max(within, key=lambda step: len(step.does), default=None) if text.strip() else None

    def call_for(self, prompt: Prompt, step_id: str, text: str, tool: str) -> ScriptCall | None:
        """The call for a step whose tool is settled; None where the script knows none."""
        step = self.step_of(step_id, text)
        if step is not None:
            fitting = [call for call in step.calls if same_tool(call.tool, tool)]
            chosen = self.chosen(fitting, prompt)
            if chosen is not None:
                return chosen
        every = [*self.scenario.others, *(call for one in self.script for call in one.calls)]
        known = next((call for call in every if same_tool(call.tool, tool)), None)
        if known is not None or step is None:
            return known
        # another tool than the script thought of: what it takes under the same names
        fitting = {name: value for name, value in step.arguments.items() if name in prompt.section("Definitions")}
        return ScriptCall(tool=tool, arguments=fitting) if fitting else None

    def chosen(self, calls: Sequence[ScriptCall], prompt: Prompt) -> ScriptCall | None:
        """Of several calls of a tool, the first that did not fail and was not said to be wrong before."""
        for call in calls[1:]:
            if self.heeds_lessons and calls[0].arguments and _is_taught(calls[0], call, prompt.lessons):
                return call
        fresh = (call for call in calls if not has_failed(call, prompt.failures) and call.hint in prompt.user)
        return next(fresh, calls[0] if calls else None)

    def next_call(self, step: ScriptStep, prompt: Prompt) -> ScriptCall:
        """The call to try next for a step."""
        fresh = (call for call in step.calls if not has_failed(call, prompt.failures) and call.hint in prompt.user)
        return next(fresh, step.calls[-1])

    def _open_calls(self, prompt: Prompt) -> dict[str, ScriptCall | None]:
        """By step that failed, the call a sensible model thinks of now."""
        found: dict[str, ScriptCall | None] = {}
        for step_id in dict.fromkeys(step for way in prompt.ways for step in way.steps):
            step = self.step_of(step_id, "")
            left = [
                call
                for call in (step.calls[1:] if step else [])
                if not has_failed(call, prompt.failures) and call.hint in prompt.user
            ]
            found[step_id] = left[0] if left else None
        return found

    def _is_current(self, step_id: str, call: ScriptCall) -> bool:
        step = self.step_of(step_id, "")
        return step is None or same_tool(call.tool, step.tool or "")

    def written(self, call: ScriptCall | None, prompt: Prompt) -> dict[str, Any]:
        """A call as the filler of arguments writes it."""
        if call is None:
            return {"action": None, "arguments": {}, "missing": ["everything"], "late": False}
        arguments, missing = self.bound(call, prompt)
        return {"action": call.action, "arguments": arguments, "missing": missing, "late": False}

    def as_sent(self, call: ScriptCall, prompt: Prompt) -> dict[str, Any]:
        """A call as the coordinator writes it."""
        arguments, _ = self.bound(call, prompt)
        return {**({"action": call.action} if call.action else {}), **arguments}

    def bound(self, call: ScriptCall, prompt: Prompt) -> tuple[dict[str, Any], list[str]]:
        """The arguments with the ids of this plan, and the names of those that cannot be known."""
        arguments: dict[str, Any] = {}
        missing: list[str] = []
        for name, value in call.arguments.items():
            told = self._with_ids(value, prompt)
            if told is None:
                missing.append(name)
            else:
                arguments[name] = told
        return arguments, missing

    def _with_ids(self, value: Any, prompt: Prompt) -> Any:
        if isinstance(value, dict):
            parts = cast("dict[str, Any]", value)
            return {key: self._with_ids(part, prompt) for key, part in parts.items()}
        if isinstance(value, list):
            return [self._with_ids(part, prompt) for part in cast("list[Any]", value)]
        if not isinstance(value, str):
            return value
        unknown = False

        def renamed(found: re.Match[str]) -> str:
            nonlocal unknown
            if found[1]:
                step = next((one for tool, one in prompt.steps_by_tool.items() if same_tool(found[1], tool)), None)
                unknown = unknown or step is None
                return f"{{{{{step}.{found[2]}}}}}"
            return f"{{{{{self.ids.get(found[3], found[3])}{found[4]}}}}}"

        told = _REFERENCE.sub(renamed, value)
        return None if unknown else told

    # As the model of an agent

    def agent_next(self, step: ScriptStep, tries: Sequence["Try"]) -> ScriptCall | None:
        """The call of a step whose earlier tries failed; None: it is given up."""
        calls = step.calls
        failed = [one.call for one in tries]
        seen = " ".join(one.text for one in tries)
        fresh = [call for call in calls if call not in failed and (not call.hint or call.hint in seen)]
        if fresh:
            return fresh[0]
        return failed[-1] if len(tries) < 3 and may_pass(tries[-1].text) else None

    def agent_calls(self, calls: list[tuple[str, str, dict[str, Any]]]) -> ToolCalls:
        """Calls as this model writes them."""
        return ToolCalls(tuple(calls))


class Stubborn(Sensible):
    """Makes the call that failed again, whatever it is told; only where it may not does it take what is left."""

    def chosen(self, calls: Sequence[ScriptCall], prompt: Prompt) -> ScriptCall | None:
        """The first, as ever; but for what an earlier run taught, before anything failed in this one."""
        if not prompt.failures and len(calls) > 1:
            return super().chosen(calls, prompt)
        return calls[0] if calls else None

    def next_call(self, step: ScriptStep, prompt: Prompt) -> ScriptCall:
        """The first, as ever."""
        del prompt
        return step.calls[0]

    def plan(self, prompt: Prompt) -> dict[str, Any]:
        """The same plan, again and again."""
        if not prompt.plans_anew:
            return super().plan(prompt)
        left = [step for step in self.script if self.ids.get(step.id) not in prompt.finished]
        self.ids |= {step.id: f"{step.id}n{self.asked}" for step in left}
        return self._as_plan(prompt, left)

    def decide(self, prompt: Prompt) -> dict[str, Any]:
        """The call that failed, where a call may be made at all; else the first that is allowed."""
        for way in prompt.ways:
            steps = {step: found for step in way.steps if (found := self.step_of(step, ""))}
            if way.action == "execute_tool" and steps:
                written = {step: self.as_sent(found.calls[0], prompt) for step, found in steps.items()}
                return {"action": "execute_tool", "reason": "it must work", "arguments": written}
        return {"action": prompt.ways[0].action if prompt.ways else "complete", "reason": "then so"}

    def agent_next(self, step: ScriptStep, tries: Sequence["Try"]) -> ScriptCall | None:
        """The call that failed."""
        del tries
        return step.calls[0]


class Lazy(Sensible):
    """Takes the first option, changes nothing, and calls everything answered."""

    heeds_lessons = False

    def rank(self, prompt: Prompt) -> dict[str, Any]:
        """The first of the list."""
        return {"choices": {asked.id: prompt.listed_tools[:1] for asked in prompt.steps}}

    def chosen(self, calls: Sequence[ScriptCall], prompt: Prompt) -> ScriptCall | None:
        """The first that comes to mind."""
        del prompt
        return calls[0] if calls else None

    def next_call(self, step: ScriptStep, prompt: Prompt) -> ScriptCall:
        """The same."""
        del prompt
        return step.calls[0]

    def call_for(self, prompt: Prompt, step_id: str, text: str, tool: str) -> ScriptCall | None:
        """What was meant for another tool is good enough for this one."""
        found = super().call_for(prompt, step_id, text, tool)
        step = self.step_of(step_id, text)
        return found or (step.calls[0] if step else None)

    def decide(self, prompt: Prompt) -> dict[str, Any]:
        """The first that is allowed, without a word more."""
        return {"action": prompt.ways[0].action if prompt.ways else "complete"}

    def answer_from(self, prompt: Prompt, results: str, not_done: str) -> str:
        """What is there, and that it is all."""
        del not_done
        honest = super().answer_from(prompt, results, "")
        told = honest.partition(COULD_NOT[self.scenario.lang])[0].partition("OPEN:")[0].strip()
        return prompt.closed(told or f"{DONE[self.scenario.lang]} {', '.join(self.scenario.writes)}".strip(), [])

    def given_up(self, asks: Sequence[int]) -> dict[str, str]:
        """Nobody need know."""
        del asks
        return {}

    def agent_next(self, step: ScriptStep, tries: Sequence["Try"]) -> ScriptCall | None:
        """Nothing is tried twice."""
        return None if tries else step.calls[0]


class Sloppy(Sensible):
    """Means well and writes badly: prose, thoughts, flat arguments, names that do not exist."""

    def worded(self, prompt: Prompt, said: Mapping[str, Any]) -> str:
        """The object in one of several bad shapes, another each time."""
        found = copy.deepcopy(dict(said))
        text = json.dumps(self._misshapen(prompt, found), ensure_ascii=False)
        match self.asked % 3:
            case 0:
                thought = json.dumps({"answer": "42", "steps": [], "calls": [], "action": "complete"})
                return f"<think>Perhaps {thought}? No, 不对。</think>\n{text}"
            case 1:
                return f"Sure! Here is what you asked for 好的:\n```json\n{text}\n```\nLet me know if it helps."
            case _:
                return f"{text[:-1].rstrip()}, }}" if text.endswith("}") else text

    def _misshapen(self, prompt: Prompt, found: dict[str, Any]) -> Any:
        match prompt.kind:
            case "plan" if self.asked % 2:
                steps = [{**step, "tool": self._misnamed(step["tool"])} for step in found["steps"]]
                return {"plan": steps, "asks": found["asks"]}
            case "rank":
                names: list[str] = next(iter(found["choices"].values()), list[str]())
                one_step = len(found["choices"]) == 1
                return {"tools": ["super_tool", *names]} if one_step else found
            case "fill" if (
                len(found["calls"]) == 1 and found["calls"][0]["arguments"] and not found["calls"][0]["action"]
            ):
                return {"arguments": found["calls"][0]["arguments"]}
            case "decide" if len(found.get("arguments", {})) == 1:
                return {**found, "arguments": next(iter(found["arguments"].values()))}
            case "decide" if found["action"] == "switch_tool" and len(found["tools"]) == 1:
                return {**found, "tools": next(iter(found["tools"].values()))}
            case _:
                return found

    def _misnamed(self, tool: str | None) -> str | None:
        """Now and then a name that does not exist."""
        return f"functions.{tool}" if tool not in {None, "none"} and len(self.scenario.name) % 3 == 0 else tool

    def answer(self, prompt: Prompt) -> str:
        """With its thoughts before it."""
        return f"<think>Let me see … 想一想</think>{super().answer(prompt)}"

    def reason(self, prompt: Prompt) -> str:
        """The same."""
        return f"<think>hm</think>{super().reason(prompt)}"

    def agent_calls(self, calls: list[tuple[str, str, dict[str, Any]]]) -> ToolCalls:
        """The first call under a name that does not exist."""
        if self.asked == 1:
            calls = [(identity, f"functions.{name}", arguments) for identity, name, arguments in calls]
        return ToolCalls(tuple(calls))


class Broken:
    """An endpoint that only fails."""

    def __init__(self, scenario: Scenario) -> None:
        del scenario

    def reply(self, prompt: Prompt) -> Reply:
        """An error."""
        del prompt
        return Refusal(500)


def same_tool(one: str, other: str) -> bool:
    """Whether two names mean one tool, of a server or not."""
    return one == other or one.partition("/")[2] == other or one == other.partition("/")[2]


def _plain_names(tools: Iterable[str]) -> set[str]:
    return {*tools} | {tool.partition("/")[2] for tool in tools if "/" in tool}


def has_failed(call: ScriptCall, failures: str) -> bool:
    """Whether a call is among those said to have failed; a reference in it was anything by then."""
    return any(same_tool(call.tool, tool) and _is_same(call.arguments, given) for tool, given in calls_told(failures))


def _is_same(written: Mapping[str, Any], made: Mapping[str, Any]) -> bool:
    made = {name: value for name, value in made.items() if name != "action"}
    if written.keys() != made.keys():
        return False
    return all(_fits(str(value), str(made[name])) for name, value in written.items())


def _fits(written: str, made: str) -> bool:
    if written == made:
        return True
    bound = ".+".join(map(re.escape, re.split(r"\{\{[^}]*\}\}", written)))
    return "{{" in written and "{{" not in made and re.fullmatch(bound, made, re.DOTALL) is not None


def _is_taught(first: ScriptCall, better: ScriptCall, lessons: str) -> bool:
    changed = [value for name, value in better.arguments.items() if first.arguments.get(name) != value]
    return bool(changed) and all(str(value) in lessons for value in changed)


def may_pass(text: str) -> bool:
    """Whether an error sounds as if it might pass."""
    passing = r"429|timed? ?out|too many|try again|busy|稍后|超时|within|503|temporar"
    return re.search(passing, text, re.IGNORECASE) is not None


def in_results(wanted: Said, results: str) -> bool:
    """Whether a value is in what a prompt shows of results."""
    return stands(wanted, results.replace("\\n", "\n"))


def _said(wanted: Said) -> str:
    match wanted:
        case Near():
            return str(wanted.number)
        case Count():
            return str(wanted.count)
        case Clock() | Pattern():
            return str(wanted)
        case _:
            return str(wanted)


@dataclass
class Try:
    """A call of an agent, and what it was told."""

    step: str
    item: int | None
    call: ScriptCall
    failed: bool
    text: str


class Agent:
    """A player as the model of `create_agent`: it carries out the script call by call."""

    def __init__(self, player: Sensible, prompt: Prompt) -> None:
        self.player = player
        self.prompt = prompt
        self.names = {tool["function"]["name"] for tool in prompt.body["tools"]}
        self.tries: dict[str, list[Try]] = {}
        self.results: dict[str, list[Any]] = {}
        self._read()

    def _read(self) -> None:
        asked: dict[str, tuple[str, dict[str, Any]]] = {}
        for message in self.prompt.messages:
            for call in message.get("tool_calls") or ():
                asked[call["id"]] = (call["function"]["name"], json.loads(call["function"]["arguments"]))
            if message["role"] == "tool" and message["tool_call_id"] in asked:
                self._take(message["tool_call_id"], asked[message["tool_call_id"]][1], _content(message))

    def _take(self, identity: str, arguments: dict[str, Any], text: str) -> None:
        step_id, number, item, _ = identity.split("-")
        step = next(step for step in self._script if step.id == step_id)
        call = step.calls[int(number)]
        if "is not a valid tool" in text:
            return  # the name was wrong, the call was not made
        value = _json(text)
        failed = value is None or is_error_text(text)
        if step.tool and not failed:
            self.results.setdefault(step.id, []).append(value)
        del arguments
        self.tries.setdefault(f"{step.id}-{item}", []).append(Try(step.id, _number(item), call, failed, text))

    @property
    def _script(self) -> list[ScriptStep]:
        """What is done first, and what a sensible model does where that cannot lead there."""
        return [*self.player.scenario.steps, *self.player.scenario.replan]

    def reply(self) -> Reply:
        """The next calls, or the answer."""
        steps = self.player.scenario.steps
        calls, stuck = self._wave(steps)
        if not calls and stuck and self.player.scenario.replan and type(self.player) in {Sensible, Sloppy}:
            calls, _ = self._wave(self.player.scenario.replan)
        if calls:
            return self.player.agent_calls(calls)
        if self.player.scenario.writer is not None:
            return self.player.scenario.writer
        shown = "\n".join(one.text for tries in self.tries.values() for one in tries if not one.failed)
        failed = "\n".join(one.text for tries in self.tries.values() for one in tries[-1:] if one.failed)
        return self.player.answer_from(self.prompt, shown, failed)

    def _wave(self, steps: Sequence[ScriptStep]) -> tuple[list[tuple[str, str, dict[str, Any]]], bool]:
        calls: list[tuple[str, str, dict[str, Any]]] = []
        stuck = False
        for step in steps:
            if any(not self._is_done(other) for other in step.after):
                continue
            for item, value in self._items(step):
                tries = self.tries.get(f"{step.id}-{item}", [])
                if tries and not tries[-1].failed:
                    continue
                call = step.calls[0] if not tries else self.player.agent_next(step, tries)
                if call is None or step.tool in {None, "none"}:
                    stuck = stuck or call is None
                    continue
                arguments = self._bound(call.arguments, value)
                number = step.calls.index(call)
                calls.append((f"{step.id}-{number}-{item}-{self.player.asked}", self._named(call), arguments))
        return calls, stuck

    def _is_done(self, step_id: str) -> bool:
        step = next(step for step in self._script if step.id == step_id)
        if step.tool in {None, "none"}:
            return True
        return all(
            (tries := self.tries.get(f"{step_id}-{item}")) is not None and not tries[-1].failed
            for item, _ in self._items(step)
        )

    def _items(self, step: ScriptStep) -> list[tuple[str, Any]]:
        if step.for_each is None:
            return [("x", None)]
        listed = self._value(step.for_each["step"], step.for_each.get("path", ""))
        items = cast("list[Any]", listed) if isinstance(listed, list) else []
        return [(str(number), one) for number, one in enumerate(items)]

    def _value(self, step_id: str, path: str) -> Any:
        step = next((step for step in self._script if step.id == step_id), None)
        if step is not None and step.tool in {None, "none"}:
            value: Any = _json(step.thinks)
        else:
            found = self.results.get(step_id, [None])
            value = found if step is not None and step.for_each else found[-1]
        for name, index in re.findall(r"\.?([^.\[\]]+)|\[(\d+|\*)\]", path):
            if index != "*":
                value = _part(value, name or int(index))
        return value

    def _bound(self, value: Any, item: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._bound(part, item) for key, part in cast("dict[str, Any]", value).items()}
        if isinstance(value, list):
            return [self._bound(part, item) for part in cast("list[Any]", value)]
        if not isinstance(value, str):
            return value

        def of(found: re.Match[str]) -> Any:
            if found[1]:
                step = next((one.id for one in self._script if same_tool(one.tool or "", found[1])), "")
                return self._value(step, found[2])
            if found[3] == "item":
                return _at(item, found[4])
            return self._value(found[3], found[4])

        whole = _REFERENCE.fullmatch(value)
        if whole:
            return of(whole)
        return _REFERENCE.sub(lambda found: str(of(found)), value)

    def _named(self, call: ScriptCall) -> str:
        with_action = re.sub(r"[^\w-]+", "__", f"{call.tool}/{call.action}")
        return with_action if call.action and with_action in self.names else re.sub(r"[^\w-]+", "__", call.tool)


def _part(value: Any, key: str | int) -> Any:
    """A field or an item; of a list, the field of each."""
    try:
        if isinstance(value, list) and isinstance(key, str):
            return [one[key] for one in cast("list[Any]", value)]
        return cast("Any", value)[key]
    except (KeyError, IndexError, TypeError):
        return None


def _at(item: Any, path: str) -> Any:
    for name in re.findall(r"[^.\[\]]+", path):
        try:
            item = item[name]
        except (KeyError, TypeError):
            return None
    return item


def _content(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in cast("list[dict[str, Any]]", content))
    return str(content)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _number(item: str) -> int | None:
    return int(item) if item.isdecimal() else None


def is_error_text(text: str) -> bool:
    """Whether a tool's answer reads as an error."""
    return not text.startswith(("{", "["))


PLAYERS: dict[str, Callable[[Scenario], Player]] = {
    "stubborn": Stubborn,
    "lazy": Lazy,
    "sloppy": Sloppy,
    "sensible": Sensible,
}
