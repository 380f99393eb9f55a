"""Pages of a real server, read in both languages."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from switchyard.toolhub.calling.dispatch import call_tool
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.web_scraper.tool import WebScraper, WebScraperParams, read_page
from tests.support.web_server import Answer, WebServer, moved, page, web_server

NEWS = """<!doctype html><html><head><title> Water news
 水情 </title><style>p { color: red }</style></head><body>
<header><h1>The site</h1></header><nav><a href="/home">Home</a> <a href="/home#top">Top</a></nav>
<main><h2>Levels are rising</h2><p>The reservoir at Panshitou holds <b>254.3</b>&nbsp;m
today.</p><p>第二段：水位<em>上升</em>了。</p><script>var secret = 1;</script>
<table><tr><th>Station</th><th>Level</th></tr><tr><td>修武</td><td>84.1</td></tr></table>
<ul><li class="item" data-id="1"><a class="title" href="news/1.html">First &amp; best</a>
<span class="price">¥3.50</span></li>
<li class="item" data-id="2"><a class="title" href="https://other.example/2">第二条</a></li></ul>
<a href="mailto:me@example.com">Mail</a> <a href="http://[broken">Broken</a></main>
<footer>Contact us</footer></body></html>"""


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        running.pages["/news/"] = page(NEWS)
        yield running


async def scrape(server: WebServer, path: str = "/news/", **arguments: Any) -> dict[str, Any]:
    context = ToolContext(workspace=Path(), network=server.policy)
    result = await WebScraper().execute(WebScraperParams(url=server.url + path, **arguments), context)
    assert result.meta.sources == [result.result["url"]]
    return result.result


async def test_the_main_text_without_what_stands_around_it(server: WebServer):
    found = await scrape(server)
    assert found == {
        "url": server.url + "/news/",
        "title": "Water news 水情",
        "text": "Levels are rising\nThe reservoir at Panshitou holds 254.3 m today.\n第二段：水位上升了。\n"
        "Station Level\n修武 84.1\nFirst & best ¥3.50\n第二条\nMail Broken",
        "truncated": False,
    }


async def test_a_page_without_a_main_part_is_read_whole(server: WebServer):
    server.pages["/a"] = page("<title>表</title><nav>菜单</nav><div>一<br>二</div><article>x</article>" + "字" * 50)
    assert (await scrape(server, "/a"))["text"] == "一\n二\nx\n" + "字" * 50


async def test_code_keeps_its_lines(server: WebServer):
    server.pages["/code"] = page("<p>如下 <i>a</i>:</p><pre>if x:\n    <b>print</b>('水')\n\nend</pre><p>b</p>")
    assert (await scrape(server, "/code"))["text"] == "如下 a:\nif x:\n    print('水')\nend\nb"


async def test_the_words_of_two_blocks_are_not_one(server: WebServer):
    server.pages["/w"] = page("<section><p>水<b>位</b></p><p>one</p>two<br>three</section>")
    assert (await scrape(server, "/w", selector="section"))["items"] == ["水位 one two three"]


async def test_elements_by_selector(server: WebServer):
    found = await scrape(server, selector="li.item")
    assert found["items"] == ["First & best ¥3.50", "第二条"]
    assert (found["count"], found["truncated"]) == (2, False)
    assert found["text"] == "First & best ¥3.50\n第二条"
    assert (await scrape(server, selector="a.title@href"))["items"] == ["news/1.html", "https://other.example/2"]


async def test_a_limit_cuts_and_says_so(server: WebServer):
    assert (await scrape(server, selector="li", limit=1))["items"] == ["First & best ¥3.50"]
    assert (await scrape(server, selector="li", limit=1))["truncated"]
    assert not (await scrape(server, selector="li", limit=2))["truncated"]


async def test_links_are_whole_addresses_each_once(server: WebServer):
    found = await scrape(server, links=True)
    assert found["links"] == [
        {"text": "Home", "url": server.url + "/home"},
        {"text": "First & best", "url": server.url + "/news/news/1.html"},
        {"text": "第二条", "url": "https://other.example/2"},
    ]
    assert len((await scrape(server, links=True, limit=1))["links"]) == 1


async def test_links_follow_the_base_of_the_page(server: WebServer):
    server.pages["/b"] = page('<base href="https://cdn.example/x/"><a href="y">z</a>')
    assert (await scrape(server, "/b", links=True))["links"] == [{"text": "z", "url": "https://cdn.example/x/y"}]


@pytest.mark.parametrize(
    ("selector", "near"),
    [
        ("li.itm", "li.item"),
        ("a.titel", "a.title"),
        (".prise", "span.price"),
        ("a@hreff", "a@href"),
        ("main > ul li.itme", "li.item"),
        ("#价格", "a"),
    ],
)
async def test_a_selector_that_finds_nothing_names_those_that_would(server: WebServer, selector: str, near: str):
    with pytest.raises(RetryTool, match=f"fits '{selector}'") as caught:
        await scrape(server, selector=selector)
    assert f"'{near}'" in caught.value.hint
    first = caught.value.hint.split("'")[1]
    assert (await scrape(server, selector=first))["items"]


async def test_chinese_class_names_are_near_too(server: WebServer):
    server.pages["/c"] = page('<p class="水位数据">84.1</p><p class="雨量">3</p>')
    with pytest.raises(RetryTool) as caught:
        await scrape(server, "/c", selector="p.水位")
    assert caught.value.hint.startswith("Similar ones that are there: 'p.水位数据'")


async def test_an_empty_page(server: WebServer):
    server.pages["/empty"] = page("")
    assert (await scrape(server, "/empty"))["text"] == ""
    with pytest.raises(RetryTool, match="no elements"):
        await scrape(server, "/empty", selector="p")


@pytest.mark.parametrize("selector", ["p[", "::", "p >> q", "a:contains('x')", "p:nth-child(x)", "第 [", "{"])
async def test_a_selector_that_is_none(server: WebServer, selector: str):
    with pytest.raises(RetryTool, match="is not a CSS selector"):
        await scrape(server, selector=selector)


CHINESE = "<title>水情</title><p>盘石头水库的水位是二百五十四米。</p>"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (CHINESE.encode(), "text/html"),
        (CHINESE.encode(), "text/html; charset=ISO-8859-1"),
        (CHINESE.encode("utf-8-sig"), "text/html; charset=gbk"),
        (CHINESE.encode("utf-16"), "text/html"),
        (CHINESE.encode("gbk"), "text/html"),
        (CHINESE.encode("gbk"), "text/html; charset=gb2312"),
        (CHINESE.encode("gbk"), "text/html; charset=utf-8"),
        (CHINESE.encode("gbk"), "text/html; charset=no-such"),
        (CHINESE.encode("gbk"), "text/html; charset=unicode_escape"),
        (b'<meta charset="gbk">' + CHINESE.encode("gbk"), "text/html; charset=iso-8859-1"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=GB2312">' + CHINESE.encode("gbk"), "text/html"),
        (b'<?xml version="1.0" encoding="GBK"?>' + CHINESE.encode("gbk"), "application/xhtml+xml"),
        (CHINESE.replace("盘石头水库的水位是", "水庫的水位是").encode("big5"), "text/html; charset=big5"),
    ],
)
async def test_encodings(server: WebServer, body: bytes, content_type: str):
    server.pages["/e"] = Answer(body, content_type)
    found = await scrape(server, "/e")
    assert found["title"] == "水情"
    assert "水位是二百五十四米。" in found["text"]


async def test_one_broken_character_does_not_spoil_a_page(server: WebServer):
    server.pages["/e"] = Answer(CHINESE.encode() * 50 + b"<p>\xff</p>" + b"caf\xc3\xa9", "text/html")
    assert "盘石头水库" in (await scrape(server, "/e"))["text"]
    server.pages["/w"] = Answer("<p>Café Übergröße".encode("cp1252"), "text/html; charset=iso-8859-1")
    assert (await scrape(server, "/w"))["text"] == "Café Übergröße"


@pytest.mark.parametrize("content_type", ["text/plain", "application/json", "text/markdown; charset=utf-8", ""])
async def test_plain_text_keeps_its_lines(server: WebServer, content_type: str):
    server.pages["/t"] = page("一 <b>\n\n  two", content_type=content_type)
    found = await scrape(server, "/t")
    assert (found["text"], found["title"], found["truncated"]) == ("一 <b>\n\n  two", "", False)
    with pytest.raises(RetryTool, match="is plain text"):
        await scrape(server, "/t", selector="b")


async def test_a_feed_is_read_by_its_elements(server: WebServer):
    feed = "<?xml version='1.0'?><rss><channel><item><title>水位上升</title></item></channel></rss>"
    server.pages["/f"] = page(feed, content_type="application/rss+xml")
    assert (await scrape(server, "/f", selector="item > title"))["items"] == ["水位上升"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00", "image/png"),
        (b"%PDF-1.7\x00\x01", "application/pdf"),
        (b"\x00" * 100, "text/html"),
        (bytes(range(1, 256)) * 40, "text/html; charset=utf-8"),
    ],
)
async def test_what_is_no_text_is_refused(server: WebServer, body: bytes, content_type: str):
    server.pages["/bin"] = Answer(body, content_type)
    with pytest.raises(ToolFailed, match="is not a page with text but") as caught:
        await scrape(server, "/bin")
    assert caught.value.kind == "bad_arguments"


async def test_a_page_that_is_not_there(server: WebServer):
    with pytest.raises(ToolFailed, match="answered with status 404") as caught:
        await scrape(server, "/nowhere")
    assert caught.value.kind == "not_found"


async def test_a_huge_page_is_refused(server: WebServer):
    server.pages["/big"] = Answer(b"<p>" + b"x" * 6_000_000)
    with pytest.raises(ToolFailed, match="more than 5 MB"):
        await scrape(server, "/big")


async def test_long_text_is_cut(server: WebServer):
    server.pages["/long"] = page("<p>水</p>" * 150_000)
    found = await scrape(server, "/long")
    assert (len(found["text"]), found["truncated"]) == (200_000, True)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://169.254.169.254/latest", "http://localhost/"])
async def test_private_addresses_are_refused(url: str):
    with pytest.raises(ToolFailed, match="private") as caught:
        await WebScraper().execute(WebScraperParams(url=url), ToolContext(workspace=Path()))
    assert caught.value.kind == "permission"


async def test_a_redirect_is_followed_and_its_end_named(server: WebServer):
    server.pages["/old"] = moved("/news/")
    assert (await scrape(server, "/old"))["url"] == server.url + "/news/"
    server.pages["/old"] = moved("http://localhost/")
    with pytest.raises(ToolFailed, match="private"):
        await scrape(server, "/old")


async def test_secrets_of_the_address_do_not_come_back(server: WebServer):
    found = await scrape(server, "/news/?token=t-12345678&page=2")
    assert found["url"] == server.url + "/news/?token=***&page=2"


def _wanted(html: str) -> dict[str, Any]:
    return {"html": html, "url": "", "selector": "", "links": False, "tables": False, "limit": 1}


def _readers() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 300_000,
        "<b>" * 200_000 + "</i>" * 200_000,
        "".join(f"<font a={number}><p>" for number in range(20_000)),
    ],
)
async def test_a_page_made_to_keep_a_reader_busy_ends_with_it(html: str):
    with pytest.raises(ToolFailed, match=r"to read|to be read") as caught:
        await read_page(_wanted(html), seconds=1)
    assert caught.value.kind == "wrong_result"
    assert _readers() == []


async def test_a_cancelled_call_leaves_no_process():
    reading = asyncio.create_task(read_page(_wanted("<div>" * 300_000)))
    while not _readers():  # noqa: ASYNC110  a process that starts tells nobody
        await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert _readers() == []


async def test_through_the_hub(server: WebServer):
    tool = next(one for one in discover(Path("tools"), "switchyard.tools").tools if one.spec.tool_id == "web_scraper")
    assert not tool.spec.asks_first
    context = ToolContext(workspace=Path(), network=server.policy)
    good = await call_tool(tool, ToolRequest("web_scraper", None, {"url": server.url + "/news/"}, context))
    assert good.success
    wrong = await call_tool(tool, ToolRequest("web_scraper", None, {"url": "file:///etc/passwd"}, context))
    assert wrong.error == (
        "'file' addresses are not fetched; only http and https are. Write it in full, like https://example.com/page."
    )
    private = ToolContext(workspace=Path(), network=NetworkPolicy())
    refused = await call_tool(tool, ToolRequest("web_scraper", None, {"url": server.url}, private))
    assert refused.error_type == "permission"
