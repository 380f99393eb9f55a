"""The environment a program is started in by tests: no keys, no settings of the machine's, folders of its own."""

import os
from pathlib import Path


def own_environment(folder: Path, **settings: str) -> dict[str, str]:
    """The environment without our settings and keys but those given; what is kept goes below the folder."""
    of_the_machine = ("APP_", "OPENAI_", "LC_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(of_the_machine)}
    own = {"LANG": "C.UTF-8"}
    own |= {f"APP_{name.upper()}_DIR": str(folder / name) for name in ("data", "config", "cache")}
    return {**clean, **own, "APP_MCP_FILES": "[]", **settings}
