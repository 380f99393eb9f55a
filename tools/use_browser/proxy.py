"""The one way from the browser into the network: a proxy on loopback that connects to allowed addresses only.

Everything a page asks for comes through it: redirects, frames, scripts, sockets, pop-ups. Names are looked up here and
the connection is made to the address that was checked, so that a name cannot change its mind in between.
"""

import asyncio
import contextlib
from ipaddress import ip_address
from urllib.parse import urlsplit

from switchyard.language.messages import message
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.network import NetworkPolicy, endpoint
from switchyard.tools.web.request import allowed_addresses

CONNECT_SECONDS = 10.0

_CHUNK = 65_536
_REMEMBERED = 100
_SOCKS = 5
_ADDRESS_BYTES = {1: 4, 4: 16}
"""Lengths of the addresses that may stand in the place of a name."""
_GRANTED = bytes((_SOCKS, 0, 0, 1, 0, 0, 0, 0, 0, 0))


class CheckedProxy:
    """A proxy for one run, with the policy of that run."""

    def __init__(self, policy: NetworkPolicy) -> None:
        self._policy = policy
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._failures: dict[str, ToolFailed] = {}

    async def start(self) -> str:
        """Begin to serve; returns the proxy's address."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_CHUNK)
        return f"socks5://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """End every connection."""
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def failure(self, url: str) -> ToolFailed | None:
        """Why a URL could not be reached, if this is known."""
        parts = urlsplit(url)
        with contextlib.suppress(ValueError):
            port = parts.port or (443 if parts.scheme in {"https", "wss"} else 80)
            return self._failures.get(endpoint(parts.hostname or "", port))
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            incoming, outgoing = await self._connect(*await _asked(reader, writer))
            try:
                writer.write(_GRANTED)
                async with asyncio.TaskGroup() as both_ways:
                    upwards = both_ways.create_task(_pump(reader, outgoing))
                    await _pump(incoming, writer)
                    upwards.cancel()  # the server's side has ended
            finally:
                outgoing.close()
        except (OSError, EOFError, ValueError, asyncio.CancelledError, ToolFailed):
            pass  # the browser sees a closed connection
        finally:
            writer.close()

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        failure = ToolFailed(message("unreachable", url=endpoint(host, port)), kind="unavailable")
        self._failures.pop(endpoint(host, port), None)
        try:
            for address in await allowed_addresses(self._policy, host, port):
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(CONNECT_SECONDS):
                        return await asyncio.open_connection(address, port)
        except ToolFailed as error:
            failure = error
        self._failures[endpoint(host, port)] = failure
        while len(self._failures) > _REMEMBERED:
            self._failures.pop(next(iter(self._failures)))
        raise failure


async def _asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int]:
    """The host and the port that the browser wants to reach, as SOCKS 5 has them."""
    version, methods = await reader.readexactly(2)
    if version != _SOCKS:
        raise ValueError("this is no SOCKS 5")
    await reader.readexactly(methods)
    writer.write(bytes((_SOCKS, 0)))  # no password is wanted
    *_, kind = await reader.readexactly(4)
    if kind in _ADDRESS_BYTES:
        host = str(ip_address(await reader.readexactly(_ADDRESS_BYTES[kind])))
    else:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("ascii")
    return host, int.from_bytes(await reader.readexactly(2))


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, RuntimeError):  # the second where the other side is closed already
        while data := await source.read(_CHUNK):
            target.write(data)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()
