"""Packages that are slow to import, or extras: loaded when something of them is first used."""

import importlib
from types import ModuleType
from typing import Any


class Late(ModuleType):
    """A stand-in for the module of that name. Type checkers are shown the module itself, behind `TYPE_CHECKING`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)
