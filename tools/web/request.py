"""Web requests of tools: one call, with every limit that a stranger's server needs.

Public addresses are reached. Private, loopback, link-local, metadata, multicast and reserved ones are refused, whatever
name leads to them, unless the owner has allowed the host. Each connection goes to an address that was checked
beforehand, and so does the next one after a redirect. Time, size, redirects and decompression are bounded; what the
caller sends in headers stays with the host it was meant for.
"""

import asyncio
import functools
import re
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any
from urllib.parse import quote

import httpx
from typing_extensions import override

from switchyard.language.messages import joined, message, quoted
from switchyard.tools.core.errors import RetryTool, ToolFailed
from switchyard.tools.core.masking import MASK, is_secret_name
from switchyard.tools.core.network import NetworkPolicy, endpoint
from switchyard.tools.web.reply import WebReply

MAX_BYTES = 5_000_000
"""Longer answers are not read."""
MAX_REDIRECTS = 5

SECONDS = 20.0
"""What a request may take with everything that belongs to it."""
_READING = frozenset({"GET", "HEAD"})
_PORTS = {"http": 80, "https": 443}
_NO_CONNECTION = "All connection attempts failed"
"""What the library says of a host that takes no connection."""
_SHOWN = 200
_HEADER_NAME = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_NOT_SENT = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_OURS = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "upgrade"})
"""Headers that follow from the request and are not the caller's to set."""
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Gives every address of a host name."""

_GLOBAL_UNICAST = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC_EITHER = (
    ip_network("168.63.129.16/32"),  # a cloud's own services, on an address that looks public
    ip_network("192.0.0.0/24"),  # protocol assignments, among them a metadata service
    ip_network("192.88.99.0/24"),  # relays into other networks
)


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet; one that wraps an IPv4 address is what that one is."""
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return ip.is_global and not ip.is_multicast and not any(ip in network for network in _NOT_PUBLIC_EITHER)
    wrapped = ip.ipv4_mapped or ip.sixtofour or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
    return is_public(str(wrapped)) if wrapped else ip in _GLOBAL_UNICAST and ip.is_global


async def resolve_host(host: str, port: int) -> list[str]:
    """Every address of a host name, as the system knows it."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def allowed_addresses(policy: NetworkPolicy, host: str, port: int, resolve: Resolve = resolve_host) -> list[str]:
    """The addresses of a host, all of them checked. Connect to these, not to the name: it may change its mind."""
    host = host.lower().rstrip(".")
    try:
        addresses = await resolve(host, port)
    except (OSError, UnicodeError) as error:
        passing = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        unknown = message("host_unknown_now" if passing else "host_unknown", host=host[:200])
        raise ToolFailed(unknown, kind="unavailable" if passing else "not_found") from error
    if not policy.allows(host, port) and not all(map(is_public, addresses)):
        private = message("network_private", host=host, endpoint=endpoint(host, port))
        raise ToolFailed(private, kind="permission")
    return addresses


async def fetch(
    policy: NetworkPolicy,
    url: str,
    *,
    method: str = "GET",
    params: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    seconds: float = SECONDS,
    max_bytes: int = MAX_BYTES,
    resolve: Resolve = resolve_host,
    tls: ssl.SSLContext | None = None,
) -> WebReply:
    """Send one request and read the answer, whatever its status. Redirects are followed for GET and HEAD.

    A URL or a header that cannot be used is `RetryTool`; an address that is refused or answers badly `ToolFailed`.
    """
    target = checked_url(url, params)
    given = _checked_headers(headers or {})
    transport = _CheckedTransport(policy, resolve, tls or await asyncio.to_thread(_usual_authorities))
    ours = {"User-Agent": "Switchyard", "Accept-Encoding": "gzip"}  # what is unpacked here, within limits
    client = httpx.AsyncClient(transport=transport, headers=ours, trust_env=False, timeout=None)  # noqa: S113  see below
    try:
        async with asyncio.timeout(seconds), client:  # the call is timed as a whole
            return await _follow(client, client.build_request(method, target, headers=given, content=body), max_bytes)
    except TimeoutError as error:
        slow = message("no_answer_in_time", url=shown_url(target), seconds=seconds)
        raise ToolFailed(slow, kind="timeout") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = " ".join(str(error).split())[:_SHOWN].rstrip(".") or type(error).__name__
        why = message("connection_failed") if reason == _NO_CONNECTION else quoted(reason)
        gone = message("unreachable_because", url=shown_url(target), why=why)
        raise ToolFailed(gone, kind="unavailable") from error


def checked_url(url: str, params: Mapping[str, Any] | None = None) -> httpx.URL:
    """A URL that can be fetched, with the parameters added."""
    hint = message("write_url")
    try:
        parsed = httpx.URL(url)
        parsed = parsed.copy_merge_params(dict(params)) if params else parsed
        named, scheme = bool(parsed.host), parsed.scheme  # a host that cannot be decoded raises here
    except (httpx.InvalidURL, UnicodeError) as error:
        if "@" in url:  # it may contain a password
            raise RetryTool(message("url_hidden_unreadable"), hint=hint) from error
        raise RetryTool(message("url_unreadable", url=url[:_SHOWN]), hint=hint) from error
    if scheme not in _PORTS:
        raise RetryTool(message("scheme_not_fetched", scheme=scheme) if scheme else message("no_scheme"), hint=hint)
    if not named:
        raise RetryTool(message("url_without_host"), hint=hint)
    return parsed


def port_of(url: httpx.URL) -> int:
    """The port a URL that can be fetched leads to."""
    return url.port or _PORTS[url.scheme]


def without_secrets(url: httpx.URL | str) -> str:
    """A URL without user and password, and with a mask for values that are named like secrets."""
    url = httpx.URL(url).copy_with(userinfo=b"")
    for name in filter(is_secret_name, set(url.params)):
        url = url.copy_set_param(name, MASK)
    return str(url).replace(quote(MASK), MASK)


def shown_url(url: httpx.URL | str) -> str:
    """A URL as a sentence can hold it: without secrets, and not too long."""
    text = without_secrets(url)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def allowing(policy: NetworkPolicy, url: str) -> NetworkPolicy:
    """The policy for a URL that the owner has set, and so allowed: its own host and port, and no other."""
    target = checked_url(url)
    named = endpoint(target.raw_host.decode("ascii"), port_of(target))
    return replace(policy, allow_private=(*policy.allow_private, named))


def redirected(here: str, there: str, error: ToolFailed) -> ToolFailed:
    """Why an address was not reached that nobody wrote: another one led there."""
    is_private = error.kind == "permission"
    led = message("private_redirect" if is_private else "redirected", url=shown_url(here), there=shown_url(there))
    return ToolFailed(joined(led, str(error)), kind=error.kind)


def _checked_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    for name, value in headers.items():
        if name.lower() in _OURS:
            raise RetryTool(message("header_not_yours", name=name), hint=message("leave_it_out"))
        if not _HEADER_NAME.fullmatch(name) or _NOT_SENT.search(value):
            raise RetryTool(message("header_unsendable", name=name[:_SHOWN]), hint=message("write_header_plainly"))
    return [(name.encode(), value.strip().encode()) for name, value in headers.items()]


@functools.cache
def _usual_authorities() -> ssl.SSLContext:
    """Reading them takes too long to do it for every request."""
    return httpx.create_ssl_context()


class _CheckedTransport(httpx.AsyncBaseTransport):
    """Connects to checked addresses only.

    The name is looked up once and the connection made to what was found, so that nothing can change between the check
    and the use. Certificates are still checked against the name.
    """

    def __init__(self, policy: NetworkPolicy, resolve: Resolve, tls: ssl.SSLContext) -> None:
        self._policy = policy
        self._resolve = resolve
        # no connection is used twice: it may have been made for another name on the same address
        limits = httpx.Limits(max_keepalive_connections=0)
        self._direct = httpx.AsyncHTTPTransport(verify=tls, trust_env=False, limits=limits)

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Try the addresses of the host in turn."""
        url = request.url
        host = url.raw_host.decode("ascii")
        addresses = await allowed_addresses(self._policy, host, port_of(url), self._resolve)
        failed = httpx.ConnectError("it has no address")
        for address in addresses:
            pinned = httpx.Request(
                request.method,
                url.copy_with(host=address),
                headers=request.headers,  # with the name as Host
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},
            )
            try:
                return await self._direct.handle_async_request(pinned)
            except httpx.ConnectError as error:
                failed = error
        raise failed

    @override
    async def aclose(self) -> None:
        await self._direct.aclose()


