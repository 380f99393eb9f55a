"""Which addresses tools may reach.

Public ones. Private, loopback, link-local, metadata, multicast and reserved addresses are refused, whatever name leads
to them, unless the owner has allowed the host. Requests themselves are made by `tools.web.request`.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, ip_address, ip_network

from switchyard.language.messages import message
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.network import NetworkPolicy, endpoint

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Gives every address of a host name."""

_GLOBAL_UNICAST = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC_EITHER = tuple(
    ip_network(network)
    for network in (
        "168.63.129.16/32",  # a cloud's own services, on an address that looks public
        "192.0.0.0/24",  # protocol assignments, among them a metadata service
        "192.88.99.0/24",  # relays into other networks
    )
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
