"""Which call a call is: what the tool gets is compared, not how it is written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from pydantic import Field

from switchyard.ledger.attempts import CallIdentity
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.langchain import from_langchain
from switchyard.toolhub.sources.native import NativeRunner, function_tool
from switchyard.tools.core import BaseToolParams, ToolCapability, action, tool
from switchyard.tools.core.spec import FunctionToolSpec
from tests.support.hub_tools import answering, made

WORKSPACE = Path("/srv/work")


class FetchParams(BaseToolParams):
    """What to fetch."""

    path: str = "a"
    count: int = 3
    ratio: float = 1.0
    flag: bool = False
    depth: int | None = 5
    stamp: float = Field(default_factory=iter(range(1000)).__next__)
    options: dict[str, Any] = Field(default_factory=dict[str, Any])
    items: list[str] = Field(default_factory=list[str])


@tool(category="files")
class Fetch:
    """Fetch a thing."""

    def execute(self, params: FetchParams) -> None:
        """Fetch it."""


@tool(category="files")
class Desk:
    """Look at a thing, or turn it."""

    @action()
    def look(self, params: FetchParams) -> None:
        """Look at it."""

    @action()
    def turn(self, params: FetchParams) -> None:
        """Turn it."""


def function(path: str = "a", count: int = 3, ratio: float = 1.0, flag: bool = False) -> None:  # noqa: FBT001, FBT002
    """Fetch a thing, too."""


def native(cls: type) -> RegisteredTool:
    spec = cls.__dict__["__tool_spec__"]
    return RegisteredTool(spec, NativeRunner(cls(), cls.__dict__["__tool_calls__"], spec.tool_id))


SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "default": "."},
        "limit": {"type": "integer", "default": 10},
        "goal": {"type": "string", "format": "directory-path"},
        "options": {"type": "object", "properties": {"file": {"type": "string"}}},
    },
}


@pytest.fixture
def hub(tmp_path: Path) -> ToolHub:
    hub = ToolHub(skills=None, native=tmp_path)
    hub.registry.add(native(Fetch))
    hub.registry.add(native(Desk))
    hub.registry.add(made("plain", answering(1), takes=SCHEMA))
    hub.registry.add(made("books/search_books", answering(1), source="mcp", tool_type="mcp_server"))
    hub.registry.add(function_tool(FunctionToolSpec.of(function)))
    hub.registry.add(from_langchain(StructuredTool.from_function(function, name="chained")))
    return hub


Identify = Callable[..., CallIdentity]


@pytest.fixture
def call(hub: ToolHub) -> Identify:
    def identify(name: str, act: str | None = None, /, **arguments: Any) -> CallIdentity:
        return hub.identify(name, act, arguments, WORKSPACE)

    return identify


SAID = {"path": "q", "count": 5, "ratio": 2.5, "flag": True, "options": {"k": 1}, "items": ["m"]}


@pytest.mark.parametrize(
    "written",
    [
        {"count": "5"},
        {"count": "+5"},
        {"count": " 5 "},
        {"count": "05"},
        {"count": 5.0},
        {"ratio": "2.5"},
        {"flag": 1},
        {"flag": "true"},
        {"flag": "yes"},
        {"options": '{"k": 1}'},
        {"options": {" k": 1}},
        {"items": '["m"]'},
        {"explanation": "因为"},
    ],
    ids=str,
)
def test_what_a_native_tool_reads_as_the_same_is_the_same_call(call: Identify, written: dict[str, Any]) -> None:
    assert call("fetch", **{**SAID, **written}).signature == call("fetch", **SAID).signature


@pytest.mark.parametrize(
    "default",
    [
        {"path": "a"},
        {"path": "./a"},
        {"count": "3"},
        {"ratio": "1"},
        {"flag": "no"},
        {"flag": 0},
        {"depth": 5},
        {"options": {}},
        {"options": "{}"},
        {"items": []},
    ],
    ids=str,
)
def test_a_default_that_is_written_out_is_the_same_call(call: Identify, default: dict[str, Any]) -> None:
    assert call("fetch", **default).signature == call("fetch").signature


@pytest.mark.parametrize(
    "other", [{"count": 4}, {"flag": True}, {"depth": None}, {"options": {"k": 2}}, {"items": ["n"]}], ids=str
)
def test_what_the_tool_reads_as_something_else_is_another_call(call: Identify, other: dict[str, Any]) -> None:
    assert call("fetch", **other).signature != call("fetch").signature


@pytest.mark.parametrize("written", [{"count": "5"}, {"count": 5.0}, {"flag": "false"}, {"ratio": 1}])
def test_a_functions_arguments_are_read_too(call: Identify, written: dict[str, Any]) -> None:
    said = {"count": 5, **written}
    assert call("function", **said).signature == call("function", count=5).signature


def test_what_a_tool_would_refuse_counts_as_it_was_written(call: Identify) -> None:
    assert call("fetch", count="many").signature == call("fetch", count=" many ", flag=None).signature
    assert call("fetch", count="many").signature != call("fetch", count="few").signature


@pytest.mark.parametrize("name", ["plain", "chained"])
def test_the_schemas_defaults_are_put_in(call: Identify, name: str) -> None:
    default = {"plain": {"limit": 10.0, "path": " . "}, "chained": {"count": 3}}[name]
    assert call(name, **default).signature == call(name).signature
    assert call(name, limit=11, count=4).signature != call(name).signature


def test_json_text_is_read_where_the_schema_wants_an_object(tmp_path: Path) -> None:
    def take(options: dict[str, int]) -> None:
        """Take options."""

    hub = ToolHub(skills=None, native=tmp_path)
    hub.registry.add(from_langchain(StructuredTool.from_function(take)))
    written, meant = ({"options": '{"k": 1}'}, {"options": {"k": 1}})
    assert hub.identify("take", None, written).signature == hub.identify("take", None, meant).signature


def test_without_a_schema_a_default_is_a_value_like_any_other(call: Identify) -> None:
    assert call("unknown", limit=10).signature != call("unknown").signature


def test_however_an_mcp_tool_is_named_it_is_the_same_call(call: Identify) -> None:
    ways = [("books/search_books", None), ("books/search_books", "search_books"), ("books", "search_books")]
    assert len({call(name, act, query="dune").signature for name, act in ways}) == 1


def test_however_an_action_is_named_it_is_the_same_call(call: Identify) -> None:
    assert call("desk/look", count="4").signature == call("desk", "look", count=4).signature
    assert call("desk", None, action="look").signature == call("desk", "look").signature
    assert call("desk", "turn").signature != call("desk", "look").signature


@pytest.mark.parametrize(
    "written", ["./甲", "b/../甲", "甲/", " 甲 ", "甲\u200b", ".//甲", "/srv/work/甲", "/srv/work/b/../甲/"]
)
@pytest.mark.parametrize("name", ["fetch", "plain", "unknown"])
def test_a_path_is_the_same_however_it_is_written(call: Identify, name: str, written: str) -> None:
    assert call(name, path=written) == call(name, path="甲")


def test_paths_are_known_by_the_schema_and_inside_lists_and_objects(call: Identify) -> None:
    assert call("plain", goal="./甲", options={"file": "b/../乙"}) == call("plain", goal="甲", options={"file": "乙"})
    assert call("unknown", paths=["./甲"]) == call("unknown", paths=["甲"])


@pytest.mark.parametrize(("one", "other"), [("甲", "乙"), ("a", "../a"), ("a", "/a"), ("http://x/a/", "http://x/a")])
def test_another_path_is_another_call(call: Identify, one: str, other: str) -> None:
    assert call("fetch", path=one).signature != call("fetch", path=other).signature


def test_text_that_is_no_path_keeps_its_dots_and_slashes(call: Identify) -> None:
    assert call("plain", pattern="./a").signature != call("plain", pattern="a").signature


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://h.example/a", "http://H.example/a"),
        ("http://h.example/a", "HTTP://h.example/a"),
        ("http://h.example/a", " http://h.example:80/a "),
        ("https://h.example/a", "https://h.example:443/a"),
        ("http://h.example/a", "http://h.example/a#x"),
        ("http://h.example/a?b=1", "http://h.example/a?b=1#第一节"),
        ("http://h.example", "http://h.example/"),
        ("http://h.example/a b?q=c d", "http://h.example/a%20b?q=c%20d"),
        ("http://h.example/水位?q=安阳", "http://h.example/%E6%B0%B4%E4%BD%8D?q=%E5%AE%89%E9%98%B3"),
        ("http://水文.example/a", "http://xn--7dvn2m.example/a"),
        ("http://h.example/b", "http://h.example/a/../b"),
        ("http://u:p@h.example/a", "http://u:p@H.example:80/a"),
        ("http://[::1]/a", "http://[::1]:80/a"),
    ],
)
@pytest.mark.parametrize("field", ["url", "source", "path", "网址"])
def test_a_web_address_is_the_same_however_it_is_written(call: Identify, field: str, one: str, other: str) -> None:
    assert call("unknown", **{field: one}) == call("unknown", **{field: other})
    assert call("unknown", pages=[{field: one}]) == call("unknown", pages=[{field: other}])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://h.example/a", "https://h.example/a"),
        ("http://h.example/a", "http://h.example/A"),
        ("http://h.example/a", "http://h.example/a/"),
        ("http://h.example/a", "http://h.example:443/a"),
        ("http://h.example/a", "http://u@h.example/a"),
        ("http://h.example/a/b", "http://h.example/a%2Fb"),
        ("http://h.example/?q=a%26b", "http://h.example/?q=a&b"),
        ("http://h.example/?q=水", "http://h.example/?q=冰"),
        ("http://h.example/#/水位", "http://h.example/#/雨量"),
        ("http://h.example:甲/#a", "http://h.example:甲/#b"),
        ("http://h.example/\n#a", "http://h.example/\n#b"),
        ("ftp://h.example/a#x", "ftp://h.example/a#y"),
    ],
)
def test_another_web_address_is_another_call(call: Identify, one: str, other: str) -> None:
    assert call("unknown", url=one).signature != call("unknown", url=other).signature


@pytest.mark.parametrize("field", ["content", "正文"])
def test_an_address_that_is_written_into_something_counts_as_it_is(call: Identify, field: str) -> None:
    one, other = ({field: f"http://h.example/#{part}"} for part in ("a", "b"))
    assert call("unknown", **one).signature != call("unknown", **other).signature


def test_a_sentence_that_begins_with_an_address_counts_as_it_is(call: Identify) -> None:
    one, other = (call("unknown", task=f"http://h.example 的 #{number}") for number in (1, 2))
    assert one.signature != other.signature


def test_a_host_has_one_name_in_an_address_and_in_a_sentence(call: Identify) -> None:
    assert call("unknown", url="http://水文.example/a").names == call("unknown", task="看 http://水文.example/a").names


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"path": "./文档/a.md"}, ["path:文档/a.md"]),
        ({"paths": ["a", "b/"]}, ["path:a", "path:b"]),
        ({"path": "/srv/work"}, ["path:."]),
        ({"url": "https://Example.com:8080/a?b=1"}, ["host:example.com"]),
        ({"source": "https://example.com/a"}, ["host:example.com"]),
        ({"issue_id": 7, "stationId": "甲", "name": "乙"}, ["id:7", "id:乙", "id:甲"]),
        ({"command": "touch docs/a.md"}, ["path:docs/a.md"]),
        ({"task": "读取data/a.csv。"}, ["path:data/a.csv", "path:读取data/a.csv"]),
        ({"content": "see a.md and https://x.y"}, []),
        ({"label": "a", "count": 3, "flag": True}, []),
    ],
    ids=str,
)
def test_a_call_names_paths_hosts_and_ids(call: Identify, arguments: dict[str, Any], names: list[str]) -> None:
    assert sorted(call("unknown", **arguments).names) == sorted(names)


def test_a_call_names_what_it_takes_by_default(call: Identify) -> None:
    assert call("plain", pattern="x").names == ("path:.",)


def test_no_secret_is_among_the_names(call: Identify) -> None:
    given = {
        "token": "abc/def.ghi",
        "api_key": "k/1",
        "url": "https://me:pass@x.y/?token=abc/def",
        "q": "sk-abcdefgh.ijk",
    }
    assert call("unknown", **given).names == ("host:x.y",)


def test_an_operation_that_refreshes_says_so() -> None:
    @tool(category="web")
    class Page:
        """Use a page."""

        @action(refreshes=True)
        def load(self, params: FetchParams) -> None:
            """Load it anew."""

        @action()
        def read(self, params: FetchParams) -> None:
            """Read it."""

    operations: tuple[ToolCapability, ...] = Page.__dict__["__tool_spec__"].capabilities
    assert {one.name: one.refreshes for one in operations} == {"load": True, "read": False}
