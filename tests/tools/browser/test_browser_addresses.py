"""Where the browser may go: the addresses that are allowed, whichever way a page leads elsewhere."""

import asyncio
import re
import socket
from pathlib import Path

import pytest

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.use_browser.chromium import SharedBrowser
from switchyard.tools.use_browser.proxy import CheckedProxy
from switchyard.tools.use_browser.tool import PageParams, UseBrowser
from tests.support.pages import Site
from tests.tools.browser.conftest import Hand, failure


@pytest.mark.parametrize("path", ["/redirect?to={}", "/refresh?to={}"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_redirect_to_a_private_address_is_refused(hand: Hand, private: Site, path: str, scheme: str):
    error = await failure(hand.navigate(path.format(f"{scheme}://{private.host}/en")))
    assert error.kind == "permission"
    assert re.search(rf"redirected to {scheme}://{private.host}/en, which is a private address\.", str(error))
    assert private.requests == []


async def test_a_private_address_is_refused_before_the_browser_starts(hand: Hand, private: Site):
    hand.tool = UseBrowser(SharedBrowser(("no-such-browser",)))
    for address in (private.url("/en"), "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://10.1.2.3"):
        assert (await failure(hand.navigate(address))).kind == "permission"
    assert private.requests == []


async def test_a_click_to_a_private_address_is_refused(hand: Hand, private: Site):
    error = await failure(hand.click(f"/link?to={private.url('/en')}", "#go"))
    assert error.kind == "permission"
    assert (await hand.click(f"/window?to={private.url('/en')}", "#go"))["popups"] == []
    assert private.requests == []


@pytest.mark.parametrize("path", ["/reach?to=http://{}/en", "/socket?to=ws://{}/"])
async def test_scripts_frames_and_sockets_reach_no_private_address(hand: Hand, private: Site, path: str):
    await hand.navigate(path.format(private.host))
    assert (await hand.extract(path.format(private.host), "#out"))["items"] == ["refused"]
    assert private.requests == []


def own_address() -> str:
    """The address other machines know this one by; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no network but loopback")
        return probe.getsockname()[0]


@pytest.mark.parametrize(("path", "end"), [("/call", "gathered"), ("/transport", "refused")])
async def test_calls_and_transports_do_not_go_around_the_check(hand: Hand, path: str, end: str):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind((own_address(), 0))
        listening.settimeout(0)
        url = f"{path}?to={':'.join(map(str, listening.getsockname()))}"
        await hand.navigate(url)
        assert (await hand.extract(url, "#out"))["items"] == [end]
        with pytest.raises(BlockingIOError):
            listening.recv(1)


async def test_scripts_reach_what_is_allowed(hand: Hand):
    assert (await hand.extract(f"/reach?to={hand.site.url('/en')}", "#out"))["items"] == ["reached"]


async def test_tunnels_lead_to_allowed_hosts_only(site: Site, private: Site):
    proxy = CheckedProxy(NetworkPolicy(allow_private=(site.host,)))
    port = int((await proxy.start()).rpartition(":")[2])
    answers: list[bytes] = []
    for host in (site.host, private.host):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        name, _, number = host.partition(":")
        asked = bytes((5, 1, 0, 5, 1, 0, 3, len(name))) + name.encode() + int(number).to_bytes(2)
        writer.write(asked + b"GET /en HTTP/1.0\r\n\r\n")
        answers.append(await reader.read())
        writer.close()
    await proxy.close()
    assert answers[0].startswith(b"\x05\x00\x05\x00\x00\x01" + bytes(6) + b"HTTP/1.0 200")
    assert answers[1] == b"\x05\x00"
    assert private.requests == []


@pytest.mark.parametrize(
    "request_", [b"", b"\x05", b"\x04\x01\x00", b"GET / HTTP/1.1\r\n\r\n", b"CONNECT :x HTTP/1.1\r\n\r\n"]
)
async def test_the_proxy_hangs_up_on_what_is_no_request(request_: bytes):
    proxy = CheckedProxy(NetworkPolicy())
    reader, writer = await asyncio.open_connection("127.0.0.1", int((await proxy.start()).rpartition(":")[2]))
    writer.write(request_)
    writer.write_eof()
    assert await reader.read() == b""
    writer.close()
    await proxy.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("file:///etc/passwd", "'file' addresses"),
        ("javascript:alert(1)", "'javascript' addresses"),
        ("example.com", "without http"),
        ("http://", "names no host"),
        ("你好", "without http"),
    ],
)
async def test_only_web_addresses_are_opened(workspace: Path, url: str, message: str):
    tool = UseBrowser(SharedBrowser(("no-such-browser",)))
    with pytest.raises(RetryTool, match=message):
        await tool.navigate(PageParams(url=url), ToolContext(workspace=workspace))


async def test_a_host_nobody_knows(workspace: Path):
    with pytest.raises(ToolFailed, match="cannot be found") as caught:
        await UseBrowser().navigate(PageParams(url="http://no-such-host.invalid/"), ToolContext(workspace=workspace))
    assert caught.value.kind in {"not_found", "unavailable"}
