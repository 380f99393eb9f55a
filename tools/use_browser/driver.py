"""Playwright, loaded when it is first used: it is an extra, and slow to import."""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["playwright"]


class _Late(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


if TYPE_CHECKING:
    from playwright import async_api as playwright
else:
    playwright = _Late("playwright.async_api")
