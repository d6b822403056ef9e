"""Bars of gain over the better host, one a case, as SVG."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from heddle import written
from heddle.problem import Problem

from .compare import Comparison

LINE = 0.16  # inches
INK = {True: "#b5542a", False: "#5b7f95"}  # irregular, regular
LOOK = {"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "heddle", "text.parse_math": False, "grid.color": "#ddd"}


def require_svg(file: Path) -> None:
    if file.suffix != ".svg":
        raise Problem(f"--plot writes SVG; {file.name} does not end in .svg")


@contextmanager
def panels(file: Path, columns: int, width: float, height: float) -> Iterator:
    """Axes side by side, in so many inches. Saved on leaving."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    with pyplot.rc_context(LOOK):
        figure, axes = pyplot.subplots(1, columns, figsize=(width, height), sharey=True, squeeze=False, layout="constrained")
        for axis in axes[0]:
            axis.set_axisbelow(True)
            axis.tick_params(length=0)
            axis.spines[:].set_visible(False)
        yield axes[0]
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        pyplot.close(figure)
    written.write(file, text.getvalue())


def write(found: Iterable[Comparison], file: Path, metric: str = "pack") -> None:
    """Bars on a logarithmic scale; the line at 1 is the better host."""
    mine = [one for one in found if one.metric == metric]
    with panels(file, 1, 9.5, 0.7 + LINE * len(mine)) as (axis,):
        axis.set_title(f"Speed of {metric} over the better host MPI, case by case", loc="left")
        axis.barh(range(len(mine)), [one.gain - 1 for one in mine], 0.7, left=1, color=[INK[one.irregular] for one in mine])
        for line, one in enumerate(mine):
            axis.text(max(1, one.gain), line, f" {one.gain:.2f}", va="center")
        axis.axvline(1, color="#000", linewidth=0.8)
        axis.set_xscale("log", base=2)
        axis.set(xlim=(0.5, max([4, *(one.gain for one in mine)])), ylim=(len(mine), -1))
        axis.set_yticks(range(len(mine)), [one.case for one in mine])
        axis.xaxis.set_major_formatter("{x:g}×")
        axis.tick_params(labeltop=True, labelbottom=False)
        axis.grid(axis="x")
