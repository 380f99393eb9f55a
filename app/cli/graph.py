"""`graph`: the picture of the graph, which is the truth."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from switchyard.app.cli.command import WrongUsage, command, load
from switchyard.app.cli.late import loaded_late
from switchyard.language.messages import message

with loaded_late():
    from switchyard.graphs import orchestrator

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

BOX = (190, 44)
GAP = 56
LEFT = 300
LANE = 74
INK, LINE, FILL, LABEL = "#222222", "#7a7a8c", "#f2f0ff", "#4b3fbf"


@command
async def graph(
    *,
    form: Annotated[Literal["mermaid", "ascii", "png"], typer.Option("--format", "-f")] = "mermaid",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write; needed for png.")] = None,
) -> None:
    """Draw the graph."""
    load()
    built: Any = orchestrator.build_graph(_nothing)  # its types are only partly known
    drawable = built.get_graph()
    try:
        if form == "png":
            if output is None:
                raise WrongUsage(message("graph_file"))
            _draw_png(drawable, output)
            return
        text = drawable.draw_mermaid() if form == "mermaid" else _ascii(drawable)
    except ImportError as error:
        raise WrongUsage(message("graph_package")) from error
    if output is None:
        sys.stdout.write(f"{text}\n")
    else:
        output.write_text(f"{text}\n", encoding="utf-8")


async def _nothing() -> NoReturn:
    raise AssertionError


def _ascii(drawable: Any) -> str:
    """The picture in letters; what leads to itself cannot be drawn there and is told below."""
    loops = [edge for edge in drawable.edges if edge.source == edge.target]
    drawable.edges = [edge for edge in drawable.edges if edge.source != edge.target]
    told = [f"{edge.source} ── {edge.data} ──▶ {edge.target}" for edge in loops]
    return "\n".join([str(drawable.draw_ascii()), *told])


def _draw_png(drawable: Any, path: Path) -> None:
    """Nodes from top to bottom; an edge that skips or goes back runs in a lane of its own beside them.

    Drawn here: LangGraph's own way needs a hosted service or a system program.
    """
    from PIL import Image, ImageDraw, ImageFont

    names = list(drawable.nodes)
    top = {name: 20 + index * (BOX[1] + GAP) for index, name in enumerate(names)}
    font = ImageFont.load_default(size=15)
    image = Image.new("RGB", (LEFT * 2 + BOX[0], top[names[-1]] + BOX[1] + 20), "white")
    pen = ImageDraw.Draw(image)
    lanes = {"left": 0, "right": 1}  # the first on the right is for what leads to itself
    # the shortest first: its lane is the nearest, and no label lies under a line
    for edge in sorted(drawable.edges, key=lambda edge: abs(names.index(edge.source) - names.index(edge.target))):
        here, there = names.index(edge.source), names.index(edge.target)
        label = str(edge.data or "")
        if there == here + 1:
            x = LEFT + BOX[0] // 2
            _arrow(pen, [(x, top[edge.source] + BOX[1]), (x, top[edge.target])])
            pen.text((x + 8, top[edge.target] - GAP // 2), label, fill=LABEL, font=font, anchor="lm")
            continue
        side = "left" if there < here else "right"
        lanes[side] += there != here
        reach = lanes[side] * LANE if there != here else LANE // 3
        edge_x, lane_x = (LEFT, LEFT - reach) if side == "left" else (LEFT + BOX[0], LEFT + BOX[0] + reach)
        start, end = top[edge.source] + BOX[1] // 2 + 4 * lanes[side], top[edge.target] + BOX[1] // 2
        if here == there:
            start, end = top[edge.source] + BOX[1] - 8, top[edge.source] + 8
        _arrow(pen, [(edge_x, start), (lane_x, start), (lane_x, end), (edge_x, end)])
        away, anchor = (-5, "rm") if side == "left" else (5, "lm")
        pen.text((lane_x + away, (start + end) // 2), label, fill=LABEL, font=font, anchor=anchor)
    for name in names:
        box = (LEFT, top[name], LEFT + BOX[0], top[name] + BOX[1])
        pen.rounded_rectangle(box, radius=9, fill=FILL, outline=LINE)
        pen.text((LEFT + BOX[0] // 2, top[name] + BOX[1] // 2), name.strip("_"), fill=INK, font=font, anchor="mm")
    image.save(path, format="PNG")


def _arrow(pen: "ImageDraw", points: list[tuple[int, int]]) -> None:
    pen.line(points, fill=LINE, width=2)
    (x0, _), (x1, y1) = points[-2:]
    if x0 == x1:
        pen.polygon([(x1, y1), (x1 - 5, y1 - 9), (x1 + 5, y1 - 9)], fill=LINE)
    else:
        back = 9 if x0 > x1 else -9
        pen.polygon([(x1, y1), (x1 + back, y1 - 5), (x1 + back, y1 + 5)], fill=LINE)
