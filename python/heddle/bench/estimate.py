"""`heddle bench estimate`: the estimate of `heddle report` beside the measured time of the MPI
library alone.

The cases are those of `heddle bench study`, by datatypes alone. Each round has a job alone and a
job under Heddle that writes a report. Both times are those of a rank in an exchange, in us:

- measured: from the first start of a rank to the last end, the median of a job alone;
- the model: the figures of the report's rows, for the bytes of an exchange. They grow with messages
  and bytes, so the number of exchanges in the job does not matter, nor does the warm-up. Rows leave
  out the data in one piece. The same model adds them, because an exchange has them as well.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from heddle import verdict
from heddle.disturbance import told
from heddle.reported import Found
from heddle.reported import Row as OfReport
from heddle.reported.estimate import LEAST, MOST, PACKED, Estimates, estimate, in_one_piece
from heddle.reported.layouts import Loop, read
from heddle.reported.machine import Profile, profile_here
from heddle.reported.reading import rows_of

from . import rows as rows_file
from .jobs import Run
from .messages import JsonFile, Quick, finish, screen
from .native import With
from .rows import Row, judged, verdict_of
from .study import QUICK_ROUNDS, QUICK_SIZES, ROUNDS, RUNS, SIZES, USUAL, Answers, Calls, Setting, job, libraries
from .study_table import ALONE, CODES

Code = StrEnum("Code", {name: name for name in CODES})
ALONE_RUN, REPORTED_RUN = RUNS
RANKS = (2,)
MPIS = ("mpich", "openmpi")
HOLED = {"jacobi": 1, "life": 1, "image": 2}  # datatypes with holes: columns; image also sends two rows at once
SIDES = 2  # of the field: a datatype serves left and right, or above and below
MESSAGES = 4  # that a rank sends in an exchange
LIBRARY, MODEL, NONE = "library alone", "model", "no estimate"
EXCHANGE, ONE_PIECE, OVER = "exchange", "in one piece", "exchange over model"
RANGE = f"{LEAST:.3g} to {MOST:.3g}"
NO_PROFILE = "There is no profile of this machine, so no case will have an estimate. `heddle tune` makes one."
_HELP = """
Compare the estimate of `heddle report` with the time of the MPI library alone, over the cases of `heddle bench study`.

A report estimates the time of the MPI library alone by the profile of `heddle tune`, as a range around the figure of a model.
This command measures the error of the figure. Each round has two jobs in random order: one alone, whose exchanges of a halo by
datatypes are timed, and one under Heddle with a report. A row has the measured time of a rank in an exchange, the figure of the
model for the same messages, their ratio, and whether the ratio is inside the range.

A report has rows for data with holes that Heddle carried. The rest of an exchange is in one piece, and the model adds it. A
case has no estimate if Heddle left its messages to the library, if ranks waited, or if there is no profile. The last column
gives the reason.

First make a profile on a quiet machine: heddle tune. Variables hold for the jobs under Heddle. HEDDLE_PROFILE names another
profile. With HEDDLE_MESSAGES=packed Heddle packs all messages, and most cases have an estimate.

The exit status is 0 whatever the error is.

