"""What tools are good for: declared, or read from name and summary, in both languages."""

import pytest

from switchyard.toolhub.capabilities import TABLE, Capability, CapabilityTable
from switchyard.tools.core import ToolSpec

table = CapabilityTable()


def spec(name: str, summary: str = "", *declared: str) -> ToolSpec:
    return ToolSpec(tool_id=name, description=summary, capability_tags=declared)


@pytest.mark.parametrize(
    ("name", "summary", "tag"),
    [
        ("calculator", "Work out a sum.", "calculate"),
        ("abacus", "Calculates what you write.", "calculate"),
        ("算盘", "计算表达式的值", "calculate"),
        ("time/get_current_time", "What the clock says.", "time"),
        ("GetCurrentTime", "Now.", "time"),
        ("now", "Get the current time in a zone.", "time"),
        ("世界时钟", "查询当前时间", "time"),
        ("brave/web_search", "Ask the web.", "search"),
        ("ask_web", "Searches the web for pages.", "search"),
        ("百度", "在互联网上搜索网页", "search"),
        ("知识检索", "在文档里找答案", "search"),
        ("pdf_reader", "Extracts the text of a PDF.", "extract"),
        ("表格提取", "从网页得到表格", "extract"),
        ("fetch/fetch", "Get a page as Markdown.", "fetch"),
        ("deepl", "Translate a text.", "translate"),
        ("译员", "把文本翻译成英文", "translate"),
        ("get_forecast", "The weather of a city.", "weather"),
        ("get_forecast", "查询城市天气", "weather"),
    ],
)
def test_a_tag_is_read_from_name_and_summary(name: str, summary: str, tag: str) -> None:
    assert tag in table.tags_of(spec(name, summary))


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("git/git_commit", "Records changes to the repository"),
        ("research_notes", "Keep notes of meetings."),
        ("delete_file", "Remove a file for good."),
        ("query_reservoir", "查询水库某个时间段的水位"),
        ("runtime_info", "Facts about one process at a time."),
        ("timeout_setting", "How long to wait."),
        ("删除", "删除一个站点"),
    ],
)
def test_words_that_only_look_alike_give_no_tag(name: str, summary: str) -> None:
    assert table.tags_of(spec(name, summary)) == ()


def test_a_tool_that_searches_in_chinese_has_the_three_tags_of_searching() -> None:
    assert table.tags_of(spec("百度", "搜索")) == ("search", "web", "research")
    assert table.interchangeable(("search", "web", "research")) == ("search",)


def test_what_a_tool_declares_counts_alone() -> None:
    assert table.tags_of(spec("search_clock", "Search the current time.", "weather")) == ("weather",)


@pytest.mark.parametrize(("word", "tag"), [("搜索", "search"), ("Search", "search"), ("计算", "calculate")])
def test_a_tag_may_be_declared_in_either_language(word: str, tag: str) -> None:
    assert table.tags_of(spec("x", "", word)) == (tag,)


def test_a_tag_of_both_languages_is_one() -> None:
    assert table.tags_of(spec("x", "", "search", "搜索")) == ("search",)


@pytest.mark.parametrize("word", ["water_level", "水位"])
def test_a_word_the_table_does_not_have_stands_for_itself(word: str) -> None:
    assert table.canonical(word) == word


def test_a_project_adds_tags_of_its_own() -> None:
    own = table.extended([Capability(tag="water_level", zh="水位", words=("water level", "水位"))])
    assert own.tags_of(spec("query_river", "查询河道水位")) == ("water_level",)
    assert own.tags_of(spec("query_river", "The water levels of a river.")) == ("water_level",)
    assert own.canonical("水位") == "water_level"
    assert table.tags_of(spec("query_river", "查询河道水位")) == ()


def test_a_project_adds_words_to_a_tag_that_is_there() -> None:
    own = table.extended([Capability(tag="search", words=("查一查", "rummage"))])
    for name in ("rummage", "查一查", "search"):
        assert own.tags_of(spec(name)) == ("search",)
    assert own.likeness(["search"]) == "search"


@pytest.mark.parametrize(
    ("tags", "likeness"),
    [
        (["calculate"], "calculation"),
        (["time"], "time"),
        (["search"], "search"),
        (["extract"], "extraction"),
        (["read", "search"], "search"),
        (["weather"], "other"),
        (["水位"], "other"),
        ([], "other"),
    ],
)
def test_the_kind_of_tool_says_how_its_results_are_treated(tags: list[str], likeness: str) -> None:
    assert table.likeness(tags) == likeness


def test_tools_that_share_only_a_verb_do_not_stand_in_for_each_other() -> None:
    assert table.interchangeable(("read", "write", "list", "send", "execute", "search", "水位")) == ("search", "水位")


def test_derived_tags_are_told_in_both_languages() -> None:
    assert table.described(spec("abacus", "Calculate.")).capability_tags == ("calculate", "计算")


@pytest.mark.parametrize("given", [spec("abacus", "Calculate.", "算"), spec("无", "没有标签")])
def test_a_description_that_needs_no_tags_stays_as_it_is(given: ToolSpec) -> None:
    assert table.described(given) is given


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.tag)
def test_every_entry_of_the_table_speaks_both_languages(entry: Capability) -> None:
    words = (*entry.words, *entry.in_name)
    assert entry.zh
    assert any(word.isascii() for word in words)
    assert any(not word.isascii() for word in words)
