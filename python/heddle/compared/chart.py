"""A comparison as a PNG, by matplotlib."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from textwrap import fill

from heddle.problem import Problem
from heddle.reported.words import duration

from . import INK, Compared
from .text import doubts, gain_sentence, seconds

MOST_BARS = 8
WIDE = 8.6  # inches


def require(file: Path) -> None:
    """Checks that the chart can be drawn, before any run."""
    if file.suffix != ".png":
        raise Problem(f"--png writes PNG; {file.name} does not end in .png", code=2)
    if find_spec("matplotlib") is None:
        raise Problem(
            "--png needs matplotlib, which this Python does not have. Install it (pip install matplotlib), or take --html."
        )


def draw(found: Compared, file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [row for row in found.calls[:MOST_BARS] if max(row.without_us, row.with_us) > 0]
    heights = [1.5] + ([0.35 + 0.42 * len(rows)] if rows else [])
    said = (gain_sentence(found), *doubts(found))
    title = "\n".join((fill(found.command, 88, max_lines=2, placeholder=" …"), *(fill(line, 88) for line in said)))
    facts = [found.mpi, f"Heddle {found.heddle}", *(f"{name}={value}" for name, value in found.settings.items())]
    foot = fill(", ".join(filter(None, [*facts, found.machine, found.date])), 120, max_lines=3, placeholder=" …")
    extra = 1.3 + 0.2 * title.count("\n") + 0.15 * foot.count("\n")
    with pyplot.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = pyplot.subplots(
            len(heights),
            1,
            figsize=(WIDE, sum(heights) + extra + 0.5 * (len(heights) - 1)),
            squeeze=False,
            gridspec_kw={"height_ratios": heights},
            layout="constrained",
        )
        figure.suptitle(title, x=0.02, ha="left", fontsize=11)
        _times(axes[0][0], found)
        if rows:
            _calls(axes[1][0], rows)
        figure.supxlabel(foot, x=0.02, ha="left", fontsize=7, color="#555")
        try:
            figure.savefig(file, dpi=150)
        except OSError as error:
            raise Problem(f"cannot write {file} ({error.strerror}).") from None
        finally:
            pyplot.close(figure)


def _times(axis, found: Compared) -> None:
    """A bar to the median, a dot for every run."""
    sides = (
        ("without Heddle", [one.without_s for one in found.rounds], found.without.median),
        ("with Heddle", [one.with_s for one in found.rounds], found.with_heddle.median),
    )
    for y, (name, values, median) in enumerate(sides):
        axis.barh(y, median, height=0.62, color=INK[name], alpha=0.3)
        heights = [y + 0.5 * ((i + 0.5) / len(values) - 0.5) for i in range(len(values))]
        axis.plot(values, heights, "o", color=INK[name], markersize=5)
        axis.annotate(f"median {seconds(median)}", (max(*values, median), y), (8, 0), textcoords="offset points", va="center")
    _finish(axis, [name for name, _, _ in sides], "wall time of every run, s")


def _calls(axis, rows) -> None:
    for y, row in enumerate(rows):
        for name, shift, value in (("without Heddle", -0.19, row.without_us), ("with Heddle", 0.19, row.with_us)):
            axis.barh(y + shift, value / 1e6, height=0.36, color=INK[name], label=name if y == 0 else None)
            axis.annotate(
                duration(value), (value / 1e6, y + shift), (5, 0), textcoords="offset points", va="center", fontsize=8
            )
    axis.legend(frameon=False, loc="lower right")
    _finish(axis, [row.name for row in rows], "time of a rank in MPI calls, s (one more run of each way, with a report)")


def _finish(axis, names: list[str], label: str) -> None:
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.tick_params(axis="y", length=0)
    axis.set_xlim(0, axis.dataLim.x1 * 1.2)
    axis.set_xlabel(label)
