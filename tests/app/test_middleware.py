"""Tool selection and the failure guard in agents of `create_agent`, with a model that plays a script."""

import asyncio
import importlib.util
import sys
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]  only partly typed
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from pydantic import Field

from switchyard import SettingsInvalid, SwitchyardFailureGuard, SwitchyardToolSelection, ToolUnknown

Asked = Callable[..., list[BaseMessage]]


class Played(BaseChatModel):
    """Plays a script, and keeps what each call saw: the names of the tools, and the messages."""

    script: list[Any]
    seen: list[tuple[list[str], list[BaseMessage]]] = Field(default_factory=list[tuple[list[str], list[BaseMessage]]])

    @property
    def _llm_type(self) -> str:
        return "played"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self.bind(shown=[tool.name for tool in tools])

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        self.seen.append((kwargs.get("shown", []), messages))
        reply = self.script[min(len(self.seen), len(self.script)) - 1]
        if isinstance(reply, str):
            return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])
        name, arguments = reply
        call = {"name": name, "args": arguments, "id": f"call{len(self.seen)}"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])

    @property
    def shown(self) -> list[list[str]]:
        return [names for names, _ in self.seen]


def plays(*script: Any) -> Played:
    return Played(script=list(script))


def calls(name: str, /, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return name, arguments


def agent(model: Played, tools: Sequence[Any], *middleware: Any, **given: Any) -> Any:
    return cast("Any", create_agent)(model, list(tools), middleware=list(middleware), **given)


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Asked:
    """Asks an agent as a synchronous program does, or as an asynchronous one."""

    def asked(one: Any, question: Any, thread: str = "t") -> list[BaseMessage]:
        given = {"messages": [("user", question)]} if isinstance(question, str) else question
        config = {"configurable": {"thread_id": thread}}
        if request.param == "sync":
            return one.invoke(given, config)["messages"]
        return asyncio.run(one.ainvoke(given, config))["messages"]

    return asked


def told(messages: Sequence[BaseMessage]) -> list[str]:
    return [message.text for message in messages if isinstance(message, ToolMessage)]


def tool(name: str, description: str, run: Callable[..., Any] | None = None) -> BaseTool:
    def given_back(text: str) -> str:
        return f"{name}: {text}"

    return StructuredTool.from_function(run or given_back, name=name, description=description)


KINDS = ["invoices", "parcels", "lamps", "recipes", "songs", "taxes", "trains", "plants", "films", "roofs"]
OTHERS = [
    tool(f"{verb}_{kind}", f"{verb.title()} the {kind} of a customer.")
    for verb in ("sort", "count", "print")
    for kind in KINDS
]
WEATHER = tool("get_forecast", "The weather of the next days in a city. 查询城市未来几天的天气预报。")
MAIL = tool("send_mail", "Send an e-mail to somebody. 给某人发送电子邮件。")
TOOLS = [*OTHERS, WEATHER, MAIL]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How will the weather be in Oslo tomorrow?", "get_forecast"),
        ("奥斯陆明天的天气怎么样？", "get_forecast"),
        ("Send an e-mail to Ben", "send_mail"),
        ("给王芳发一封电子邮件", "send_mail"),
    ],
)
def test_only_the_right_few_tools_are_in_the_request(ask: Asked, question: str, wanted: str) -> None:
    model = plays("Done.")
    ask(agent(model, TOOLS, SwitchyardToolSelection(topk=3)), question)
    [shown] = model.shown
    assert shown[0] == wanted
    assert len(shown) <= 3


@pytest.mark.parametrize(
    ("question", "shown"),
    [("내일 오슬로 날씨는 어때요?", len(TOOLS)), ("Какая завтра погода?", len(TOOLS)), ("🎉", 0)],
)
def test_a_question_that_cannot_be_read_here_leaves_the_model_its_tools(ask: Asked, question: str, shown: int) -> None:
    model = plays("Done.")
    ask(agent(model, TOOLS, SwitchyardToolSelection(topk=3)), question)
    assert len([name for names in model.shown for name in names]) == shown


