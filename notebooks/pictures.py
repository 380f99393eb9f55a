"""Pictures for the notebooks: a graph, a plan as a DAG, recall scores. 笔记本里的图。"""

from collections import Counter

import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch

BOX = {"boxstyle": "round,pad=0.4", "facecolor": "#f2f0ff", "edgecolor": "#8a7fd1"}
BEND = 0.3


def draw(places, edges, width, bends=()):
    """Boxes at places and arrows (from, to, label) between them; those whose (from, to) is in `bends` go around."""
    rad = {(here, there): BEND if (here, there) in bends else 0 for here, there, _ in edges}
    # an arc is as high as half its bend times its length
    tops = [BEND * (places[here][0] - places[there][0]) / 2 for here, there in bends]
    xs, ys = zip(*places.values())
    low, high, left, right = min(ys) - 0.4, max(ys) + max(tops, default=0) + 0.4, min(xs) - 0.8, max(xs) + 0.8
    figure, axes = plt.subplots(figsize=(width, width * (high - low) / (right - left)), dpi=70)
    axes.set(xlim=(left, right), ylim=(low, high), aspect="equal")
    axes.axis("off")
    boxes = {
        name: axes.text(x, y, name.strip("_"), ha="center", va="center", fontsize=9, bbox=BOX)
        for name, (x, y) in places.items()
    }
    figure.tight_layout(pad=0)
    figure.canvas.draw()  # the boxes have their size from now on; arrows are drawn after them and end at them
    for here, there, label in edges:
        patches = {"patchA": boxes[here].get_bbox_patch(), "patchB": boxes[there].get_bbox_patch()}
        style = {"connectionstyle": f"arc3,rad={rad[here, there]}", "arrowstyle": "-|>", "mutation_scale": 10}
        axes.add_patch(FancyArrowPatch(places[here], places[there], **patches, **style, color="#777", zorder=4))
        (x0, y0), (x1, y1) = places[here], places[there]
        top = (y0 + y1) / 2 + rad[here, there] * (x0 - x1) / 2
        axes.text((x0 + x1) / 2, top + 0.05, label, fontsize=7, color="#555", ha="center", va="bottom")
    plt.show()


def draw_plan(plan):
    """The steps of a plan from left to right: each stands after those it depends on."""
    column = {}
    for step in plan.steps:
        column[step.id] = 1 + max((column[other] for other in step.dependencies), default=-1)
    filled, tall, places = Counter(), Counter(column.values()), {}
    names = {step.id: f"{step.id}\n{step.tool}" for step in plan.steps}
    for step, x in column.items():
        places[names[step]] = (2 * x, (tall[x] - 1) / 2 - filled[x])
        filled[x] += 1
    edges = [(names[other], names[step.id], "") for step in plan.steps for other in step.dependencies]
    draw(places, edges, 2.3 * len(tall))


def plot_scores(found):
    """What recall gave each tool; the best on top."""
    found = [one for one in found if one.score][::-1]
    _, axes = plt.subplots(figsize=(5, 0.3 * len(found) + 0.6), dpi=60)
    axes.barh([one.name for one in found], [one.score for one in found], color="#8a7fd1")
    axes.set_xlabel("score")
    plt.tight_layout()
    plt.show()
