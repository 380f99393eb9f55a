"""Who asks a model, and what a prompt says: the only place that knows how our prompts look.

Who asks is told by the schema the answer has to have, and where a text is asked for by what the system prompt begins
with. A prompt is read by its headings, lines that end with a colon, so that what is added to one is not in the way.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, cast

Kind = Literal["plan", "rank", "fill", "late", "reason", "judge", "decide", "answer", "agent", "other"]

BY_SCHEMA: dict[str, Kind] = {
    "PlanAnswer": "plan",
    "RankAnswer": "rank",
    "FillAnswer": "fill",
    "LateAnswer": "late",
    "JudgeAnswer": "judge",
    "DecideAnswer": "decide",
}
BY_BEGINNING: dict[str, Kind] = {"Write the answer": "answer", "Do the task below by reasoning": "reason"}

_HEADING = re.compile(r"^(?!\s|-)([A-Z][^:\n]{1,160}):[ \t]*$", re.MULTILINE)
_STEP = re.compile(r"^- (?P<id>[\w.-]+)(?: with (?P<tool>[\w./-]+))?(?P<rest>.*)$", re.MULTILINE)
_WAY = re.compile(r"^- (?P<action>\w+) \((?P<steps>[^)]*)\): (?P<reason>.*)$")
_FOR = re.compile(r"^\s+for (?P<step>[\w.-]+):\s*$")
_END = re.compile(r"\n\n(?:Task|Question): ")
"""What every prompt ends with; a question may have such a line too, so the first counts."""
_CALL = re.compile(r"^- (?:[\w.\[\]-]+: )?(?P<tool>[\w./-]+)\((?=\{)", re.MULTILINE)
_ASK = re.compile(r"^(?P<number>\d+)\. (?P<text>.*?)(?: \((?:(?P<state>open)|done by [^)]*)\))?$", re.MULTILINE)
_TOOL = re.compile(r"^\s*[-*] (?P<tool>[\w/-]+)")


def calls_told(failures: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls that a prompt says failed: tool and arguments each, as far as they are shown whole."""
    found: list[tuple[str, dict[str, Any]]] = []
    for call in _CALL.finditer(failures):
        try:
            arguments, _ = json.JSONDecoder().raw_decode(failures, call.end())
        except ValueError:
            continue
        tool, _, action = call["tool"].partition(".")
        found.append((tool, {**arguments, **({"action": action} if action else {})}))
    return found


@dataclass(frozen=True)
class AskedStep:
    """A step as a prompt tells it."""

    id: str
    tool: str
    text: str