def test_what_was_used_or_named_stays_in_view(ask: Asked) -> None:
    model = plays(calls("get_forecast", text="Oslo"), "Rain.", "Sorted.", "Counted.")
    one = agent(model, TOOLS, SwitchyardToolSelection(topk=2), checkpointer=InMemorySaver())
    ask(one, "How will the weather be in Oslo?")
    ask(one, "Sort the invoices, and keep send_mail at hand")
    ask(one, "请数一数 parcels，之后用print_roofs打印")
    assert "get_forecast" in model.shown[1]
    assert {"get_forecast", "send_mail"} <= {*model.shown[2]}
    assert {"get_forecast", "send_mail", "print_roofs"} <= {*model.shown[3]}


@pytest.mark.parametrize(
    ("question", "offer", "reply"),
    [
        ("Is there any news?", "Shall I send an e-mail to Ben about it?", "Yes, please"),
        ("有什么消息吗？", "要我给王芳发一封电子邮件吗？", "好的"),
    ],
)
def test_a_short_reply_is_about_what_was_said_before(ask: Asked, question: str, offer: str, reply: str) -> None:
    model, later = plays(offer, calls("send_mail", text="Ben"), "Sent."), plays("?")
    selection = SwitchyardToolSelection(topk=3)
    one = agent(model, TOOLS, selection, checkpointer=InMemorySaver())
    ask(one, question)
    ask(one, reply)
    ask(agent(later, TOOLS, selection), reply)
    assert "send_mail" in model.shown[1]
    assert "send_mail" not in later.shown[0]  # it taught nothing


def test_tools_of_any_kind_are_taken(ask: Asked) -> None:
    bare = tool("water_lamps", "x").model_copy(update={"description": ""})
    twins = [tool("sort_plants", "Sort plants by height."), tool("sort_plants", "Sort plants by age.")]
    for tools in ([], [WEATHER], [*OTHERS, bare, *twins]):
        model = plays("Done.")
        ask(agent(model, tools, SwitchyardToolSelection(topk=4)), "water the lamps and sort plants by age")
        [shown] = model.shown
        assert len(set(shown)) == len(shown)
        assert len(tools) < 2 or {"water_lamps", "sort_plants"} <= {*shown}


def test_tools_that_are_always_wanted_are_always_there(ask: Asked) -> None:
    model = plays("Done.")
    ask(agent(model, TOOLS, SwitchyardToolSelection(topk=2, always=["send_mail"])), "count the lamps")
    assert "send_mail" in model.shown[0]
    with pytest.raises(ToolUnknown, match="send_mail"):
        ask(agent(model, TOOLS, SwitchyardToolSelection(topk=2, always=["send_mails"])), "count the lamps")


def test_a_model_ranks_once_for_a_question_where_that_is_wanted(ask: Asked) -> None:
    ranks = plays('{"choices": {"s1": ["print_lamps", "no_such_tool"]}}')
    model = plays(calls("print_lamps", text="all"), "Done.")
    ask(agent(model, TOOLS, SwitchyardToolSelection(topk=3, rank=ranks)), "what about the lamps?")
    assert model.shown == [["print_lamps"], ["print_lamps"]]
    assert len(ranks.seen) == 1
    model = plays("I cannot rank.", "Done.")
    ask(agent(model, TOOLS, SwitchyardToolSelection(topk=3, rank=True)), "what about the lamps?")
    assert len(model.shown[1]) == 3


@pytest.mark.parametrize("question", ["Is it worth taking a brolly to Oslo?", "去奥斯陆要不要带伞？"])
def test_a_tool_that_served_is_found_the_next_time(ask: Asked, question: str) -> None:
    store, selection = InMemoryStore(), SwitchyardToolSelection(topk=2)
    before, served, after = plays("?"), plays(calls("get_forecast", text="Oslo"), "Yes."), plays("?")
    ask(agent(before, TOOLS, selection, store=store), question)
    ask(agent(served, TOOLS, selection, store=store), question)
    ask(agent(after, TOOLS, SwitchyardToolSelection(topk=2), store=store), question)  # another process
    assert "get_forecast" not in before.shown[0]
    assert after.shown[0][0] == "get_forecast"


@pytest.mark.parametrize("failure", [ToolException("the service is down"), "Error: the service is down"])
def test_a_tool_that_failed_teaches_nothing(ask: Asked, failure: Exception | str) -> None:
    def fails(text: str) -> str:
        if isinstance(failure, Exception):
            raise failure
        return failure

    tools = [*OTHERS, tool("get_forecast", "The weather of the next days in a city.", fails)]
    selection, question = SwitchyardToolSelection(topk=2), "Is it worth taking a brolly to Oslo?"
    for _ in range(2):
        model = plays(calls("get_forecast", text="Oslo"), "No idea.")
        ask(agent(model, tools, selection, SwitchyardFailureGuard()), question)
        assert "get_forecast" not in model.shown[0]