Example: HEDDLE_MESSAGES=packed heddle bench estimate --quick --codes jacobi --calls messages
"""
HELP = "\n\n".join(" ".join(paragraph.split()) for paragraph in _HELP.split("\n\n"))  # typer keeps the ends of lines


@dataclass(frozen=True)
class Model:
    """The figure of a report for an exchange, for a rank, us; or the reason why there is none."""

    us: float = 0.0
    one_piece_us: float = 0.0  # of it, messages in one piece, which are in no row
    why_not: str = ""


def model_of(found: Found, code: str, sent: int, profile: Profile | None) -> Model:
    """@param sent: bytes that a rank sends in an exchange."""
    estimates = estimate(found, profile)
    if estimates.why_not or profile is None:
        return Model(why_not=estimates.why_not)
    library = profile.libraries[found.run["family"]]
    sizes: dict[str, int] = {}
    sides: dict[tuple[str, bool], list[OfReport]] = {}
    for row in estimates.rows:
        if size := _size(row):
            sizes[row.datatype] = size
            sides.setdefault((row.datatype, _sends(row)), []).append(row)
    if len(sides) < 2 * HOLED[code]:
        return Model(why_not=_why_not(found, estimates))
    us = one_piece = 0.0
    for (datatype, _), rows in sides.items():
        size = sizes[datatype]
        exchanges = sum(row.bytes for row in rows) / (SIDES * size)
        packed = sum(row.bytes for row in rows if row.way in PACKED)
        us += sum(estimates.rows[row] for row in rows) / exchanges
        one_piece += in_one_piece(packed / size, packed, library) / exchanges
    messages, rest = MESSAGES - SIDES * len(sizes), sent - SIDES * sum(sizes.values())
    one_piece += 2 * in_one_piece(messages, rest, library)  # sent and received
    return Model(us + one_piece, one_piece)


def _size(row: OfReport) -> int:
    """The bytes of a message with holes. 0: it has no holes."""
    layout = read(row.datatype)
    return layout.node.count * layout.node.child.size if layout and isinstance(layout.node, Loop) else 0


def _sends(row: OfReport) -> bool:
    return row.call == "send" or (row.call != "receive" and row.way == "packed")


def _why_not(found: Found, estimates: Estimates) -> str:
    """The reason for a lack of rows: "rows with waiting", "left to the library: too little"."""
    if estimates.left:
        return "rows " + ", ".join(sorted(estimates.left))
    passed = {why for site in found.sites if not site.datatype_name for why in site.passed} - {"no holes", "by nature"}
    if passed:
        return f"left to the library: {', '.join(sorted(passed))}"
    return "carried by mailboxes, which have no rows" if found.mailed else "Heddle carried none of it"


def compared(measured: Sequence[Row], models: Sequence[Model]) -> list[Row]:
    """The rows of a case. Rounds on near and on far cores count together, because neither a report
    nor a profile tells the distance.
    @param measured: exchanges alone, one of each round."""
    figures = [model for model in models if not model.why_not]
    lacking = Counter(model.why_not for model in models if model.why_not)
    distances = {row.cores for row in measured}
    about = replace(measured[0], bench="estimate", variant=LIBRARY, cores=measured[0].cores if len(distances) == 1 else "")
    rows = [_times(about, [row.value for row in measured])]
    if figures:
        us = statistics.median(model.us for model in figures)
        rows.append(_times(replace(about, variant=MODEL), [model.us for model in figures]))
        rows.append(_times(replace(about, variant=MODEL, metric=ONE_PIECE), [model.one_piece_us for model in figures]))
        rows.append(judged(replace(about, metric=OVER), [row.value / us for row in measured]))
    return rows + [
        replace(about, variant=NONE, metric=why, value=count, unit="reports", lower=count, upper=count, samples=len(models))
        for why, count in lacking.items()
    ]


def _times(about: Row, values: list[float]) -> Row:
    """A median and its interval, as of a ratio."""
    return replace(judged(about, values), unit="us", best=min(values))


def measure(settings: Sequence[Setting], calls: Sequence[Calls], rounds: int, arguments: Sequence[str]) -> list[Row]:
    columns = (TextColumn("{task.description:52}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    answers, profile, rows = Answers(), profile_here(), []
    with (
        told(),
        tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder,
        Progress(*columns, console=Console(stderr=True), transient=True) as progress,
    ):
        file = Path(folder) / "report.json"
        reported = Run(REPORTED_RUN.variant, With.heddle, {"HEDDLE_REPORT": str(file)})
        if profile is None:
            progress.console.print(NO_PROFILE, highlight=False, soft_wrap=True)
        cases = [(setting, call) for setting in settings for call in calls]
        bar = progress.add_task("", total=len(cases) * rounds * len(RUNS))
        for setting, call in cases:
            measured: list[Row] = []
            models: list[Model] = []
            words = ["--calls", call.value, *arguments]
            for _ in range(rounds):
                for run in verdict.shuffled((ALONE_RUN, reported)):
                    progress.update(bar, description=f"{setting}, {call.value}, {run.variant}")
                    found = [row for row in job(setting, run, words, answers) if row.metric == EXCHANGE]
                    if run is reported:
                        models.append(model_of(rows_of(file), setting.code, found[0].bytes, profile))
                    else:
                        measured.append(max((row for row in found if row.variant == ALONE), key=lambda row: row.samples))
                    progress.advance(bar)
            rows += compared(measured, models)
    return rows


@dataclass(frozen=True)
class Line:
    """A case on one MPI."""

    measured: Row
    model: Row | None
    one_piece: Row | None
    over: Row | None
    lacking: tuple[Row, ...]

    @property
    def inside(self) -> bool:
        return self.over is not None and LEAST <= self.over.value <= MOST

    @property
    def told(self) -> str:
        """Inside of the range or not, and the reasons of reports without an estimate."""
        said = []
        if self.over is not None:
            where = "inside" if self.inside else f"below {LEAST:.3g}" if self.over.value < LEAST else f"above {MOST:.3g}"
            said.append(where if self.inside else f"[red]{where}[/]")
        for row in self.lacking:
            said.append(f"{row.metric}{'' if row.value == row.samples else f' ({row.value:.0f} of {row.samples} reports)'}")
        return "; ".join(said)


def lines_of(rows: Iterable[Row]) -> list[Line]:
    groups: dict[tuple, dict[tuple[str, str], Row]] = {}
    for row in rows:
        groups.setdefault((row.ranks, row.mpi, row.case), {})[row.variant, row.metric] = row
    return [
        Line(
            group[LIBRARY, EXCHANGE],
            group.get((MODEL, EXCHANGE)),
            group.get((MODEL, ONE_PIECE)),
            group.get((LIBRARY, OVER)),
            tuple(row for (variant, _), row in group.items() if variant == NONE),
        )
        for group in groups.values()
    ]


def table(found: Sequence[Line]) -> Table:
    ranks = found[0].measured.ranks
    shown = Table(title=f"Exchange of a halo by datatypes, {ranks} rank{'s' * (ranks > 1)}, µs", title_justify="left")
    shown.add_column("case", no_wrap=True)
    shown.add_column("MPI", no_wrap=True)
    for name in ("library alone", "model", "of it in\none piece", "measured / model"):
        shown.add_column(name, justify="right")
    shown.add_column(f"{RANGE} × the model")
    for line in found:
        one = line.measured
        figures = [f"{row.value:.3g}" if row else "" for row in (line.model, line.one_piece)]
        shown.add_row(one.case, one.mpi, _spread(one), *figures, _spread(line.over) if line.over else "", line.told)
    shown.caption = f"medians; in brackets the interval (95 %), or the range of fewer than {verdict.LEAST_ROUNDS} rounds"
    return shown


def _spread(row: Row) -> str:
    found = verdict_of(row)
    return f"{found.number} ({found.span})" if row.rounds > 1 else found.number


def error(found: Sequence[Line]) -> str:
    """The error of the estimate over all cases, in words."""
    ratios = [line.over.value for line in found if line.over]
    lacking = len(found) - len(ratios)
    none = f"{lacking} case{'s have' if lacking != 1 else ' has'} no estimate."
    if not ratios:
        return "No case has an estimate."
    outside = sum(line.over is not None and not line.inside for line in found)
    over = f"{statistics.median(ratios):.2f} times the figure of the model (median; {min(ratios):.2f} to {max(ratios):.2f})"
    cases = f"over {len(ratios)} case{'s' * (len(ratios) != 1)}"
    return f"The library alone took {over}, {cases}; {outside} outside of {RANGE}. {none}"


def command(
    mpi: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME...", help="mpich, openmpi, a name of `heddle mpi`, or an MPI's folder. [mpich openmpi]"),
    ] = None,
    ranks: Annotated[
        list[int] | None,
        typer.Option(min=1, max=64, metavar="N...", help="Numbers of ranks. More ranks than cores have no estimate. [2]"),
    ] = None,
    sizes: Annotated[
        list[int] | None,
        typer.Option(min=4, max=16384, metavar="N...", help="Each rank has N × N cells. [128 512 2048; quick: 128 512]"),
    ] = None,
    codes: Annotated[list[Code] | None, typer.Option(metavar="CODE...", help="Only these: jacobi, life, image.")] = None,
    calls: Annotated[
        list[Calls] | None, typer.Option(metavar="CALL...", help="Only these: messages, neighbour, persistent.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Pairs of jobs: one alone, one with a report. [7; quick: 2]")
    ] = None,
    quick: Quick = False,
    json: JsonFile = None,
    rows: Annotated[
        Path | None, typer.Option("--rows", metavar="FILE", help="Measure nothing: show the rows of an earlier --json.")
    ] = None,
) -> None:
    started = time.monotonic()
    if rows is not None:
        found = rows_file.read(rows)
    else:
        settings = [
            Setting(library, count, code.value, size)
            for library in libraries(mpi or MPIS)
            for count in ranks or RANKS
            for code in codes or Code
            for size in sizes or (QUICK_SIZES if quick else SIZES)
        ]
        arguments = ["--quick"] if quick else []
        found = measure(settings, calls or USUAL, rounds or (QUICK_ROUNDS if quick else ROUNDS), arguments)
    everything = lines_of(found)
    for count in dict.fromkeys(line.measured.ranks for line in everything):
        screen().print(table([line for line in everything if line.measured.ranks == count]))
    finish(found, json, time.monotonic() - started)
    screen().print(error(everything), highlight=False, soft_wrap=True)
