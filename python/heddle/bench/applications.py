"""Shared by the benchmarks of whole applications: runs in turn with Heddle and without, one answer,
medians and a table.

An application prints one line of JSON. The first round does not count: it checks the answer, and
that Heddle was there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from heddle import disturbance, verdict
from heddle.installations import Installation
from heddle.jobs import output
from heddle.problem import Problem

from . import figure, messages
from .jobs import Run, start_line
from .messages import Figures, screen
from .native import With
from .rows import Row, judged, verdict_of

HOST = Run("host", With.nothing)
HEDDLE = Run("heddle", With.heddle)


@dataclass(frozen=True)
class Job:
    """An application at one size."""

    case: str
    mpi: Installation
    binary: Path
    ranks: int
    arguments: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)

    def started(self, run: Run, more: Sequence[str] = ()) -> dict:
        words, env = start_line(self.mpi, self.binary, run, self.ranks, [*self.arguments, *more], "core")
        lines = list(output(words, env | self.settings))
        if len(lines) != 1:
            raise Problem(f"{' '.join(words)} printed {len(lines)} results instead of one.")
        return lines[0]


@dataclass(frozen=True)
class Measured:
    job: Job
    found: dict[str, list[dict]]  # by variant, round by round

    @property
    def mpi(self) -> str:
        return next(iter(self.found.values()))[0]["mpi"]

    def row(self, bench: str, case: str, variant: str, metric: str, values: Sequence[float], unit: str) -> Row:
        """The median and the quartiles of the rounds."""
        low, middle, high = verdict.quartiles(values)
        best = max(values) if unit == "MFlop/s" else min(values)
        known = {"lower": low, "upper": high, "best": best, "samples": len(values), "ranks": self.job.ranks}
        return Row(bench, case, variant, metric, middle, unit, self.mpi, **known)


def by_turns(jobs: Sequence[Job], runs: Sequence[Run], rounds: int, answer: Callable[[dict], object]) -> list[Measured]:
    """@param answer  the result, which must be the same in all runs of a job"""
    columns = (TextColumn("{task.description:48}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    measured = []
    with disturbance.told(), Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=len(jobs) * len(runs) * (rounds + 1))
        for job in jobs:
            found: dict[str, list[dict]] = {run.variant: [] for run in runs}
            answers: dict[str, str] = {}
            for turn in range(rounds + 1):
                for run in verdict.shuffled(runs):
                    about = f"{job.case}, {job.ranks} ranks, {job.mpi.name} {job.mpi.version}, {run.variant}"
                    progress.update(bar, description=about)
                    line = checked(job, run) if turn == 0 else job.started(run, ["--no-check"])
                    said = repr(answer(line))
                    answers.setdefault(said, about)
                    if len(answers) > 1:
                        told = ", ".join(f"{one} ({who})" for one, who in answers.items())
                        raise Problem(f"the answers differ: {told}")
                    if turn > 0:
                        found[run.variant].append(line)
                    progress.advance(bar)
            measured.append(Measured(job, found))
    return measured


def checked(job: Job, run: Run) -> dict:
    """A run that compares its answer with a serial run. Under Heddle, a report proves that Heddle
    was there."""
    if run.between is not With.heddle:
        return job.started(run)
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        report = Path(folder, "report.json")
        line = job.started(Run(run.variant, run.between, run.settings | {"HEDDLE_REPORT": str(report)}, run.arguments))
        if not report.exists():
            raise Problem(f"{job.binary.name} ran without Heddle: it wrote no report.")
    return line


Who = tuple[str, str]  # a variant, and one of the ways of its program
Gains = dict[str, tuple[Who, Who]]  # name → the faster and the slower of a pair


def rows_of(
    measured: Measured, bench: str, case: str, metric: str, unit: str, numbers: Callable[[dict], dict[str, float]], gains: Gains
) -> list[Row]:
    """A row for each variant and way, called "variant, way", and the gains of the rounds, each with
    its interval.

    @param numbers  turns a line into numbers by way
    """
    of = {variant: [numbers(line) for line in lines] for variant, lines in measured.found.items()}
    rows = []
    for variant, lines in of.items():
        for way in lines[0]:
            rows.append(measured.row(bench, case, f"{variant}, {way}", metric, [line[way] for line in lines], unit))
    for name, gain in gains.items():
        (ours, our_way), (theirs, their_way) = gain
        rounds = zip(of[ours], of[theirs], strict=True)
        ratios = [one[our_way] / other[their_way] for one, other in rounds]
        values = ratios if unit == "MFlop/s" else [1 / ratio for ratio in ratios]  # for times, less is better
        row = Row(bench, case, f"{ours}, {our_way}", name, 0, "1", measured.mpi, ranks=measured.job.ranks)
        rows.append(judged(row, values))
    return rows


def table(figures: Figures, title: str, metric: str, gain: str) -> Table:
    """A line for each case: the medians of all variants, and the verdict on the gain."""
    variants = figures.variants(metric)
    unit = next(row.unit for row in figures.rows if row.metric == metric)
    shown = Table(title=f"{title}, {figures.ranks} ranks, {figures.mpi}, {unit}", title_justify="left")
    shown.add_column("case", no_wrap=True)
    for name in (*variants, "gain"):
        shown.add_column(name, justify="right")
    for case in figures.cases(metric):
        cells = [_cell(figures.row(case, variant, metric)) for variant in variants]
        row = next((row for row in figures.rows if (row.case, row.metric) == (case, gain)), None)
        shown.add_row(case, *cells, messages.gain_cell(verdict_of(row)) if row else "")
    some = next(row for row in figures.rows if row.metric == metric)
    shown.caption = f"medians of {some.samples} rounds, ± half the distance of the quartiles; gain: {gain}, {verdict.BRIEF}"
    return shown


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    number = f"{row.value:.3g}" if row.value < 1000 else f"{row.value:,.0f}"
    return f"{number} [dim]±{100 * (row.upper - row.lower) / 2 / row.value:.0f} %[/]"


def show_goals(found: Iterable[Figures], goals: Callable[[Figures], list]) -> None:
    messages.show_goals({f"{one.mpi}, {one.ranks} ranks": goals(one) for one in found})


@dataclass(frozen=True)
class Shown:
    """How an application's rows are shown: title, metric, gain and goals of its table, and gains
    and factor of its picture."""

    title: str
    metric: str
    gain: str
    goals: Callable[[Figures], list]
    picture: str
    gains: Sequence[str]
    reported: float
    text: str


def present(rows: list[Row], how: Shown, json: Path | None, plot: Path | None, seconds: float) -> None:
    """Tables and goals on the screen, and rows and picture into files if the user asks."""
    found = messages.by_mpi(rows)
    for figures in found:
        screen().print(table(figures, how.title, how.metric, how.gain))
    show_goals(found, how.goals)
    messages.finish(rows, json, seconds)
    if plot is not None:
        draw(found, how.gains, plot, how.picture, how.reported, how.text)


def gains_of(figures: Figures, metric: str) -> dict[str, float]:
    return {row.case: row.value for row in figures.rows if row.metric == metric}


def draw(found: Sequence[Figures], metrics: Sequence[str], file: Path, title: str, factor: float, text: str) -> None:
    """A panel for each MPI and number of ranks: bars of the gains, with the paper's factor across,
    and their names below."""
    columns = min(2, len(found))
    with figure.panels(file, title, -(-len(found) // columns), columns, width=6, height=2.6 + 0.22 * len(metrics)) as axes:
        for axis in list(axes.flat)[len(found) :]:
            axis.set_visible(False)
        for axis, figures in zip(axes.flat, found, strict=False):
            cases = list(dict.fromkeys(row.case for row in figures.rows if row.metric in metrics))
            width = 0.8 / len(metrics)
            for place, metric in enumerate(metrics):
                gains = gains_of(figures, metric)
                at = [i + (place - (len(metrics) - 1) / 2) * width for i, case in enumerate(cases) if case in gains]
                axis.bar(at, [gains[case] for case in cases if case in gains], width, label=metric)
            axis.set_xticks(range(len(cases)), [case.replace(", ", "\n") for case in cases], fontsize=7)
            axis.grid(axis="x", visible=False)
            axis.set_axisbelow(True)
            axis.axhline(1, color="#000", linewidth=0.7)
            axis.set(ylabel="times as fast", title=f"{figures.mpi}, {figures.ranks} ranks")
            axis.set_ylim(0, 1.15 * max(axis.get_ylim()[1], factor))
            figure.mark(axis, factor, text)
            axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(0, -0.22), frameon=False, borderaxespad=0)
