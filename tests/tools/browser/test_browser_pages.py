"""What the browser does on pages: reads, clicks, types, takes pictures, and says what does not work."""

import asyncio
from pathlib import Path

import pytest

from switchyard.tools.core import RetryTool, ToolFailed, ToolResult
from switchyard.tools.use_browser.chromium import MAX_TABS, MOST_NOTED, SharedBrowser
from switchyard.tools.use_browser.tool import MAX_TEXT, PageParams
from tests.tools.browser.conftest import Hand, failure


async def test_a_page_is_read(hand: Hand):
    assert await hand.navigate("/en") == {
        "status": 200,
        "url": hand.site.url("/en"),
        "title": "Harbour",
        "text": "Harbour news\nFirst ship\nSecond ship\nNext page",
        "elements": [{"selector": "#next", "kind": "a", "text": "Next page"}],
        "loaded": True,
        "dialogs": [],
        "popups": [],
        "downloads": [],
    }


async def test_a_chinese_page_is_read(hand: Hand):
    result = await hand.navigate("/zh")
    assert (result["title"], result["text"]) == ("港口", "港口消息\n第一艘船\n第二艘船\n返回首页")
    assert result["elements"] == [{"selector": "#返回", "kind": "a", "text": "返回首页"}]


async def test_the_page_is_the_source(hand: Hand):
    result: ToolResult = await hand.tool.navigate(PageParams(url=hand.site.url("/en")), hand.context)
    assert result.meta.sources == [hand.site.url("/en")]


async def test_elements_are_extracted_with_their_text_or_an_attribute(hand: Hand):
    result = await hand.extract("/en", ".item")
    assert (result["items"], result["count"]) == (["First ship", "Second ship"], 2)
    assert (await hand.extract("/zh", ".条目", limit=1))["items"] == ["第一艘船"]
    assert (await hand.extract("/en", "a", attribute="href"))["items"] == [hand.site.url("/zh")]
    assert (await hand.extract("/en", "a", attribute="missing"))["items"] == [None]


async def test_an_element_that_comes_late_is_waited_for(hand: Hand):
    assert (await hand.extract("/late", "#late"))["items"] == ["arrived 到了"]


async def test_a_click_leads_on(hand: Hand):
    result = await hand.click("/en", "#next")
    assert (result["url"], result["title"]) == (hand.site.url("/zh"), "港口")


async def test_a_form_is_filled_in_and_sent(hand: Hand):
    await hand.type("/form", "#search-box", "天气 weather")
    await hand.type("/form", "#lang", "中文")
    assert (await hand.click("/form", "#submit-button"))["text"] == "天气 weather / zh"


async def test_typing_can_submit(hand: Hand):
    result = await hand.type("/form", "input[name=q]", "再次", submit=True)
    assert result["text"] == "再次 / en"


async def test_a_long_text_is_posted(hand: Hand):
    await hand.type("/post", "textarea", "长" * 9_000)
    assert (await hand.click("/post", "#send"))["text"] == "9000"


async def test_an_unknown_option_names_the_others(hand: Hand):
    error = await failure(hand.type("/form", "#lang", "法语"))
    assert isinstance(error, RetryTool)
    assert "English, 中文" in error.hint


async def test_an_open_page_is_used_as_it_stands_and_an_unknown_one_is_opened(hand: Hand):
    site = hand.site
    await hand.type("/form", "#search-box", "kept")
    before = len(site.requests)
    assert (await hand.click("/form", "#submit-button"))["text"] == "kept / en"
    assert site.requests[before:] == ["/result?q=kept&lang=en"]
    assert (await hand.extract("/form", "#search-box", attribute="value"))["items"] == [None]
    assert site.requests[before + 1 :] == ["/form"]


async def test_a_page_is_known_by_the_url_that_led_to_it(hand: Hand):
    await hand.navigate("/redirect?to=/zh")
    before = len(hand.site.requests)
    assert (await hand.extract("/redirect?to=/zh", "h1"))["items"] == ["港口消息"]
    assert (await hand.extract("/zh", "h1"))["items"] == ["港口消息"]
    assert len(hand.site.requests) == before


async def test_navigating_loads_anew(hand: Hand):
    await hand.navigate("/en")
    before = len(hand.site.requests)
    await hand.navigate("/en")
    assert hand.site.requests[before:] == ["/en"]


async def test_runs_do_not_share_pages_or_cookies(hand: Hand, browser: SharedBrowser, workspace: Path):
    other = Hand(browser, hand.site, workspace, "another run")
    await hand.navigate("/set-cookie")
    assert (await hand.navigate("/cookie"))["text"] == "seen=yes"
    assert (await other.navigate("/cookie"))["text"] == "none"


async def test_calls_of_one_run_at_once(hand: Hand):
    results = await asyncio.gather(*(hand.extract(f"/result?q={n}&lang=zh", "#found") for n in range(MAX_TABS + 2)))
    assert [result["items"] for result in results] == [[f"{n} / zh"] for n in range(MAX_TABS + 2)]


