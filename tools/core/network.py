"""What the owner says about the network; tools keep to it by `tools.web.request`."""

from dataclasses import dataclass, field
from typing import Literal

SearchProvider = Literal["searxng", "tavily", "brave"]


@dataclass(frozen=True, slots=True)
class NetworkPolicy:
    """What the owner says about the network: which private hosts are allowed, and who searches the web."""

    allow_private: tuple[str, ...] = ()
    """Private hosts that may be reached: `host`, `host:port`, or `*` for every one."""
    search_provider: SearchProvider | None = None
    search_url: str = field(default="", repr=False)
    """Where the search engine is; SearXNG needs it, the others have an address of their own."""
    search_key: str = field(default="", repr=False)

    def allows(self, host: str, port: int) -> bool:
        """Whether the owner has named this host."""
        entries = {entry.strip().lower() for entry in self.allow_private}
        return not entries.isdisjoint({"*", host, f"[{host}]", endpoint(host, port)})


def endpoint(host: str, port: int) -> str:
    """Host and port as they are written together."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