async def _follow(client: httpx.AsyncClient, request: httpx.Request, max_bytes: int) -> WebReply:
    """The first answer that is no redirect."""
    seen: list[httpx.URL] = []
    while True:
        try:
            response = await client.send(request, stream=True)
        except ToolFailed as error:
            if not seen:
                raise
            raise redirected(str(seen[-1]), str(request.url), error) from error
        try:
            following = response.next_request
            if following is None or request.method not in _READING:
                body = await _read(response, max_bytes)
                return WebReply(str(request.url.copy_with(userinfo=b"")), response.status_code, response.headers, body)
        finally:
            await response.aclose()
        seen.append(request.url)
        here, there = request.url, following.url
        if there.scheme not in _PORTS:
            led = message("redirect_scheme", url=shown_url(here), scheme=there.scheme)
            raise ToolFailed(led, kind="permission")
        if len(seen) > MAX_REDIRECTS:
            led = message("redirects_too_often", url=shown_url(here), most=MAX_REDIRECTS)
            raise ToolFailed(led, kind="unavailable")
        if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
            # what the caller put into headers is meant for the first host
            following = client.build_request(following.method, there)
        request = following


async def _read(response: httpx.Response, max_bytes: int) -> bytes:
    """The body, unpacked piece by piece and never beyond the limit."""
    url = shown_url(response.request.url)
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing not in {"", "identity", "gzip", "x-gzip"}:
        raise ToolFailed(message("packed_otherwise", url=url, packing=packing[:_SHOWN]), kind="wrong_result")
    unpacker = zlib.decompressobj(wbits=31) if packing.endswith("gzip") else None
    body = bytearray()
    try:
        async for piece in response.aiter_raw():
            body += unpacker.decompress(piece, max_bytes + 1 - len(body)) if unpacker else piece
            if len(body) > max_bytes:
                large = message("answer_too_large", url=url, size=max_bytes / 1_000_000)
                raise ToolFailed(large, kind="bad_arguments")
    except zlib.error as error:
        raise ToolFailed(message("gzip_broken", url=url), kind="wrong_result") from error
    if unpacker and body and not unpacker.eof:
        raise ToolFailed(message("stopped_in_the_middle", url=url), kind="unavailable")
    return bytes(body)
