"""Hands a page to the process that reads it, and ends that process whatever happens."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from switchyard.language.messages import message
from switchyard.tools.core import ToolFailed
from switchyard.tools.web_scraper.reader import MAX_TEXT, Wanted

__all__ = ["MAX_TEXT", "read_page"]

SECONDS = 10.0
"""What reading a page may take."""

_READER = Path(__file__).with_name("reader.py")


async def read_page(wanted: Wanted, seconds: float = SECONDS) -> dict[str, Any]:
    """What the reader found.

    Raises:
        ToolFailed: when the page takes too long or too much memory.
    """
    # -P: the folder of the file is not a place to import from
    reader = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        str(_READER),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(seconds):
            found, _ = await reader.communicate(json.dumps(wanted).encode())
    except TimeoutError as error:
        raise ToolFailed(message("page_too_slow_to_read", seconds=seconds), kind="wrong_result") from error
    finally:
        if reader.returncode is None:
            reader.kill()
            await reader.wait()
    if reader.returncode:
        raise ToolFailed(message("page_too_tangled"), kind="wrong_result")
    return json.loads(found)