@dataclass
class AllowedWay:
    """Something that may be decided."""

    action: str
    steps: list[str]
    reason: str
    tools: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For a switch: what can be switched to, by step, best first."""


@dataclass(frozen=True)
class Prompt:
    """A request, read."""

    body: dict[str, Any]

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        """All messages."""
        return self.body["messages"]

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Name and schema of what must be answered; empty where a text is asked for."""
        shape = cast("dict[str, Any]", self.body.get("response_format") or {})
        return shape.get("json_schema") or {}

    @cached_property
    def kind(self) -> Kind:
        """Who asks."""
        if self.body.get("tools"):
            return "agent"
        if named := BY_SCHEMA.get(str(self.schema.get("name"))):
            return named
        for beginning, kind in BY_BEGINNING.items():
            if self.system.startswith(beginning):
                return kind
        return "other"

    @property
    def system(self) -> str:
        """The instructions."""
        return str(self.messages[0]["content"])

    @cached_property
    def user(self) -> str:
        """What is asked, without what was said about an unusable answer."""
        return next(str(one["content"]) for one in self.messages if one["role"] == "user")

    @property
    def is_again(self) -> bool:
        """Whether an answer before this could not be used."""
        return self.kind != "agent" and len(self.messages) > 2

    @cached_property
    def sections(self) -> dict[str, str]:
        """What stands under each heading."""
        text = _END.split(self.user)[0]
        found = list(_HEADING.finditer(text))
        ends = [one.start() for one in found[1:]] + [len(text)]
        return {one[1]: text[one.end() : end].strip("\n") for one, end in zip(found, ends, strict=False)}

    def section(self, beginning: str) -> str:
        """What stands under the heading that begins so."""
        return next((text for title, text in self.sections.items() if title.startswith(beginning)), "")

    @property
    def failures(self) -> str:
        """What is said to have failed."""
        return self.section("What failed")

    @property
    def lessons(self) -> str:
        """What earlier runs taught."""
        return self.section("Known from earlier")

    @property
    def results(self) -> str:
        """What the writer of the answer, the judge or a step of reasoning is shown."""
        return self.section("Results") or self.section("Earlier results")

    @property
    def not_done(self) -> str:
        """What the writer of the answer is told is missing, in a part of its own or beside a result."""
        beside = [
            line.split("<data>")[0] for line in self.results.splitlines() if "items failed" in line.split("<data>")[0]
        ]
        return "\n".join(filter(None, [self.section("Not done"), *beside]))

    @cached_property
    def asks(self) -> dict[int, str]:
        """What is asked for, by its number, where a prompt lists it."""
        return {int(found["number"]): found["text"] for found in self._asks}

    @cached_property
    def open_asks(self) -> list[int]:
        """The numbers of those that are open when planning anew."""
        return [int(found["number"]) for found in self._asks if found["state"] == "open"]

    @property
    def _asks(self) -> list[re.Match[str]]:
        return list(_ASK.finditer(self.section("Asked for") or self.section("What is asked for")))

    def closed(self, answer: str, still_open: Sequence[int]) -> str:
        """An answer as its writer must end it, with the numbers of the asks that it leaves open."""
        if "OPEN:" not in self.system:
            return answer
        return f"{answer}\nOPEN: {', '.join(map(str, still_open)) or 'none'}"

    @property
    def plans_anew(self) -> bool:
        """Whether there was a plan already."""
        return bool(self.section("The original plan"))

    @cached_property
    def finished(self) -> set[str]:
        """The ids of the steps that are kept when planning anew."""
        return {found["id"] for found in _STEP.finditer(self.section("Finished steps"))}

    @cached_property
    def steps(self) -> list[AskedStep]:
        """The steps that tools or arguments are asked for."""
        return [
            AskedStep(found["id"].rstrip(":"), found["tool"] or "", found["rest"])
            for found in _STEP.finditer(self.section("Steps"))
        ]

    @cached_property
    def steps_by_tool(self) -> dict[str, str]:
        """The ids of all steps that are told of, by their tool."""
        others = _STEP.finditer(self.section("Other steps"))
        told = [
            (found["tool"] or found["rest"].strip(" ():").split(",")[0].split(")")[0], found["id"]) for found in others
        ]
        return {**dict(told), **{step.tool: step.id for step in self.steps}}

    @cached_property
    def listed_tools(self) -> list[str]:
        """The tools a planner or ranker is shown."""
        return [found[1] for line in self.section("Tools").splitlines() if (found := re.match(r"- ([\w./-]+)", line))]

    @cached_property
    def defined(self) -> set[str]:
        """The tools whose arguments a planner writes."""
        return set(
            re.findall(r"^([\w./-]+):$", self.user.partition("Tools whose arguments you write")[2], re.MULTILINE)
        )

    @cached_property
    def ways(self) -> list[AllowedWay]:
        """What may be decided."""
        ways: list[AllowedWay] = []
        step = ""
        for line in self.section("Allowed").splitlines():
            if way := _WAY.match(line):
                steps = [part.strip() for part in way["steps"].split(",") if part.strip() not in {"", "end"}]
                ways.append(AllowedWay(way["action"], steps, way["reason"]))
            elif ways and (of_step := _FOR.match(line)):
                step = of_step["step"]
                ways[-1].tools[step] = []
            elif ways and step in ways[-1].tools and (tool := _TOOL.match(line)):
                ways[-1].tools[step].append(tool["tool"])
        return ways

    @property
    def defined_tool(self) -> str:
        """The tool whose arguments are asked for late."""
        found = re.match(r"\s*(?:- )?([\w/-]+)", self.section("Tool"))
        return found[1] if found else ""

    @property
    def task(self) -> str:
        """The step that is reasoned about, or whose arguments come late."""
        found = re.search(r"^Task: (.*)$", self.user, re.MULTILINE)
        return found[1] if found else ""
