"""`heddle bench mpi4py-fft`: a 3-D FFT of an unmodified mpi4py-fft program, in slabs and in
pencils, with Heddle and without.

Its redistributions are MPI_Alltoallw of subarrays. The table also has their lower bounds: all ranks
read and write the same bytes once, at the same time, within their own memory, or out of memory that
the others have just written.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from heddle import installations, native
from heddle.problem import Problem

from . import applications, figure, messages
from .applications import HEDDLE, HOST, Job, Measured
from .messages import Figures
from .native import Mpi
from .rows import Row

DECOMPOSITIONS = ("slab", "pencil")
WAYS = {
    "redistribution": "communication",
    "copy": "copy",
    "copy across": "copy_across",
    "whole run": "total",
}  # the program's names
TIME = "time"
GAIN = "redistribution under Heddle over the same on the host"
WHOLE = "whole run under Heddle over the same on the host"
GAINS = {
    GAIN: (("heddle", "redistribution"), ("host", "redistribution")),
    WHOLE: (("heddle", "whole run"), ("host", "whole run")),
}
OVER = {"copy": "redistribution over copy", "copy_across": "redistribution over copy across"}
OVER_COPY = OVER["copy"]
WANTED, NEAR = 1.5, 1.15  # times as fast as the host, or times as long as the copy


def require() -> None:
    if importlib.util.find_spec("mpi4py_fft") is None:
        raise Problem("mpi4py-fft is missing. Run `make programs`, or: pip install mpi4py mpi4py-fft scipy.")


def rows_of(measured: Measured) -> list[Row]:
    def times(line: dict) -> dict[str, float]:
        return {way: 1e3 * line["seconds"][name]["median"] for way, name in WAYS.items()}

    case = measured.job.case
    rows = applications.rows_of(measured, "mpi4py-fft", case, TIME, "ms", times, GAINS)
    for variant, lines in measured.found.items():
        seconds = [{name: found["median"] for name, found in line["seconds"].items()} for line in lines]
        for name, metric in OVER.items():
            ratios = [of["communication"] / of[name] for of in seconds]
            rows.append(measured.row("mpi4py-fft", case, variant, metric, ratios, "1"))
    return rows


def goals(figures: Figures) -> list:
    gains = applications.gains_of(figures, GAIN)
    near = {case: figures.value(case, "heddle", OVER_COPY) for case in gains}
    either = {case: max(gain / WANTED, NEAR / near[case]) for case, gain in gains.items()}
    return [
        messages.at_least(f"{GAIN}: {WANTED}, or within {NEAR} of the copy (1 is either)", 1.0, either),
        messages.at_most(f"{OVER_COPY}, under Heddle", NEAR, near),
        messages.at_least(f"{GAIN}, everywhere", 1.0, gains),
    ]


SHOWN = applications.Shown(
    title="3-D mpi4py-fft",
    metric=TIME,
    gain=GAIN,
    goals=goals,
    picture="3-D FFT by mpi4py-fft",
    gains=(GAIN, WHOLE),
    reported=WANTED,
    text="wanted: 1.5, or within 1.15 of a copy",
)


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: two rounds of 64^3 on 2 ranks.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Runs with Heddle, and as many without.")] = 7,
    ranks: Annotated[
        list[int] | None, typer.Option("--ranks", min=1, max=64, metavar="N", help="A number of ranks; may be repeated. [2, 4]")
    ] = None,
    size: Annotated[
        list[int] | None, typer.Option("--size", min=8, metavar="N", help="An array of N^3; may be repeated. [64, 128, 256]")
    ] = None,
    plot: messages.PlotFile = None,
) -> None:
    """Transform in 3-D by mpi4py-fft, in slabs and pencils: redistributions with Heddle and
    without, and a bare copy."""
    if plot is not None:
        figure.base(plot)
    require()
    started = time.monotonic()
    script = native.program("mpi4py_fft_3d.py")
    jobs = []
    for family in mpi.families:
        host = installations.named(family.name)
        for count in ranks or ([2] if quick else [2, 4]):
            for side in size or ([64] if quick else [64, 128, 256]):
                for way in DECOMPOSITIONS:
                    words = ("-m", "mpi4py", str(script), "--size", str(side), "--decomposition", way)
                    words += ("--repetitions", str(repetitions(side, quick)))
                    where = {"MPI4PY_LIBMPI": str(host.library)}
                    jobs.append(Job(f"{side}^3, {way}", host, Path(sys.executable), count, words, where))
    measured = applications.by_turns(jobs, (HOST, HEDDLE), 2 if quick else rounds, lambda line: line["fingerprint"])
    rows = [row for one in measured for row in rows_of(one)]
    applications.present(rows, SHOWN, json, plot, time.monotonic() - started)
    for figures in messages.by_mpi(rows):
        for metric in OVER.values():
            messages.screen().print(span(figures, metric))


def span(figures: Figures, metric: str) -> str:
    """The distance of the redistributions from their bound, in words."""
    of = {who: [figures.value(case, who, metric) for case in figures.cases(metric)] for who in ("host", "heddle")}
    parts = (f"{who} {min(ratios):.2f} to {max(ratios):.2f}" for who, ratios in of.items())
    return f"{metric}, {figures.ranks} ranks, {figures.mpi}: {', '.join(parts)}"


def repetitions(size: int, quick: bool) -> int:
    return 3 if quick or size > 200 else 9
