"""`graph`: the picture of the graph, which is the truth."""

import sys
from pathlib import Path
from typing import Any, cast

from switchyard.agents.scope import Equipment
from switchyard.app.commands.running import run_command
from switchyard.app.settings import Settings
from switchyard.graphs.orchestrator import build_graph
from switchyard.tools.core.errors import SettingsInvalid

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
            text = drawable.draw_mermaid() if form == "mermaid" else _ascii(drawable)
        except ImportError as error:
            raise SettingsInvalid("The ASCII picture needs a package: pip install 'switchyard[draw]'.") from error
        _write_text(text + "\n", output)
        return 0

    return run_command(work)


def _ascii(drawable: Any) -> str:
    """The picture in letters; what leads to itself cannot be drawn there and is told below."""
    loops = [edge for edge in drawable.edges if edge.source == edge.target]
    drawable.edges = [edge for edge in drawable.edges if edge.source != edge.target]
    told = [f"{edge.source} ── {edge.data} ──▶ {edge.target}" for edge in loops]
    return "\n".join([str(drawable.draw_ascii()), *told])


def _write_text(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


def _write_png(drawable: Any, output: Path | None) -> None:
    if output is None:
        raise SettingsInvalid("A picture needs a file: --output graph.png.")
    try:
        from switchyard.app.picture import draw_png  # noqa: PLC0415  an extra

    except ImportError as error:
        raise SettingsInvalid("The picture needs a package: pip install 'switchyard[draw]'.") from error
    draw_png(drawable, output)


async def _nothing() -> Equipment:
    raise AssertionError