@pytest.mark.parametrize(
    ("path", "selector", "near"),
    [
        ("/en", ".itm", ".item"),
        ("/form", "#submit", "#submit-button (Search)"),
        ("/form", "input.search", "#search-box"),
        ("/zh", ".条木", ".条目"),
        ("/zh", 'a:has-text("返回页")', "#返回 (返回首页)"),
        ("/en", "a[[", "#next (Next page)"),
        ("/shared", "span.price", ".price"),
    ],
)
@pytest.mark.usefixtures("impatient")
async def test_a_wrong_selector_gets_the_nearest_of_the_page(hand: Hand, path: str, selector: str, near: str):
    error = await failure(hand.extract(path, selector))
    assert isinstance(error, RetryTool)
    assert near in error.hint
    assert f"'{selector}'" in str(error)


@pytest.mark.usefixtures("impatient")
async def test_an_empty_page_has_nothing_near(hand: Hand):
    assert "Nothing else on the page" in str(await failure(hand.click("/empty", "#x")))


async def test_several_elements_are_not_guessed_among(hand: Hand):
    error = await failure(hand.click("/many", ".go"))
    assert "2 elements fit '.go'. Choose one: #first (First); #second (第二个)." in str(error)


@pytest.mark.parametrize(
    ("path", "selector", "why"),
    [
        ("/covered", "#under", '<div class="overlay">in the way</div> intercepts'),
        ("/disabled", "#off", "element is not enabled"),
    ],
)
@pytest.mark.usefixtures("impatient")
async def test_an_element_that_cannot_be_clicked_says_why(hand: Hand, path: str, selector: str, why: str):
    error = await failure(hand.click(path, selector))
    assert isinstance(error, RetryTool)
    assert why in str(error)


async def test_text_goes_into_fields_only_and_is_not_repeated(hand: Hand):
    error = await failure(hand.type("/form", "#submit-button", "secret-text"))
    assert isinstance(error, RetryTool)
    assert "secret-text" not in str(error)


async def test_dialogs_are_answered_and_reported(hand: Hand):
    asked = await hand.click("/dialog", "#ask")
    assert asked["dialogs"] == ["confirm: Delete it? 删除吗？"]
    assert "false" in asked["text"]
    told = await hand.click("/dialog", "#tell")
    assert (told["dialogs"], "told" in told["text"]) == (["alert: done"], True)


async def test_a_page_that_does_not_want_to_be_left(hand: Hand):
    await hand.click("/leave", "#stay")
    assert (await hand.navigate("/leave"))["title"] == "Leave"


@pytest.mark.parametrize("path", ["/popup", "/blank"])
async def test_a_new_window_can_be_used_by_its_url(hand: Hand, path: str):
    assert (await hand.click(path, "#open"))["popups"] == [hand.site.url("/zh")]
    assert (await hand.extract("/zh", "h1"))["items"] == ["港口消息"]


async def test_a_flood_of_windows_is_held_back(hand: Hand):
    await hand.type("/form", "#search-box", "kept")
    assert len((await hand.click("/flood", "#open"))["popups"]) <= MOST_NOTED
    assert (await hand.click("/form", "#submit-button"))["text"] == "kept / en"


async def test_a_download_is_refused(hand: Hand):
    error = await failure(hand.navigate("/download"))
    assert "file to download" in str(error)
    assert (await hand.click("/save", "#save"))["downloads"] == ["report.csv"]


@pytest.mark.parametrize(("path", "text"), [("/half", "一半 half"), ("/waiting-image", "Text before")])
async def test_a_page_that_never_finishes_is_read_as_far_as_it_came(hand: Hand, path: str, text: str):
    result = await hand.navigate(path)
    assert (result["text"], result["loaded"]) == (text, False)


@pytest.mark.parametrize("path", ["/never", "/busy", "/alerts"])
async def test_a_page_that_does_not_answer_is_given_up(hand: Hand, path: str):
    await hand.navigate("/en")
    error = await failure(hand.navigate(path, timeout=3))
    assert error.kind == "timeout"
    assert "within 3 s" in str(error)
    assert (await hand.navigate("/zh"))["title"] == "港口"


@pytest.mark.parametrize("path", ["/link?to=/never", "/window?to=/never"])
async def test_a_click_that_leads_nowhere_is_made_once(hand: Hand, path: str):
    before = len(hand.site.requests)
    try:
        assert (await hand.click(path, "#go", timeout=6))["title"] == "Window"
    except ToolFailed as error:
        assert error.kind == "timeout"  # noqa: PT017
    assert hand.site.requests[before:] == [path, "/never"]


async def test_a_long_text_is_cut(hand: Hand):
    assert MAX_TEXT - 10 < len((await hand.navigate("/long"))["text"]) <= MAX_TEXT


async def test_an_error_of_the_server_is_an_error(hand: Hand):
    error = await failure(hand.navigate("/missing"))
    assert error.kind == "not_found"
    assert "404 (Not here)" in str(error)
