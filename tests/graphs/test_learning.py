"""What a run teaches the next: wordings for recall, failures that sink a tool, none across users (R3.4-R3.7, R7.6)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.prompt import Prompt
from switchyard.agents.scope import Custom
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import Step
from switchyard.toolhub.recall.query import Scored
from tests.conftest import OpenOrchestrator
from tests.graphs.conftest import OpenHanded
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.hub_tools import answering, failing, made, schema
from tests.support.plans import call
from tests.support.scopes import scope_over

WORDINGS = ["how damp is the cellar today", "地窖今天潮不潮"]


def add_meters(opened: Orchestrator) -> None:
    """Two tools whose descriptions say nothing of how people ask for them."""
    opened.hub.registry.add(
        made("query_hygrometer", answering("80 %"), takes=schema("room"), description="Hygrometer. 湿度计。")
    )
    opened.hub.registry.add(
        made(
            "cellar_books", answering("12 books"), takes=schema("room"), description="Books in the cellar. 地窖里的书。"
        )
    )


async def ask_meter(opened: Orchestrator, endpoint: Endpoint, wording: str, user: str = "") -> Any:
    endpoint.script(
        plan=[steps({"description": wording, "tool": None})],
        rank=[{"choices": {"s1": ["query_hygrometer"]}}],
        fill=[fills(s1={"room": "cellar"})],
        answer=["80 %"],
    )
    return await opened.ask(wording, options=RunOptions(user=user))


def rank(found: Sequence[Scored], name: str) -> int:
    return next((at for at, scored in enumerate(found) if scored.name == name), 1000)


@pytest.mark.parametrize("wording", WORDINGS)
async def test_a_wording_that_was_served_finds_its_tool_in_the_next_process(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, tmp_path: Path, wording: str
) -> None:
    settings = {"base_url": endpoint.url, "model": "scripted", "database": str(tmp_path / "runs.sqlite")}
    async with orchestrator_with(**settings) as opened:
        add_meters(opened)
        before = await opened.hub.finder.recall(wording, 10)
        report = await ask_meter(opened, endpoint, wording)
    async with orchestrator_with(**settings) as opened:
        add_meters(opened)
        assert opened.experience is not None
        learned = await opened.experience.learned("")
        after = await opened.hub.finder.recall(wording, 10, strategy="fused", learned=learned)
        lexical = await opened.hub.finder.recall(wording, 10, learned=learned)
        rows = await opened.experience.listed("")
        assert await opened.experience.clear("") == 1
        cleared = await opened.hub.finder.recall(wording, 10, learned=await opened.experience.learned(""))
    assert report.status == "answered"
    assert rank(before, "query_hygrometer") > 0
    assert rank(after, "query_hygrometer") == 0
    assert rank(lexical, "query_hygrometer") == 0
    assert [(row.tool, row.wordings.served[0].text) for row in rows] == [("query_hygrometer", wording)]
    assert rank(cleared, "query_hygrometer") == 1000


async def test_nothing_learned_crosses_users(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        add_meters(opened)
        await ask_meter(opened, endpoint, WORDINGS[0], user="安娜")
        assert opened.experience is not None
        own, other = await opened.experience.learned("安娜"), await opened.experience.learned("bob")
        assert await opened.experience.listed("bob") == []
        assert await opened.experience.listed("") == []
    assert list(own.tools) == ["query_hygrometer"]
    assert other.tools == {}


@pytest.mark.parametrize(
    ("question", "summary"), [('fetch the tide of "Dover"', "Fetch the tide of a port."), ("查“大连”潮位", "查潮位。")]
)
async def test_a_tool_that_failed_on_such_a_step_sinks(
    orchestrator_with: OpenOrchestrator, question: str, summary: str
) -> None:
    async with orchestrator_with(max_attempts=1, topk=1) as opened:
        port = schema("port")
        for name, work in (("a_tide", failing("断了 broken", "crash")), ("b_tide", answering("3 m"))):
            tags = ("tide",)
            opened.hub.registry.add(made(name, work, takes=port, description=summary, capability_tags=tags))
        first = await opened.ask(question)
        second = await opened.ask(question)
        assert opened.experience is not None
        (broken,) = [row for row in await opened.experience.listed("") if row.tool == "a_tide"]
    assert [failure.tool for failure in first.failures] == ["a_tide"]
    assert first.steps[0].tool == "b_tide"
    assert broken.wordings.failed
    assert broken.notes.switches == {"b_tide": 1}
    assert second.failures == []
    assert second.steps[0].tool == "b_tide"


async def test_an_unverified_result_teaches_nothing(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    endpoint.script(
        plan=[steps({"description": "湿度 damp", "tool": "query_hygrometer"})],
        fill=[fills(s1={"room": "cellar"})],
        judge=[{"verdicts": [{"step": "s1", "ok": False, "verified": False, "reason": "wrong room 房间不对"}]}],
        decide=[{"action": "complete"}],
        answer=["?"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        opened.hub.registry.add(made("query_hygrometer", answering("Error: 坏了"), takes=schema("room")))
        await opened.ask("湿度 damp")
        assert opened.experience is not None
        learned = await opened.experience.learned("")
    assert all(not known.served for known in learned.tools.values())


async def test_the_same_wording_is_not_written_without_end(orchestrator: Orchestrator) -> None:
    for _ in range(8):
        await orchestrator.ask("What is 15% of 2480?")
    assert orchestrator.experience is not None
    learned = await orchestrator.experience.learned("")
    assert [wording.times for wording in learned.tools["calculate"].served] == [5]


async def test_a_run_keeps_to_the_tools_it_is_allowed(orchestrator: Orchestrator) -> None:
    allowed = await orchestrator.ask("What is 3*4?", options=RunOptions(tools=["calculate"]))
    other = await orchestrator.ask("What is 3*4?", options=RunOptions(tools=["read_file"]))
    assert allowed.steps[0].tool == "calculate"
    assert other.status == "failed"


async def test_only_what_is_specified_is_shown_to_the_planner(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[{"answer": "ok 好"}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        await opened.ask("读文件 read", options=RunOptions(tools=["grep_search", "list_dir"], only_specified=True))
        await opened.ask("读文件 read", options=RunOptions(fixed=["get_conversation_history", "api_caller"]))
    only, fixed = (prompt.split("Question:")[0] for prompt in endpoint.prompts("plan"))
    assert "grep_search" in only
    assert "list_dir" in only
    assert "read_file" not in only
    assert fixed.count("api_caller") == 1
    assert fixed.count("get_conversation_history") == 1


async def test_recall_ranker_and_prompts_can_be_the_users_own(make_settings: Any, endpoint: Endpoint) -> None:
    async def recall(query: str, topk: int) -> list[Scored]:
        return [Scored("list_dir", 1.0), Scored("no_such_tool", 0.5), Scored("read_file", 0.1)][:topk]

    async def ranker(
        question: str, steps: Sequence[Step], recalled: Mapping[str, Sequence[Scored]]
    ) -> Mapping[str, Sequence[str]]:
        return {step.id: [scored.name for scored in recalled[step.id]][:1] for step in steps}

    def prompts(agent: str, answer: str, prompt: Prompt) -> Prompt:
        return Prompt(prompt.system, f"{prompt.user}\n[{agent}/{answer} 自定义]")

    endpoint.script(plan=[steps({"description": "看看 look"})], fill=[fills(s1={"path": "."})], answer=["done"])
    settings = make_settings(base_url=endpoint.url, model="scripted")
    async with open_orchestrator(settings, custom=Custom(recall, ranker, prompts)) as opened:
        report = await opened.ask("看看 look")
    assert report.steps[0].tool == "list_dir"
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert "[planning/PlanAnswer 自定义]" in endpoint.prompts("plan")[0]
    assert "[coordination/text 自定义]" in endpoint.prompts("answer")[0]


async def test_rules_work_with_only_what_is_specified(orchestrator: Orchestrator) -> None:
    options = RunOptions(tools=["calculate", "list_dir"], only_specified=True)
    report = await orchestrator.ask("What is 3*4?", options=options)
    assert [step.tool for step in report.steps] == ["calculate"]
    assert report.status == "answered"


@pytest.mark.parametrize("question", ["What is 3*4?", "3*4等于多少？"])
async def test_all_tools_may_be_specified_at_once(orchestrator: Orchestrator, question: str) -> None:
    scope = scope_over(orchestrator.hub, Path(), options=RunOptions(only_specified=True, recall_topk=1))
    found = [one.name for one in await scope.recall(question, for_model=True)]
    assert found[0] == "calculate"
    assert sorted(found) == [spec.tool_id for spec in orchestrator.hub.registry.listed()]


async def test_no_way_leads_to_a_tool_the_run_may_not_use(handed_with: OpenHanded) -> None:
    async with handed_with(max_attempts=1, topk=1) as opened:
        for name, work in (("a_tide", failing("断了 broken", "crash")), ("b_tide", answering("3 m"))):
            summary = "Fetch the tide of a port. 查潮位。"
            opened.hub.registry.add(
                made(name, work, takes=schema("port"), description=summary, capability_tags=("tide",))
            )
        report = await opened.ask(call("a_tide", port="Dover"), options=RunOptions(tools=["a_tide"]))
    assert report.status == "failed"
    assert [step.tool for step in report.steps] == ["a_tide"]
