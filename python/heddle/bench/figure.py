"""The look of the figures that benchmarks of messages draw, as SVG and PNG side by side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heddle.problem import Problem

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
}


def base(file: Path) -> Path:
    """FILE, FILE.svg and FILE.png all mean FILE.svg and FILE.png."""
    if file.suffix not in ("", ".svg", ".png"):
        raise Problem(f"--plot writes SVG and PNG; {file.name} ends in neither .svg nor .png")
    return file.with_suffix("")


@contextmanager
def panels(file: Path, title: str, lines: int, columns: int, width: float = 4.6, height: float = 3.4) -> Iterator:
    """Axes to draw on, [line][column]; saved on leaving."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    many = pyplot.cycler(color=pyplot.colormaps["tab20"].colors)  # for those without a colour of their own
    look = {"font.size": 8, "axes.grid": True, "grid.color": "#e3e3e3", "svg.fonttype": "none", "axes.prop_cycle": many}
    with pyplot.rc_context(look):
        figure, axes = pyplot.subplots(lines, columns, figsize=(width * columns, height * lines), squeeze=False)
        figure.suptitle(title)
        yield axes
        for axis in axes.flat:
            if not any(len(line.get_xdata()) and line.get_transform() == axis.transData for line in axis.lines):
                axis.set(xscale="linear", yscale="linear")  # nothing could be measured: a logarithm has no ends then
        figure.tight_layout()
        for suffix in (".svg", ".png"):
            figure.savefig(base(file).with_suffix(suffix), dpi=130)
        pyplot.close(figure)


def ink(variant: str) -> str | None:
    return INK.get(variant)


def mark(axis, factor: float, text: str) -> None:
    """The factor that a paper reports, as a line across."""
    axis.axhline(factor, color="#888", linestyle="--", linewidth=0.9)
    axis.annotate(text, (0.02, factor), xycoords=("axes fraction", "data"), va="bottom", fontsize=7, color="#555")
