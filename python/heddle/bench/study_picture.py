"""The picture of `heddle bench study`: a panel for each MPI and code, four bars for each case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heddle.problem import Problem

from .compare import geometric_mean
from .messages import Figures
from .rows import Row
from .study_table import COLUMNS, HAND, Cell, at_distances, cells, count

METRIC = "exchange"
INK = dict(zip(COLUMNS, ("#5b7f95", "#a9c0cd", "#e0b08f", "#b5542a"), strict=True))
CODES = {
    "jacobi": "Jacobi solver (doubles)",
    "life": "Game of Life (bytes)",
    "image": "image reconstruction (3 floats)",
}
USUAL_RANKS = 2
WIDTH, HEIGHT = 9.6, 2.35  # inches, of all panels and of a line of panels
MOST = 2.0  # longer bars are cut, and have their length as a number


def require_svg(file: Path) -> None:
    if file.suffix != ".svg":
        raise Problem(f"--picture writes SVG; {file.name} does not end in .svg", code=2)


def drawn(rows: list[Row]) -> list[tuple[Figures, list[Cell]]]:
    """For each MPI the cells of 2 ranks, or of the most ranks if 2 were not measured. If the cores
    were near and far, the distance with more cells."""
    found = [(figures, of) for figures in at_distances(rows) if (of := cells(figures, METRIC))]
    counts = {figures.ranks for figures, _ in found}
    ranks = USUAL_RANKS if USUAL_RANKS in counts else max(counts, default=0)
    best: dict[str, tuple[Figures, list[Cell]]] = {}
    for figures, of in found:
        if figures.ranks == ranks and len(of) > len(best.get(figures.library, (None, []))[1]):
            best[figures.library] = (figures, of)
    return list(best.values())


def draw(rows: list[Row], file: Path) -> None:
    import matplotlib

    found = drawn(rows)
    if not found:
        raise Problem("there is nothing to draw: no exchange was measured in all four columns.")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    codes = [code for code in CODES if any(cell.gain.family == code for _, of in found for cell in of)]
    settings = {"font.size": 8.5, "svg.fonttype": "none", "svg.hashsalt": "heddle", "font.family": "sans-serif"}
    with pyplot.rc_context(settings):
        figure, axes = pyplot.subplots(
            len(found),
            len(codes),
            figsize=(WIDTH, HEIGHT * len(found) + 0.9),
            sharey=True,
            squeeze=False,
            layout="constrained",
            gridspec_kw={"width_ratios": [max(1, _most(found, code)) for code in codes]},
        )
        for axis, code in zip(axes[0], codes, strict=True):
            axis.set_title(CODES[code], fontsize=9)
        for line, (figures, of) in zip(axes, found, strict=True):
            for axis, code in zip(line, codes, strict=True):
                _panel(axis, [cell for cell in of if cell.gain.family == code])
            line[0].set_ylabel(f"{figures.library}\ntime over by hand alone")
        names = axes[0][0].get_legend_handles_labels()
        figure.legend(*names, frameon=False, loc="outside upper center", ncols=len(COLUMNS), fontsize=9)
        figure.supxlabel(_caption(found), fontsize=8, color="#555")
        figure.savefig(file, metadata={"Date": None}, facecolor="white")
        pyplot.close(figure)


def _most(found: Sequence[tuple[Figures, list[Cell]]], code: str) -> int:
    return max(sum(cell.gain.family == code for cell in of) for _, of in found)


def _panel(axis, of: list[Cell]) -> None:
    """Groups of four bars: the sizes side by side for each kind of call. Packing by hand alone is
    1."""
    if not of:
        axis.set_axis_off()
        return
    calls = list(dict.fromkeys(cell.gain.pattern for cell in of))
    of = sorted(of, key=lambda cell: (calls.index(cell.gain.pattern), int(cell.gain.size)))
    width, places = 0.2, []
    for number, cell in enumerate(of):
        places.append(number + 0.45 * calls.index(cell.gain.pattern))
        for bar, name in enumerate(COLUMNS):
            x, ratio = places[-1] + (bar - 1.5) * width, cell.us[name] / cell.us[HAND]
            axis.bar(x, min(ratio, MOST), width, color=INK[name], label=name if number == 0 else None)
            if ratio > MOST:
                axis.text(x, MOST, f" {ratio:.1f}", ha="center", va="bottom", rotation=90, fontsize=6.5, color="#333")
    axis.axhline(1, color="#555", linewidth=0.7, linestyle=(0, (4, 3)), zorder=0.5)
    axis.set(ylim=(0, MOST * 1.34), xlim=(places[0] - 0.6, places[-1] + 0.6))
    axis.set_xticks(places, [cell.gain.size for cell in of], fontsize=6.5, rotation=90 if len(of) > 6 else 0)
    for call in calls:
        here = [x for x, cell in zip(places, of, strict=True) if cell.gain.pattern == call]
        axis.text(sum(here) / len(here), MOST * 1.33, call, ha="center", va="top", fontsize=7.5, color="#333")
    axis.tick_params(axis="x", length=0)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def _caption(found: Sequence[tuple[Figures, list[Cell]]]) -> str:
    figures = found[0][0]
    distances = ", ".join(dict.fromkeys(one.distance.removeprefix(", ") for one, _ in found if one.distance))
    where = f"{figures.ranks} rank{'s' * (figures.ranks > 1)}" + (f" on {distances}" if distances else "")
    every = [cell for _, of in found for cell in of]
    mean = geometric_mean(cell.gain.value for cell in every)
    return (
        f"Time of a halo exchange, {where}; N × N cells a rank, N below the bars; shorter is better. Medians.\n"
        f"No other way is faster than datatypes under Heddle in {count(every)} cases. They are {mean:.1f} × as fast as "
        "datatypes alone (geometric mean). Made by: heddle bench study"
    )
