"""The tables of `heddle bench study`: four columns for each case, the gain, and the ways that are faster than Heddle's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from .compare import geometric_mean
from .messages import Figures, by_mpi, screen
from .rows import Row

HAND, ALONE = "by hand alone", "datatypes alone"
HAND_UNDER, OURS = "by hand under Heddle", "datatypes under Heddle"
COLUMNS = (HAND, ALONE, HAND_UNDER, OURS)
CODES = ("jacobi", "life", "image")
CALLS = ("messages", "neighbour", "persistent")
METRICS = {"exchange": "Exchange of a halo", "step": "Step: exchange and computation"}


def gain_of(metric: str) -> str:
    return f"{metric}: datatypes alone over datatypes under Heddle"


@dataclass(frozen=True)
class Cell:
    """A case with all four columns, in µs, and the gain."""

    case: str
    us: dict[str, float]
    gain: Row

    @property
    def fastest(self) -> str:
        """The datatypes under Heddle, unless another column has less time."""
        least = min(COLUMNS, key=self.us.__getitem__)
        return OURS if self.us[OURS] == self.us[least] else least


def cells(figures: Figures, metric: str) -> list[Cell]:
    """The complete cases in order: code, size, call. Cases that only one of two jobs has measured at this distance are left
    out."""
    found = []
    for case in figures.cases(metric):
        us = {name: figures.value(case, name, metric) for name in COLUMNS}
        gain = figures.row(case, OURS, gain_of(metric))
        if gain is not None and None not in us.values():
            found.append(Cell(case, us, gain))
    return sorted(found, key=lambda cell: (CODES.index(cell.gain.family), int(cell.gain.size), CALLS.index(cell.gain.pattern)))


def at_distances(rows: list[Row]) -> list[Figures]:
    """Figures for each MPI, number of ranks and distance of the cores. If near or far is known, other rows do not count: the
    distance changed while they were measured."""
    known = {(row.mpi, row.ranks) for row in rows if row.cores}
    return by_mpi([row for row in rows if row.cores or (row.mpi, row.ranks) not in known])


def table(figures: Figures, metric: str, found: Sequence[Cell]) -> Table:
    ranks = f"{figures.ranks} rank{'s' * (figures.ranks > 1)}"
    shown = Table(title=f"{METRICS[metric]}, {ranks}, {figures.mpi}, µs", title_justify="left")
    shown.add_column("case", no_wrap=True)
    for name in (*COLUMNS, "gain"):
        shown.add_column(name, justify="right")
    shown.add_column("faster than datatypes under Heddle")
    for cell in found:
        best = cell.fastest
        mark = "" if best == OURS else f"[red]{best}, {cell.us[OURS] / cell.us[best]:.2f} ×[/]"
        gain = f"{cell.gain.value:.2f} [dim]{cell.gain.lower:.2f}–{cell.gain.upper:.2f}[/]"
        numbers = (f"[bold]{_number(us)}[/]" if name == best else _number(us) for name, us in cell.us.items())
        shown.add_row(cell.case, *numbers, gain, mark)
    mean = geometric_mean(cell.gain.value for cell in found)
    shown.add_section()
    shown.add_row(
        "geometric mean", *[""] * len(COLUMNS), f"{mean:.2f}", f"datatypes under Heddle are fastest in {count(found)}"
    )
    shown.caption = f"medians; gain: datatypes alone over datatypes under Heddle, median and quartiles of {_rounds(found)}"
    shown.caption += f"; ranks on cores {figures.rows[0].pinning}"
    lines = [row.line_ns for row in figures.rows if row.metric == metric and row.line_ns]
    shown.caption += f"; a cache line takes {min(lines):.0f} to {max(lines):.0f} ns between them" if lines else ""
    return shown


def count(found: Sequence[Cell]) -> str:
    return f"{sum(cell.fastest == OURS for cell in found)} of {len(found)}"


def _number(us: float) -> str:
    return f"{us:.3g}" if us < 1000 else f"{us:,.0f}"


def _rounds(found: Sequence[Cell]) -> str:
    """Fewer rounds than asked for: the cores were at another distance in the others."""
    least, most = (choose(cell.gain.samples for cell in found) for choose in (min, max))
    return (f"{least}" if least == most else f"{least} to {most}") + (" round" if most == 1 else " rounds")


def show(rows: list[Row], metric: str) -> None:
    """A table for each MPI, number of ranks and distance of the cores; then a line about all of them."""
    everywhere: list[tuple[Figures, Cell]] = []
    for figures in at_distances(rows):
        found = cells(figures, metric)
        if found:
            screen().print(table(figures, metric, found))
        everywhere += [(figures, cell) for cell in found]
    line = f"{METRICS[metric]}: "
    if everywhere:
        mean = geometric_mean(cell.gain.value for _, cell in everywhere)
        line += f"datatypes under Heddle are the fastest of the four in {count([cell for _, cell in everywhere])} cells; "
        line += f"geometric mean of the gains {mean:.2f}"
    compared = {(figures.library, figures.ranks, cell.case) for figures, cell in everywhere}
    missing = {(row.mpi, row.ranks, row.case) for row in rows if row.metric == metric} - compared
    if missing:
        line += ". " if everywhere else ""
        line += f"Not compared: {len(missing)} cases without a pair of jobs at one distance of the cores (more --rounds help)"
    screen().print(line, highlight=False)