def test_what_one_user_taught_does_not_reach_another(ask: Asked) -> None:
    current = {"user": ""}
    selection = SwitchyardToolSelection(topk=2, user=lambda _: current["user"])
    question = "Is it worth taking a brolly to Oslo?"
    seen: dict[str, list[str]] = {}
    for user in ("ben", "fang", "ben"):
        current["user"] = user
        model = plays(calls("get_forecast", text="Oslo"), "Yes.") if not seen else plays("?")
        ask(agent(model, TOOLS, selection), question)
        seen[user] = model.shown[0]
    assert "get_forecast" not in seen["fang"]
    assert "get_forecast" in seen["ben"]


@pytest.mark.parametrize("kind", [SwitchyardToolSelection, SwitchyardFailureGuard])
def test_a_middleware_put_in_twice_is_refused(kind: Any) -> None:
    twin = kind()
    for pair in ([kind(), kind()], [twin, twin]):
        with pytest.raises(AssertionError, match="duplicate"):
            agent(plays("?"), TOOLS, *pair)


def test_a_number_of_tools_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsInvalid, match="topk is 0") as refused:
        SwitchyardToolSelection(topk=0)
    assert "至少为 1" in refused.value.args[0].text("zh")


def test_without_langchain_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("switchyard.app.middleware")]:
        monkeypatch.delitem(sys.modules, name)

    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", nothing)
    with pytest.raises(SettingsInvalid, match=r"switchyard\[middleware\]"):
        importlib.import_module("switchyard.app.middleware.guard")


class Shelf:
    """Tools over notes that count their calls; a note is there once it was written."""

    def __init__(self, *errors: Exception) -> None:
        self.notes: dict[str, str] = {}
        self.reads = 0
        self._errors = list(errors)

    def read_note(self, name: str) -> str:
        """Read a note. 读取笔记。"""
        self.reads += 1
        if self._errors:
            raise self._errors.pop(0)
        if name not in self.notes:
            raise ToolException(f"There is no note '{name}'.")
        return self.notes[name]

    def write_note(self, name: str, text: str = "") -> str:
        """Write a note. 写入笔记。"""
        self.notes[name] = text or name
        return "written"

    def search_notes(self, text: str) -> str:
        """Search the notes for a text, to read what they say. 搜索笔记，读取内容。"""
        return f"nothing about {text}"

    @property
    def tools(self) -> list[BaseTool]:
        return [StructuredTool.from_function(one) for one in (self.read_note, self.write_note, self.search_notes)]


READS = calls("read_note", name="plan")


@pytest.mark.parametrize(
    ("question", "why", "instead"),
    [
        ("Read the note plan", "failed before", "Other tools may do it: search_notes"),
        ("读取笔记 plan", "之前已经失败", "可以换用其他工具：search_notes"),
    ],
)
def test_a_failed_call_is_not_made_again(ask: Asked, question: str, why: str, instead: str) -> None:
    shelf = Shelf()
    model = plays(READS, calls("read_note", name=" plan "), "There is none.")
    first, second = told(ask(agent(model, shelf.tools, SwitchyardFailureGuard()), question))
    assert shelf.reads == 1
    assert why not in first
    assert why in second
    for text in (first, second):
        assert "There is no note 'plan'" in text
        assert instead in text


def test_other_arguments_are_made(ask: Asked) -> None:
    shelf = Shelf()
    shelf.notes["plans"] = "Rest."
    model = plays(READS, calls("read_note", name="plans"), "Rest.")
    assert told(ask(agent(model, shelf.tools, SwitchyardFailureGuard()), "Read my plan"))[1] == "Rest."


def test_what_may_pass_is_tried_again_but_not_forever(ask: Asked) -> None:
    shelf = Shelf(*[TimeoutError("timed out")] * 9)
    model = plays(READS, READS, READS, READS, "It is too slow.")
    texts = told(ask(agent(model, shelf.tools, SwitchyardFailureGuard(retry_delay=0)), "Read the note plan"))
    assert shelf.reads == 3
    assert ["failed before" in text for text in texts] == [False, False, False, True]


