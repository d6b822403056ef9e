"""Bars of gain over the better host, one a case."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import figure
from .compare import Comparison

LINE = 0.16  # inches
INK = {True: "#b5542a", False: "#5b7f95"}  # irregular, regular


def write(found: Iterable[Comparison], file: Path, metric: str = "pack") -> None:
    """Bars on a logarithmic scale; the line at 1 is the better host."""
    mine = [one for one in found if one.metric == metric]
    title = f"Speed of {metric} over the better host MPI, case by case"
    with figure.panels(file, title, 1, 1, 9.5, 0.7 + LINE * len(mine)) as ((axis,),):
        axis.barh(range(len(mine)), [one.gain - 1 for one in mine], 0.7, left=1, color=[INK[one.irregular] for one in mine])
        for line, one in enumerate(mine):
            axis.text(max(1, one.gain), line, f" {one.gain:.2f}", va="center")
        axis.axvline(1, color="#000", linewidth=0.8)
        axis.set_xscale("log", base=2)
        axis.set(xlim=(0.5, max([4, *(one.gain for one in mine)])), ylim=(len(mine), -1))
        axis.set_yticks(range(len(mine)), [one.case for one in mine])
        axis.xaxis.set_major_formatter("{x:g}×")
        axis.tick_params(labeltop=True, labelbottom=False)
        axis.grid(False, axis="y")
