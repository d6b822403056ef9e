"""The look of the figures that benchmarks of messages draw, as SVG and PNG side by side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from heddle.problem import Problem

if TYPE_CHECKING:
    from .messages import Figures

INK = {
    "heddle": "#b5542a",
    "host": "#5b7f95",
    "contiguous": "#3a3a3a",
    "manual": "#8a9a5b",
    "multiple": "#b9a44c",
    "null": "#9fb6c3",
    "bc-spup": "#d9a441",
    "rwg-up": "#7a5195",
    "p-rrs": "#ef5675",
    "multi-w": "#2f9e77",
    "direct": "#1f6f9f",
    "both": "#c78ad6",
    "ring": "#1f6f9f",
    "dissemination": "#d9a441",
    "pipelined-ring": "#7a5195",
    "round-robin": "#1f6f9f",
    "kept": "#e39b76",
    "host-kept": "#a3bccb",
}


def base(file: Path) -> Path:
    """FILE, FILE.svg and FILE.png all mean FILE.svg and FILE.png."""
    if file.suffix not in ("", ".svg", ".png"):
        raise Problem(f"--plot writes SVG and PNG; {file.name} ends in neither .svg nor .png")
    return file.with_suffix("")


@contextmanager
def panels(file: Path, title: str, lines: int, columns: int, width: float = 4.6, height: float = 3.6) -> Iterator:
    """Axes to draw on, [line][column]; saved on leaving."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    many = pyplot.cycler(color=pyplot.colormaps["tab20"].colors)  # for lines without their own colour
    look = {"font.size": 8, "axes.grid": True, "grid.color": "#e3e3e3", "svg.fonttype": "none", "axes.prop_cycle": many}
    look["text.parse_math"] = False  # names of cases are texts
    with pyplot.rc_context(look):
        figure, axes = pyplot.subplots(
            lines, columns, figsize=(width * columns, height * lines), squeeze=False, layout="constrained"
        )
        figure.suptitle(title)
        yield axes
        for axis in axes.flat:
            drawn = axis.patches or any(len(line.get_xdata()) and line.get_transform() == axis.transData for line in axis.lines)
            if not drawn:
                axis.set(xscale="linear", yscale="linear")  # without values a logarithmic axis has no ends
                axis.set_visible(bool(axis.get_title()))
            if axis.get_yscale() == "log":
                _plain_numbers(axis.yaxis)
        for suffix in (".svg", ".png"):
            figure.savefig(base(file).with_suffix(suffix), dpi=130)
        pyplot.close(figure)


FEW = 4  # entries that fit among the lines
ROOM = 95  # letters of a panel's width


def legend(axis, size: int = 6) -> None:
    """The legend. If there are many lines, it goes below the panel, so that it covers none of
    them."""
    names = axis.get_legend_handles_labels()[1]
    columns = min(4, max(1, ROOM // (max(map(len, names), default=0) + 9)))
    below = {"loc": "upper left", "bbox_to_anchor": (0, -0.19), "ncols": columns, "frameon": False, "borderaxespad": 0}
    axis.legend(fontsize=size, **(below if len(names) > FEW else {}))


def _plain_numbers(axis) -> None:
    """Labels such as 6 instead of 6 × 10⁰."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def __call__(self, value: float, position: int | None = None) -> str:
            return f"{value:,.10g}" if super().__call__(value, position) else ""

    axis.set_major_formatter(Plain())
    axis.set_minor_formatter(Plain(minor_thresholds=(1, 0.5)))


def ink(variant: str) -> str | None:
    return INK.get(variant)


ABOVE = {"zorder": 6, "bbox": {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.8}}


def mark(axis, factor: float, text: str) -> None:
    """Draws the factor that a paper reports as a line across."""
    axis.axhline(factor, color="#888", linestyle="--", linewidth=0.9)
    axis.annotate(text, (0.02, factor), xycoords=("axes fraction", "data"), va="bottom", fontsize=7, color="#555", **ABOVE)


def _kinds(found: list[Figures]) -> list[tuple[int, str]]:
    return sorted({(figures.ranks, figures.distance) for figures in found})


def grid(found: list[Figures], more: int) -> tuple[int, int]:
    """Lines and columns of panels: a line for each MPI, a column for each number of ranks and
    distance of cores, and more."""
    return len({figures.library for figures in found}), len(_kinds(found)) + more


def places(found: list[Figures]) -> list[tuple[int, int]]:
    """The line and the column of each panel."""
    libraries, kinds = list(dict.fromkeys(figures.library for figures in found)), _kinds(found)
    return [(libraries.index(figures.library), kinds.index((figures.ranks, figures.distance))) for figures in found]