def test_a_write_in_between_frees_the_call(ask: Asked) -> None:
    shelf = Shelf()
    model = plays(READS, READS, calls("write_note", name="plan"), READS, "plan")
    texts = told(ask(agent(model, shelf.tools, SwitchyardFailureGuard()), "Read the note plan"))
    assert shelf.reads == 2
    assert texts[2:] == ["written", "plan"]


def test_an_error_that_is_returned_counts_as_one(ask: Asked) -> None:
    def look_up(station: str) -> dict[str, str]:
        """Look up the level of a station. 查询测站水位。"""
        asked.append(station)
        return {"error": f"测站 {station} 不存在"}

    asked: list[str] = []
    reads = calls("look_up", station="修武")
    texts = told(ask(agent(plays(reads, reads, "没有。"), [look_up], SwitchyardFailureGuard()), "修武站水位"))
    assert asked == ["修武"]
    assert "之前已经失败" in texts[1]


def test_bad_arguments_and_unknown_tools_are_told_with_what_is_right(ask: Asked) -> None:
    shelf = Shelf()
    wrong = calls("read_note", nane="plan", timeout=20)
    model = plays(wrong, wrong, calls("reed_note", name="plan"), "Sorry.")
    texts = told(ask(agent(model, [*OTHERS, *shelf.tools], SwitchyardFailureGuard()), "Read the note plan"))
    assert shelf.reads == 0
    assert "failed before (bad_arguments" in texts[1]
    assert "read_note" in texts[2]
    assert "print_lamps" not in texts[2]


def test_the_next_question_of_a_thread_begins_afresh(ask: Asked) -> None:
    shelf, saver = Shelf(), InMemorySaver()
    one = agent(
        plays(READS, "There is none.", READS, "None."), shelf.tools, SwitchyardFailureGuard(), checkpointer=saver
    )
    ask(one, "Read the note plan")
    messages = ask(one, "Is it there now?")
    assert shelf.reads == 2
    assert not any("failed before" in text for text in told(messages))


def test_a_thread_that_goes_on_elsewhere_knows_what_failed(ask: Asked) -> None:
    shelf, saver = Shelf(), InMemorySaver()
    stops = agent(
        plays(READS, READS), shelf.tools, SwitchyardFailureGuard(), checkpointer=saver, interrupt_after=["tools"]
    )
    ask(stops, "读取笔记 plan")
    goes_on = agent(plays(READS, "没有。"), shelf.tools, SwitchyardFailureGuard(), checkpointer=saver)
    texts = told(ask(goes_on, None))
    assert shelf.reads == 1
    assert "之前已经失败" in texts[1]


def test_a_tool_that_asks_a_person_is_no_failure(ask: Asked) -> None:
    def pay(amount: str) -> str:
        """Pay an amount. 支付。"""
        return f"paid {amount}: {interrupt('Sure?')}"

    one = agent(plays(calls("pay", amount="5"), "Paid."), [pay], SwitchyardFailureGuard(), checkpointer=InMemorySaver())
    ask(one, "Pay 5")
    assert told(ask(one, Command(resume="yes"))) == ["paid 5: yes"]


@pytest.mark.slow
async def test_tools_of_a_real_server_are_chosen_and_guarded() -> None:
    clock = {"transport": "stdio", "command": sys.executable, "args": ["-P", "-m", "mcp_server_time"]}
    tools = await MultiServerMCPClient(cast("Any", {"clock": clock})).get_tools()
    wrong = calls("get_current_time", timezone="Asia/Edo")
    model = plays(wrong, wrong, calls("get_current_time", timezone="Asia/Tokyo"), "早上。")
    one = agent(model, [*tools, *OTHERS], SwitchyardToolSelection(topk=3), SwitchyardFailureGuard())
    state = await one.ainvoke({"messages": [("user", "What is the current time in Tokyo? 东京现在几点？")]})
    first, second, third = told(state["messages"])
    assert all("get_current_time" in shown and len(shown) <= 3 for shown in model.shown)
    assert "failed before" not in first
    assert "failed before" in second
    assert "Asia/Tokyo" in third


def test_a_star_brings_what_a_base_install_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain", None)
    brought: dict[str, object] = {}
    exec("from switchyard import *", brought)  # noqa: S102  what is tried
    assert "open_orchestrator" in brought
    assert not {"SwitchyardToolSelection", "SwitchyardFailureGuard"} & brought.keys()
