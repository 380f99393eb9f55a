"""Where the program's own rooms are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder the rooms are in: of a checkout its root, of an installed program its package."""
