"""Shared by the benchmarks of messages between ranks: alternate runs, a table for each MPI, goals,
and the output of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from heddle import verdict as verdicts
from heddle.console import console, wide_console
from heddle.disturbance import told
from heddle.installations import Installation
from heddle.problem import Problem

from . import goals as wanted
from .best_scheme import OVER_BEST, over_best_scheme
from .compare import Goal, geometric_mean
from .jobs import Collector, Run, busy, known_settings, lines
from .native import Mpi
from .rows import Row, merged, verdict_of, write
from .table import human, verdict

# Options that several benches have.
Disturb = Annotated[
    int, typer.Option("--disturb", min=0, max=64, metavar="N", help="Busy processes beside the ranks, to measure their effect.")
]
WhichMpi = Annotated[Mpi, typer.Option(help="The MPI to measure.")]
JsonFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the rows as JSON.")]
PlotFile = Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw FILE.svg and FILE.png.")]
Quick = Annotated[bool, typer.Option("--quick", help="Short and rough.")]
Rounds = Annotated[
    int | None,
    typer.Option(
        min=1,
        help=f"Repeat everything; medians over the rounds. A verdict needs {verdicts.LEAST_ROUNDS}.",
        show_default=f"{verdicts.ROUNDS}; quick: 1",
    ),
]


def number_of(rounds: int | None, quick: bool) -> int:
    """The rounds that the user has asked for, or the usual number."""
    return rounds or (1 if quick else verdicts.ROUNDS)


def measure(
    program: str,
    mpi: Mpi | Sequence[Installation],
    runs: list[Run],
    rounds: int,
    arguments: list[str],
    ranks: list[int] | None = None,
    disturb: int = 0,
) -> list[Row]:
    """Rounds of all runs under each MPI in turn, so that a disturbance of the machine affects all
    of them."""
    mpis = mpi.families if isinstance(mpi, Mpi) else mpi
    rows: list[Row] = []
    wrong: list[str] = []
    columns = (TextColumn("{task.description:28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with told(), busy(disturb), Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        todo = [(f, run, n) for _ in range(rounds) for n in ranks or [2] for f in mpis for run in runs]
        whole = progress.add_task("all runs", total=len(todo))
        for library, run, count in todo:
            task = progress.add_task(f"{library.name}, {run.variant}", total=None)
            collector = Collector(library, run, count, disturb)
            for line in lines(program, library, run, count, arguments):
                collector.take(line)
                if "plan" in line:
                    progress.update(task, total=collector.steps)
                elif "done" in line:
                    progress.advance(task)
            rows += collector.rows
            wrong += collector.wrong
            progress.remove_task(task)
            progress.advance(whole)
    if wrong:
        raise Problem("wrong data arrived:\n" + "\n".join(wrong))
    return merged(rows) + over_best_scheme(rows)


def screen() -> Console:
    """The console for wide tables, which are not folded in a file or a pipe."""
    return console() if console().is_terminal else wide_console()


class Figures:
    """Rows of one MPI, one number of ranks and one distance of the cores, for look-ups of single
    numbers."""

    def __init__(self, rows: list[Row], mpi: str, ranks: int = 2, cores: str = ""):
        self.rows = [row for row in rows if row.mpi == mpi and row.ranks == ranks and row.cores in (cores, "")]
        beside = f", {self.rows[0].disturb} busy beside" if self.rows and self.rows[0].disturb else ""
        self.library, self.distance = mpi, f", {cores} cores" if cores else ""
        self.mpi, self.ranks = f"{mpi}{self.distance}{beside}", ranks
        self._by = {(row.case, row.variant, row.metric): row for row in self.rows}

    def row(self, case: str, variant: str, metric: str) -> Row | None:
        return self._by.get((case, variant, metric))

    def value(self, case: str, variant: str, metric: str) -> float | None:
        row = self.row(case, variant, metric)
        return row.value if row else None

    def cases(self, metric: str) -> list[str]:
        return list(dict.fromkeys(row.case for row in self.rows if row.metric == metric))

    def variants(self, metric: str) -> list[str]:
        return list(dict.fromkeys(row.variant for row in self.rows if row.metric == metric))

    def series(self, variant: str, metric: str) -> dict[str, float]:
        """case → value, if measured."""
        return {row.case: row.value for row in self.rows if (row.variant, row.metric) == (variant, metric)}

    def bytes(self, case: str) -> int:
        return next(row.bytes for row in self.rows if row.case == case)

    def over_best_scheme(self, metric: str) -> dict[str, float]:
        return self.series("heddle", metric + OVER_BEST)

    def slow_over_host(self, metric: str) -> dict[str, float]:
        """The 90th percentile of Heddle's times over the host's."""
        pairs = {case: (self.row(case, "heddle", metric), self.row(case, "host", metric)) for case in self.cases(metric)}
        return {case: ours.high / host.high for case, (ours, host) in pairs.items() if ours and host and host.high > 0}

    def gains(self, metric: str, variant: str = "heddle") -> dict[str, float]:
        """How many times as fast as the host's own path."""
        return {case: 1 / ratio for case, ratio in self.series(variant, f"{metric} over host").items()}


