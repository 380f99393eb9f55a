"""Our top-level names are common words: if a foreign package of the same name comes first, say so at once."""

import importlib.util
from pathlib import Path

PACKAGES = ("graphs", "agents", "toolhub", "ledger", "tools", "skills")

ROOT = Path(__file__).resolve().parent.parent
"""The folder our packages live in."""


class ShadowedPackage(ImportError):
    """A foreign package stands where one of ours is needed."""


def check_own_packages() -> None:
    """Make sure that our packages are the ones Python finds.

    Raises:
        ShadowedPackage: naming the foreign file and what to do.
    """
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        places = [] if spec is None else list(spec.submodule_search_locations or [spec.origin or ""])
        if not any(Path(place).resolve() == ROOT / name for place in places):
            found = places[0] if places else "nothing"
            raise ShadowedPackage(
                f"Switchyard's package '{name}' is hidden by {found}. Start it with the 'switchyard' command, with "
                f"'python -P -m app', or from another folder."
            )
