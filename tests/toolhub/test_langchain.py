"""LangChain tools as ours, and ours as LangChain tools."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.tools import ArgsSchema, BaseTool, StructuredTool, Tool, ToolException, tool
from pydantic import BaseModel, Field, field_validator

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.tools.core import ToolContext, ToolResult
from tests.support.hub_tools import CONTEXT, made, schema


@tool
def add(left: int, right: int = 1) -> int:
    """Add two numbers. 两数相加。

    The second may be left out.
    """
    return left + right


@tool
async def search_pages(query: str) -> list[Document]:
    """Search pages. 搜索网页。"""
    return [Document(page_content=f"关于{query}", metadata={"page": 1})]


class Station(BaseModel):
    code: str = Field(description="站号")

    @field_validator("code")
    @classmethod
    def _known(cls, value: str) -> str:
        if not value.startswith("3"):
            raise ValueError("a code begins with 3")
        return value


class QueryStation(BaseTool):
    name: str = "query_station"
    description: str = "查询测站。"
    args_schema: ArgsSchema | None = Station

    def _run(self, code: str) -> dict[str, str]:
        if code == "30":
            raise ToolException("no such station: 30")
        return {"code": code}


@pytest.fixture
def library() -> UnifiedToolLibrary:
    return UnifiedToolLibrary(hub=ToolHub(skills=None, native=Path("nowhere")))


async def call(library: UnifiedToolLibrary, name: str, /, **arguments: Any) -> ToolResult:
    return await library.execute_tool(name, None, arguments, CONTEXT)


# Theirs as ours


async def test_a_langchain_tool_registers_as_it_is(library: UnifiedToolLibrary) -> None:
    (spec,) = (await library.register_langchain_tool(add)).tools
    assert (spec.tool_id, spec.summary, spec.details) == (
        "add",
        "Add two numbers. 两数相加。",
        "The second may be left out.",
    )
    assert "left (integer, required)" in await library.get_tool_description_for_agent("add")
    assert (await call(library, "add", left=2)).result == 3


async def test_an_asynchronous_one_gives_plain_data(library: UnifiedToolLibrary) -> None:
    await library.register_langchain_tool(search_pages)
    (page,) = (await call(library, "search_pages", query="水位")).result
    assert (page["page_content"], page["metadata"]) == ("关于水位", {"page": 1})


async def test_one_with_a_single_text_is_called_by_it(library: UnifiedToolLibrary) -> None:
    def echo(text: str) -> str:
        return text * 2

    await library.register_langchain_tool(Tool(name="回声", description="Echo. 回声。", func=echo))
    assert (await call(library, "回声", tool_input="水")).result == "水水"
    assert "did you mean 'tool_input'?" in ((await call(library, "回声", input="水")).error or "")


async def test_one_described_by_a_plain_schema_is_called(library: UnifiedToolLibrary) -> None:
    async def greet(**given: Any) -> str:
        return f"你好{given['name']}"

    await library.register_langchain_tool(
        StructuredTool(name="greet", description="Greet.", args_schema=schema("name"), coroutine=greet)
    )
    assert (await call(library, "greet", name="修武")).result == "你好修武"
    assert "'name' is required" in ((await call(library, "greet")).error or "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"lef": 1}, "did you mean 'left'?"),
        ({}, "'left' is required"),
        ({"left": "三"}, "expected integer"),
    ],
)
async def test_bad_arguments_are_told_as_for_any_tool(
    library: UnifiedToolLibrary, arguments: dict[str, Any], said: str
) -> None:
    await library.register_langchain_tool(add)
    result = await call(library, "add", **arguments)
    assert result.error_type == "bad_arguments"
    assert said in (result.error or "")


async def test_what_only_the_tools_own_model_knows_to_be_wrong_is_told_too(library: UnifiedToolLibrary) -> None:
    await library.register_langchain_tool(QueryStation())
    result = await call(library, "query_station", code="99")
    assert result.error_type == "bad_arguments"
    assert "a code begins with 3" in (result.error or "")
    assert "Fields: code." in (result.error or "")


async def test_an_error_is_a_failure_even_where_langchain_would_make_it_a_text(library: UnifiedToolLibrary) -> None:
    theirs = QueryStation(handle_tool_error=True)
    await library.register_langchain_tool(theirs)
    result = await call(library, "query_station", code="30")
    assert (result.success, result.error) == (False, "query_station: no such station: 30")
    assert await theirs.ainvoke({"code": "30"}) == "no such station: 30"


@pytest.mark.parametrize(
    ("metadata", "fields", "asks"),
    [
        (None, {}, True),
        ({"readOnlyHint": True}, {}, False),
        ({"readOnlyHint": False}, {}, True),
        (None, {"writes": False}, False),
    ],
)
async def test_a_person_is_asked_unless_the_tool_is_known_to_read(
    library: UnifiedToolLibrary, metadata: dict[str, Any] | None, fields: dict[str, Any], *, asks: bool
) -> None:
    (spec,) = (await library.register_langchain_tool(add.model_copy(update={"metadata": metadata}), **fields)).tools
    assert spec.asks_first is asks


async def test_more_can_be_said_about_it_than_langchain_does(library: UnifiedToolLibrary) -> None:
    await library.register_langchain_tool(
        add, tool_id="加", tags=("加法",), sentences=("2加3",), category="calculation"
    )
    assert [spec.tool_id for spec in library.hub.registry.with_tags(["加法"])] == ["加"]
    assert (await call(library, "加", left=1, right=2)).result == 3


# Ours as theirs


@pytest.fixture
async def ours() -> UnifiedToolLibrary:
    library = UnifiedToolLibrary(hub=ToolHub(skills=None))
    await library.initialize()
    return library


async def test_every_tool_is_exported(ours: UnifiedToolLibrary) -> None:
    exported = {one.name for one in await ours.export_langchain_tools(CONTEXT)}
    assert {"calculate", "get_time", "read_file", "use_browser__navigate", "use_browser__click"} <= exported
    assert "use_browser" not in exported


async def test_an_exported_tool_runs(ours: UnifiedToolLibrary, tmp_path: Path) -> None:
    (tmp_path / "水位.md").write_text("一百米", encoding="utf-8")
    calculate, read = await ours.export_langchain_tools(ToolContext(workspace=tmp_path), ["calculate", "read_file"])
    assert (await calculate.ainvoke({"expression": "2480的15%"}))["value"] == 372
    assert "一百米" in str(await read.ainvoke({"path": "水位.md"}))


async def test_an_exported_tool_tells_an_agent_what_was_wrong(ours: UnifiedToolLibrary) -> None:
    (calculate,) = await ours.export_langchain_tools(CONTEXT, ["calculate"])
    message = await calculate.ainvoke(
        {"name": "calculate", "args": {"expresion": "1+1"}, "id": "1", "type": "tool_call"}
    )
    assert message.status == "error"
    assert "did you mean 'expression'?" in message.content


async def test_an_exported_tool_is_described_for_a_model(ours: UnifiedToolLibrary) -> None:
    (calculate,) = await ours.export_langchain_tools(CONTEXT, ["calculate"])
    spec = await ours.get_tool_by_id("calculate")
    assert spec is not None
    assert calculate.description.startswith(spec.summary)
    assert "Returns" in calculate.description
    assert "expression" in calculate.args
    assert calculate.metadata == {"writes": False, "asks_first": False, "source": "native"}


async def test_an_action_of_several_is_a_tool_of_its_own(library: UnifiedToolLibrary) -> None:
    seen: list[str | None] = []

    async def run(request: ToolRequest) -> ToolResult:
        seen.append(request.action)
        return ToolResult(result=request.given)

    actions = [
        {"name": "看", "description": "Look. 看。", "parameters": schema("path"), "writes": False},
        {"name": "写", "description": "Write. 写。", "parameters": schema("path", "text"), "writes": True},
    ]
    spec = made("笔记", add.ainvoke, capabilities=actions, writes=True).spec
    library.hub.registry.add(type(made("x", add.ainvoke))(spec, run))
    look, write = await library.export_langchain_tools(CONTEXT)
    assert (look.name, look.description, write.name) == ("笔记__看", "Look. 看。", "笔记__写")
    assert [one.metadata and one.metadata["writes"] for one in (look, write)] == [False, True]
    assert await write.ainvoke({"path": "a", "text": "b"}) == {"path": "a", "text": "b"}
    assert seen == ["写"]


async def test_a_servers_tool_gets_a_name_that_models_accept(library: UnifiedToolLibrary) -> None:
    library.hub.registry.add(made("git/git_status", add.ainvoke, source="mcp"))
    assert [one.name for one in await library.export_langchain_tools(CONTEXT)] == ["git__git_status"]


async def test_synchronous_code_in_another_thread_uses_the_librarys_loop(ours: UnifiedToolLibrary) -> None:
    (calculate,) = await ours.export_langchain_tools(CONTEXT, ["calculate"])
    result = await asyncio.to_thread(calculate.invoke, {"expression": "6*7"})
    assert result["value"] == 42


def test_synchronous_code_without_a_loop_works_too() -> None:
    library = UnifiedToolLibrary(hub=ToolHub(skills=None))
    asyncio.run(library.initialize())
    (calculate,) = asyncio.run(library.export_langchain_tools(CONTEXT, ["calculate"]))
    assert calculate.invoke({"expression": "6*7"})["value"] == 42


async def test_synchronous_code_inside_the_loop_is_told_what_to_use(ours: UnifiedToolLibrary) -> None:
    (calculate,) = await ours.export_langchain_tools(CONTEXT, ["calculate"])
    assert "ainvoke" in calculate.invoke({"expression": "6*7"})


async def test_ours_exported_and_registered_again_still_works(ours: UnifiedToolLibrary) -> None:
    library = UnifiedToolLibrary(hub=ToolHub(skills=None, native=Path("nowhere")))
    (calculate,) = await ours.export_langchain_tools(CONTEXT, ["calculate"])
    await library.register_langchain_tool(calculate)
    assert (await call(library, "calculate", expression="1+1")).result["value"] == 2
    assert (await call(library, "calculate", expression="1/0")).error_type == "crash"
