"""`graph`: the picture of the graph, which is the truth."""

import sys
from pathlib import Path
from typing import Any, cast

from agents.scope import Equipment
from app.commands.running import run_command
from app.settings import Settings
from graphs.orchestrator import build_graph
from tools.core.errors import SettingsInvalid

FORMS = ("mermaid", "ascii", "png")


def draw(form: str, output: Path | None) -> int:
    """Draw the graph as text or as a picture."""

    async def work(settings: Settings) -> int:
        del settings
        drawable = cast("Any", build_graph(_nothing)).get_graph()
        if form not in FORMS:
            raise SettingsInvalid(f"--format is one of {', '.join(FORMS)}, not '{form}'.")
        if form == "png":
            _write_png(drawable, output)
            return 0
        try:
            text = drawable.draw_mermaid() if form == "mermaid" else drawable.draw_ascii()
        except ImportError as error:
            raise SettingsInvalid("The ASCII picture needs a package: pip install 'switchyard[draw]'.") from error
        _write_text(text + "\n", output)
        return 0

    return run_command(work)


def _write_text(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


def _write_png(drawable: Any, output: Path | None) -> None:
    if output is None:
        raise SettingsInvalid("A picture needs a file: --output graph.png.")
    try:
        from app.picture import draw_png  # noqa: PLC0415  an extra

    except ImportError as error:
        raise SettingsInvalid("The picture needs a package: pip install 'switchyard[draw]'.") from error
    draw_png(drawable, output)


async def _nothing() -> Equipment:
    raise AssertionError
