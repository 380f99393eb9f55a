"""Tools and servers that are registered in code: what is taken, and why something is not."""

import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from switchyard import FunctionToolSpec, MCPServerSpec, RegistrationResult, ToolCapability, ToolSpec, UnifiedToolLibrary
from switchyard.language.messages import said
from switchyard.toolhub.hub import ToolHub
from tests.support.hub_tools import answering, made
from tests.support.mcp_bench import lean, nothing_left

MODULE = '''
from switchyard import BaseTool, BaseToolParams, ToolContext, tool


class Navigator:
    """Plain: a method for each capability."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.at = home

    def navigate(self, url: str) -> str:
        self.at = self.home + url
        return self.at

    async def click(self, selector, context: ToolContext, times: int = 1):
        return [self.at, selector, times, context.step_id]


class Plain:
    def __init__(self, sign: str = "!") -> None:
        self.sign = sign

    def execute(self, text: str) -> str:
        """Shout."""
        return text + self.sign


class Params(BaseToolParams):
    text: str


@tool(tags=("声音",))
class Described(BaseTool):
    """Say it. 说出来。"""

    def __init__(self, sign: str = "!") -> None:
        self.sign = sign

    def execute(self, params: Params) -> str:
        return params.text + self.sign


class Nothing:
    pass


class Picky:
    def __init__(self) -> None:
        raise ValueError("not today 今天不行")


not_a_class = 1
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that can be imported, and was not."""
    name = f"registered_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / f"{name}_broken.py").write_text("raise RuntimeError('坏了')", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


@pytest.fixture
def library() -> UnifiedToolLibrary:
    return UnifiedToolLibrary(hub=ToolHub(native=Path("nowhere"), skills=None))


def why(result: RegistrationResult) -> tuple[str, str]:
    """The reason in both languages."""
    assert not result.success
    assert result.tools == []
    return result.error or "", said(result.error or "", "zh")


# Code


def add(left: int, right: int = 1) -> int:
    """Add. 相加。

    Two numbers.
    """
    return left + right


async def test_a_plain_function_is_a_tool_at_once(library: UnifiedToolLibrary) -> None:
    result = await library.register_function_tool(add, name="加法", tags=("加",))
    assert (result.success, result.tool_id, result.error) == (True, "add", None)
    spec = await library.get_tool_by_id("add")
    assert spec is not None
    assert (spec.tool_id, spec.name, spec.description) == ("add", "加法", "Add. 相加。\n\nTwo numbers.")
    assert (spec.summary, spec.details) == ("Add. 相加。", "Two numbers.")
    assert (await library.execute_tool("add", None, {"left": "2"})).result == 3


CAPABILITIES = (
    ToolCapability(
        name="navigate",
        description="导航到指定网页",
        parameters={"url": {"type": "string", "description": "目标网页", "required": True}},
        examples=({"url": "/水位"},),
        category="web",
    ),
    ToolCapability(
        name="click",
        description="Click an element.",
        parameters={"selector": {"type": "string", "required": True}, "times": {"type": "integer", "required": False}},
        examples=({"selector": "#ok"},),
        category="web",
    ),
)


async def test_a_class_is_named_by_module_class_and_init_parameters(library: UnifiedToolLibrary, module: str) -> None:
    spec = FunctionToolSpec(
        tool_id="browser_navigator",
        name="网页导航器",
        description="提供网页导航和元素交互功能",
        capabilities=CAPABILITIES,
        tags=("web", "automation"),
        module_path=module,
        class_name="Navigator",
        init_params={"home": "https://example.com"},
    )
    assert module not in sys.modules  # a description runs nothing
    result = await library.register_function_tool(spec)
    assert (result.success, result.error) == (True, None)
    there = await library.execute_tool("browser_navigator", "navigate", {"url": "/水位"})
    assert there.result == "https://example.com/水位"
    clicked = await library.execute_tool("browser_navigator", "click", {"selector": "#ok"})
    assert clicked.result == ["https://example.com/水位", "#ok", 1, ""]
    wrong = await library.execute_tool("browser_navigator", "navigate", {"ur": "/"})
    assert "did you mean 'url'?" in (wrong.error or "")
    assert await library.get_tool_usage_examples("browser_navigator") == [
        {"tool_id": "browser_navigator", "action": "navigate", "parameters": {"url": "/水位"}},
        {"tool_id": "browser_navigator", "action": "click", "parameters": {"selector": "#ok"}},
    ]
    text = await library.get_tool_description_for_agent("browser_navigator", "zh")
    for part in ("网页导航器（ID：browser_navigator）", "标签：web、automation", "url (string, required): 目标网页"):
        assert part in text


@pytest.mark.parametrize("class_name", ["Plain", "Described"])
async def test_a_class_with_one_method_is_a_tool_described_or_not(
    library: UnifiedToolLibrary, module: str, class_name: str
) -> None:
    spec = FunctionToolSpec(
        tool_id="shout", module_path=module, class_name=class_name, init_params={"sign": "！"}, version="2.0.0"
    )
    (told,) = (await library.register_function_tool(spec)).tools
    assert (told.tool_id, told.version, len(told.capabilities)) == ("shout", "2.0.0", 1)
    assert told.tags == (("声音",) if class_name == "Described" else ())
    assert (await library.execute_tool("shout", None, {"text": "水位"})).result == "水位！"


@pytest.mark.parametrize(
    ("fields", "en", "zh"),
    [
        ({}, "names nothing to run", "没有可运行的代码"),
        ({"module_path": "no.such.module_here", "class_name": "A"}, "'no.such.module_here' cannot", "无法导入模块“no."),
        ({"module_path": "{}_broken", "class_name": "A"}, "RuntimeError: 坏了", "坏了"),
        ({"module_path": "{}", "class_name": "Absent"}, "has no class 'Absent'", "没有类“Absent”"),
        ({"module_path": "{}", "class_name": "not_a_class"}, "has no class 'not_a_class'", "没有类“not_a_class”"),
        ({"module_path": "{}", "class_name": "Nothing"}, "'Nothing' is no tool", "类“Nothing”不是工具"),
        (
            {"module_path": "{}", "class_name": "Nothing", "capabilities": CAPABILITIES},
            "no method for navigate, click",
            "没有实现 navigate、click 的方法",
        ),
        ({"module_path": "{}", "class_name": "Picky"}, "not today 今天不行", "无法用这些“init_params”创建“Picky”"),
        ({"module_path": "{}", "class_name": "Plain", "init_params": {"x": 1}}, "'init_params'", "“init_params”"),
    ],
)
async def test_code_that_cannot_be_a_tool_is_refused_with_a_sentence(
    library: UnifiedToolLibrary, module: str, fields: dict[str, Any], en: str, zh: str
) -> None:
    fields = {name: value.format(module) if isinstance(value, str) else value for name, value in fields.items()}
    english, chinese = why(await library.register_function_tool(FunctionToolSpec(tool_id="坏", **fields)))
    assert en in english
    assert zh in chinese
    assert await library.get_all_tools() == []


def all_of(*values: int) -> int:
    """Take any number of them."""
    return sum(values)


def unheard(value: object) -> None:
    """Take something."""


unheard.__annotations__["value"] = "Unheard"


@pytest.mark.parametrize("function", [all_of, unheard])
async def test_a_function_that_cannot_be_called_by_name_is_refused(library: UnifiedToolLibrary, function: Any) -> None:
    english, chinese = why(await library.register_function_tool(function))
    assert f"'{function.__name__}' cannot be a tool" in english
    assert f"“{function.__name__}”不能作为工具" in chinese


async def test_an_id_that_is_taken_is_refused_until_it_is_free(library: UnifiedToolLibrary) -> None:
    library.hub.registry.add(made("add", answering(1)))
    library.hub.registry.disable("add")
    english, chinese = why(await library.register_function_tool(add))
    assert "There is a tool or an MCP server 'add' already" in english
    assert "已有名为“add”的工具" in chinese
    assert await library.unregister_tool("add")
    assert (await library.register_function_tool(add)).success
    assert not (await library.register_mcp_server(MCPServerSpec(tool_id="add", command="x"))).success


async def test_a_tool_that_is_not_enabled_waits_until_it_is(library: UnifiedToolLibrary) -> None:
    assert (await library.register_function_tool(add, enabled=False)).success
    assert await library.get_tool_by_id("add") is None
    refused = await library.execute_tool("add", None, {"left": 1})
    assert "its description says so" in (refused.error or "")
    assert "它的描述里停用了它" in said(refused.error or "", "zh")
    library.hub.registry.enable("add")
    spec = await library.get_tool_by_id("add")
    assert spec is not None
    assert spec.enabled
    assert (await library.execute_tool("add", None, {"left": 1})).result == 2


async def test_what_a_tool_said_of_itself_goes_with_it_and_what_a_person_said_stays(
    library: UnifiedToolLibrary,
) -> None:
    await library.register_function_tool(add, enabled=False)
    assert await library.unregister_tool("add")
    await library.register_function_tool(add)
    assert await library.get_tool_by_id("add") is not None
    library.hub.registry.disable("add", reason="太贵")
    assert await library.unregister_tool("add")
    await library.register_function_tool(add)
    assert await library.get_tool_by_id("add") is None


@pytest.mark.parametrize("field", ["module_path", "function", "descripton"])
def test_what_a_description_has_no_field_for_is_refused(field: str) -> None:
    """So nothing that is only data, such as a cached list of a server's tools, can name code."""
    with pytest.raises(ValidationError, match=field):
        ToolSpec.model_validate({"tool_id": "a", field: "os"})


@pytest.mark.parametrize(
    ("given", "schema"),
    [
        (
            {"url": {"type": "string", "required": True}, "站": {"type": "string", "required": False}},
            {
                "type": "object",
                "properties": {"url": {"type": "string"}, "站": {"type": "string"}},
                "required": ["url"],
            },
        ),
        (
            {"properties": {"type": "object", "required": True}, "type": {"type": "string"}},
            {
                "type": "object",
                "properties": {"properties": {"type": "object"}, "type": {"type": "string"}},
                "required": ["properties"],
            },
        ),
        (
            {"where": {"type": "object", "required": ["a"], "properties": {"a": {}}}},
            {
                "type": "object",
                "properties": {"where": {"type": "object", "required": ["a"], "properties": {"a": {}}}},
                "required": [],
            },
        ),
        ({}, {}),
        ({"type": "object"}, {"type": "object"}),
        ({"properties": {"type": {"type": "string"}}}, {"properties": {"type": {"type": "string"}}}),
        ({"$defs": {"a": {}}}, {"$defs": {"a": {}}}),
    ],
)
def test_parameters_may_be_written_field_by_field(given: dict[str, Any], schema: dict[str, Any]) -> None:
    capability = ToolCapability(name="a", parameters=given)
    assert capability.parameters == schema
    assert ToolCapability.model_validate(capability.model_dump()) == capability


# MCP servers


def server(tool_id: str = "钟", **fields: Any) -> MCPServerSpec:
    return MCPServerSpec(tool_id=tool_id, server_config=lean(), **fields)


async def test_a_server_comes_with_what_is_said_of_it(library: UnifiedToolLibrary) -> None:
    known = ToolCapability(name="pid", examples=({},), category="processes", sentences=("进程号是多少？",))
    async with nothing_left(), library:
        result = await library.register_mcp_server(
            server(
                name="钟表服务",
                description="Tells the time. 报时。",
                tags=("clock", "时钟"),
                capabilities=(known,),
                connection_params={"timeout": 30, "retry_count": 3},
            )
        )
        assert (result.success, result.tool_id) == (True, "钟")
        pid = next(spec for spec in result.tools if spec.tool_id == "钟/pid")
        assert (pid.category, pid.tags, pid.asked) == ("processes", ("钟", "clock", "时钟"), ("进程号是多少？",))
        assert (await library.execute_tool("钟", "pid")).success
        for asked in ("the harvest of my orchard", "果园的收成", "报时"):  # as the server and its owner say
            found = await library.hub.finder.recall(asked, 10)
            assert {"钟/pid", "钟/hang"} <= {one.name for one in found}
        assert await library.get_tool_usage_examples("钟/pid") == [
            {"tool_id": "钟/pid", "action": "pid", "parameters": {}}
        ]
        taken, _ = why(await library.register_mcp_server(server()))
        assert "'钟' already" in taken


async def test_a_server_that_is_not_enabled_waits_until_it_is(library: UnifiedToolLibrary) -> None:
    async with nothing_left(), library:
        assert (await library.register_mcp_server(server(enabled=False))).success
        assert await library.get_tools_by_type("mcp_server") == []
        library.hub.registry.enable("钟")
        assert (await library.execute_tool("钟/pid")).success


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.parametrize(
    ("fields", "en", "zh"),
    [
        ({"endpoint": "ws://localhost:8080/mcp"}, "WebSocket addresses (ws://, wss://) are not", "不支持 WebSocket"),
        ({"endpoint": "wss://example.com/mcp"}, "started by a command", "或由命令启动"),
        ({"endpoint": "localhost:8080"}, "begins with http:// or https://", "以 http:// 或 https:// 开头"),
        ({}, "'command' or 'url' is missing", "缺少“command”或“url”"),
        ({"command": "a", "endpoint": "http://b"}, "server '坏'", "服务器“坏”"),
        ({"command": "no-such-program-here"}, "The MCP server '坏' is down", "MCP 服务“坏”不可用"),
        ({"endpoint": "http://127.0.0.1:{port}/mcp"}, "cannot be reached", "MCP 服务“坏”不可用"),
        ({"server_config": {"command": "${NOT_SET_ANYWHERE}"}}, "NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE"),
    ],
)
async def test_a_server_that_cannot_be_used_is_refused_and_not_kept(
    library: UnifiedToolLibrary, fields: dict[str, Any], en: str, zh: str
) -> None:
    if "endpoint" in fields:
        fields = {**fields, "endpoint": fields["endpoint"].replace("{port}", str(closed_port()))}
    async with nothing_left(), library:
        english, chinese = why(await library.register_mcp_server(MCPServerSpec(tool_id="坏", **fields)))
        assert en in english
        assert zh in chinese
        assert (await library.register_mcp_server(server("坏"))).success


async def test_a_library_that_is_not_open_says_so(library: UnifiedToolLibrary) -> None:
    english, chinese = why(await library.register_mcp_server(server()))
    assert "initialize()" in english
    assert "工具库尚未打开" in chinese
