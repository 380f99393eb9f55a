"""A source over servers of a test's own."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from switchyard.toolhub.sources.mcp.source import McpSource
from tests.support.mcp_bench import PATIENT

SourceWith = Callable[..., McpSource]


@pytest.fixture
def source_with(tmp_path: Path) -> SourceWith:
    def make(config: Any, **options: Any) -> McpSource:
        given: dict[str, Any] = {
            "cache_dir": tmp_path / "cache",
            "environment": os.environ,
            "patience": PATIENT,
            **options,
        }
        return McpSource(config, **given)

    return make
