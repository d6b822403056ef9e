"""The tables of `heddle bench study`: four columns for each case, the gain, and the ways that are
faster than Heddle's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from heddle.verdict import BRIEF, Meaning, Verdict

from .compare import geometric_mean
from .messages import Figures, by_mpi, gain_cell, screen
from .rows import Row, verdict_of

HAND, ALONE = "by hand alone", "datatypes alone"
HAND_UNDER, OURS = "by hand under Heddle", "datatypes under Heddle"
COLUMNS = (HAND, ALONE, HAND_UNDER, OURS)
FORWARDED = "datatypes forwarded"  # by a library between program and MPI that does nothing else
CODES = ("jacobi", "life", "image")
CALLS = ("messages", "neighbour", "persistent", "puts")
METRICS = {"exchange": "Exchange of a halo", "step": "Step: exchange and computation"}


def over_ours(metric: str) -> str:
    """The metric of a column's time over that of the datatypes under Heddle."""
    return f"{metric} over datatypes under Heddle"


@dataclass(frozen=True)
class Cell:
    """A case with all its columns, in µs, and the ratios of the others over the datatypes under
    Heddle."""

    case: str
    us: dict[str, float]
    over: dict[str, Row]

    @property
    def gain(self) -> Row:
        return self.over[ALONE]

    @property
    def faster(self) -> dict[str, Verdict]:
        """The columns that are faster than the datatypes under Heddle, beyond the scatter of the
        rounds."""
        found = {name: verdict_of(row) for name, row in self.over.items()}
        return {name: one for name, one in found.items() if one.meaning is Meaning.slower}

    @property
    def compared(self) -> bool:
        """There are enough rounds for a verdict."""
        return all(verdict_of(row).meaning is not Meaning.few for row in self.over.values())


def columns(figures: Figures) -> tuple[str, ...]:
    """The columns of a table: the four, and forwarded calls if they were measured."""
    return COLUMNS + (FORWARDED,) * any(row.variant == FORWARDED for row in figures.rows)


def cells(figures: Figures, metric: str) -> list[Cell]:
    """The complete cases in order: code, size, call. Cases that some job has not measured at
    this distance are left out."""
    found = []
    measured = columns(figures)
    for case in figures.cases(metric):
        us = {name: figures.value(case, name, metric) for name in measured}
        over = {name: figures.row(case, name, over_ours(metric)) for name in measured if name != OURS}
        if None not in over.values() and None not in us.values():
            found.append(Cell(case, us, over))
    return sorted(found, key=lambda cell: (CODES.index(cell.gain.family), int(cell.gain.size), CALLS.index(cell.gain.pattern)))


def at_distances(rows: list[Row]) -> list[Figures]:
    """Figures for each MPI, number of ranks and distance of the cores. If near or far is known,
    other rows do not count: the distance changed while they were measured."""
    known = {(row.mpi, row.ranks) for row in rows if row.cores}
    return by_mpi([row for row in rows if row.cores or (row.mpi, row.ranks) not in known])


def table(figures: Figures, metric: str, found: Sequence[Cell]) -> Table:
    ranks = f"{figures.ranks} rank{'s' * (figures.ranks > 1)}"
    shown = Table(title=f"{METRICS[metric]}, {ranks}, {figures.mpi}, µs", title_justify="left")
    shown.add_column("case", no_wrap=True)
    for name in (*columns(figures), "gain"):
        shown.add_column(name, justify="right")
    shown.add_column("faster than datatypes under Heddle")
    for cell in found:
        mark = ", ".join(f"{name} (takes {one.span} of the time)" for name, one in cell.faster.items())
        shown.add_row(
            cell.case, *map(_number, cell.us.values()), gain_cell(verdict_of(cell.gain)), f"[red]{mark}[/]" if mark else ""
        )
    mean = geometric_mean(cell.gain.value for cell in found)
    shown.add_section()
    shown.add_row("geometric mean", *[""] * len(columns(figures)), f"{mean:.2f}", f"no other way is faster in {count(found)}")
    shown.caption = f"medians; gain: datatypes alone over datatypes under Heddle, of {_rounds(found)}, {BRIEF}"
    shown.caption += f"; ranks on cores {figures.rows[0].pinning}"
    lines = [row.line_ns for row in figures.rows if row.metric == metric and row.line_ns]
    shown.caption += f"; a cache line takes {min(lines):.0f} to {max(lines):.0f} ns between them" if lines else ""
    return shown


def count(found: Sequence[Cell]) -> str:
    """Cases in which no other way is faster beyond the scatter, of the cases that have enough
    rounds for a verdict."""
    compared = [cell for cell in found if cell.compared]
    decided = " decided" if len(compared) < len(found) else ""
    return f"{sum(not cell.faster for cell in compared)} of {len(compared)}{decided}"


def _number(us: float) -> str:
    return f"{us:.3g}" if us < 1000 else f"{us:,.0f}"


def _rounds(found: Sequence[Cell]) -> str:
    """Fewer rounds than asked for: the cores were at another distance in the others."""
    least, most = (choose(cell.gain.samples for cell in found) for choose in (min, max))
    return (f"{least}" if least == most else f"{least} to {most}") + (" round" if most == 1 else " rounds")


def show(rows: list[Row], metric: str) -> None:
    """A table for each MPI, number of ranks and distance of the cores; then a line about all of
    them."""
    everywhere: list[tuple[Figures, Cell]] = []
    for figures in at_distances(rows):
        found = cells(figures, metric)
        if found:
            screen().print(table(figures, metric, found))
        everywhere += [(figures, cell) for cell in found]
    line = f"{METRICS[metric]}: "
    if everywhere:
        mean = geometric_mean(cell.gain.value for _, cell in everywhere)
        line += f"no other way is faster than datatypes under Heddle in {count([cell for _, cell in everywhere])} cases; "
        line += f"geometric mean of all {len(everywhere)} gains {mean:.2f}"
    compared = {(figures.library, figures.ranks, cell.case) for figures, cell in everywhere}
    missing = {(row.mpi, row.ranks, row.case) for row in rows if row.metric == metric} - compared
    if missing:
        line += ". " if everywhere else ""
        line += f"Not compared: {len(missing)} cases without a pair of jobs at one distance of the cores (more --rounds help)"
    screen().print(line, highlight=False)