def by_mpi(rows: list[Row]) -> list[Figures]:
    """Figures for each MPI, number of ranks and distance of the cores. A time on near cores proves
    nothing about far cores."""
    seen = {(row.mpi, row.ranks, row.cores) for row in rows}
    apart = {(mpi, ranks) for mpi, ranks, cores in seen if cores}
    return [Figures(rows, *found) for found in sorted(seen) if found[2] or found[:2] not in apart]


def _cell(row: Row | None) -> str:
    """The median, and half the distance of the quartiles in percent if it is large."""
    if row is None:
        return ""
    number = f"{row.value:.3g}" if row.value < 1000 else f"{row.value:,.0f}"
    spread = (row.upper - row.lower) / 2 / row.value if row.value else 0
    return number if spread < 0.05 else f"{number} [dim]±{100 * spread:.0f} %[/]"


def _within(value: float | None, most: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if most is None else f"[{'green' if value <= most else 'red'}]{value:.2f}[/]"


def gain_cell(found: verdicts.Verdict) -> str:
    """A gain with its interval, coloured if there is a difference."""
    colour = {verdicts.Meaning.faster: "green", verdicts.Meaning.slower: "red"}.get(found.meaning)
    return f"[{colour}]{found.brief}[/]" if colour else found.brief


def _over_host(row: Row | None) -> str:
    """The gain of a row of time over the host's time. One round has no interval."""
    if row is None:
        return ""
    over = verdict_of(row)
    low, high = sorted((1 / over.low, 1 / over.high)) if over.low > 0 and over.high > 0 else (0.0, 0.0)
    gain = verdicts.again(1 / over.median, low, high, over.rounds)
    return gain.number if gain.rounds < verdicts.LEAST_ROUNDS else gain_cell(gain)


def table(
    figures: Figures,
    metric: str,
    title: str,
    ours: str = "heddle",
    ceiling: Callable[[int], float | None] = lambda _: None,
    beside: str = "contiguous",
) -> Table:
    """A line for each case. `ceiling(bytes)`: the allowed multiple of the time of `beside`."""
    variants = figures.variants(metric)
    unit = next(row.unit for row in figures.rows if row.metric == metric)
    some = figures.rows[0]
    shown = Table(title=f"{title}, {figures.mpi}, {unit}", title_justify="left")
    shown.add_column("case", no_wrap=True)
    for name in ("bytes", *variants, f"{ours} / {beside}", f"host / {ours}"):
        shown.add_column(name, justify="right")
    for case in figures.cases(metric):
        size = figures.bytes(case)
        shown.add_row(
            case,
            human(size),
            *(_cell(figures.row(case, variant, metric)) for variant in variants),
            _within(figures.value(case, ours, f"{metric} over {beside}"), ceiling(size)),
            _over_host(figures.row(case, ours, f"{metric} over host")),
        )
    shown.caption = f"medians; ranks on cores {some.pinning}"
    rounds = max((row.rounds for row in figures.rows if row.metric == f"{metric} over host"), default=0)
    of = f"host / {ours}"
    few = f"{of}: no verdict, because {rounds} round{'s are' if rounds > 1 else ' is'} too few (--rounds {verdicts.ROUNDS})"
    shown.caption += f"; {few}" if rounds < verdicts.LEAST_ROUNDS else f"; {of}: {verdicts.BRIEF}"
    lines = [row.line_ns for row in figures.rows if row.metric == metric and row.line_ns]
    shown.caption += f"; a cache line takes {min(lines):.0f} to {max(lines):.0f} ns between them" if lines else ""
    return shown


# Goals: each is a number from the figures of one MPI. NaN: not measured, and the table says so.


def at_most(text: str, wanted: float, ratios: dict[str, float]) -> Goal:
    """The goal that no case is above `wanted`. The value is the worst case."""
    if not ratios:
        return Goal(text, wanted, float("nan"), at_most=True)
    worst = max(ratios, key=ratios.__getitem__)
    above = sum(ratio > wanted for ratio in ratios.values())
    return Goal(text, wanted, ratios[worst], f"{worst}; {above} of {len(ratios)} above", at_most=True)


def at_least(text: str, wanted: float, gains: dict[str, float]) -> Goal:
    """The goal that no case is below `wanted`."""
    if not gains:
        return Goal(text, wanted, float("nan"))
    worst = min(gains, key=gains.__getitem__)
    below = sum(gain < wanted for gain in gains.values())
    return Goal(text, wanted, gains[worst], f"{worst}; {below} of {len(gains)} below")


def steady(of_one_mpi: list[Figures], metric: str) -> Goal:
    """The goal for the slowest tenth of the times: a wait that wrongly sleeps shows there."""
    found = {
        f"{figures.ranks} ranks, {case}": ratio
        for figures in of_one_mpi
        for case, ratio in figures.slow_over_host(metric).items()
    }
    return at_most("90th percentile over the host's", 1.2, found)


def best(text: str, wanted: float, gains: dict[str, float]) -> Goal:
    """The goal that at least one case reaches `wanted`."""
    if not gains:
        return Goal(text, wanted, float("nan"))
    case = max(gains, key=gains.__getitem__)
    return Goal(text, wanted, gains[case], f"at {case}")


def mean(text: str, wanted: float, gains: dict[str, float]) -> Goal:
    return Goal(text, wanted, geometric_mean(gains.values()), f"{len(gains)} cases")


def goals_table(goals: dict[str, list[Goal]]) -> Table:
    """A table with a column for each MPI."""
    shown = Table(title="Goals", title_justify="left")
    shown.add_column("goal")
    for mpi in goals:
        shown.add_column(mpi)
    rows: dict[str, dict[str, Goal]] = {}
    for mpi, found in goals.items():
        for goal in found:
            rows.setdefault(goal.text, {})[mpi] = goal
    for text, cells in rows.items():
        shown.add_row(text, *(_verdict(cells[mpi]) if mpi in cells else "" for mpi in goals))
    return shown


def show_goals(goals: dict[str, list[Goal]]) -> None:
    """Shows the goals if the user asks for them."""
    wanted.show(screen(), lambda: goals_table(goals))


def _verdict(goal: Goal) -> str:
    return f"{'≤' if goal.at_most else '≥'} {goal.wanted:g}: {verdict(goal)}"


def show(rows: list[Row], metric: str, title: str, goals: Callable[[list[Figures]], list[Goal]]) -> None:
    """A table for each MPI and number of ranks, then the goals for each MPI."""
    of_mpi: dict[str, list[Figures]] = {}
    for figures in by_mpi(rows):
        screen().print(table(figures, metric, f"{title}, {figures.ranks} ranks"))
        of_mpi.setdefault(figures.mpi, []).append(figures)
    show_goals({name: goals(all_of) for name, all_of in of_mpi.items()})


def tell_what_cannot_be_forced() -> None:
    if "HEDDLE_SCHEME" not in known_settings():
        screen().print("[dim]This build of Heddle cannot force a scheme (`heddle env` lists no HEDDLE_SCHEME).[/]")


def finish(rows: list[Row], json: Path | None, seconds: float) -> None:
    screen().print(f"{len(rows)} rows in {seconds:.0f} s")
    if json is not None:
        write(rows, json)
