"""`heddle bench lattice-cg`: a lattice conjugate gradient, its halos by hand and by datatypes, with
Heddle and without.

The MILC case of Hoefler and Gottlieb 2010: 4^4 sites a rank, MFlop/s of the CG phase.
"""

from __future__ import annotations

import os
import time
from typing import Annotated

import typer

from heddle import installations, native

from . import applications, figure, messages
from .applications import HEDDLE, HOST, Job, Measured
from .messages import Figures
from .native import Mpi, loaded_mpi
from .rows import Row

QUARKS = ("staggered", "wilson")
WAYS = ("manual", "datatypes")
REPORTED = 1.18  # times as fast by datatypes as packed by hand
SPEED, TIME = "CG speed", "link smearing"
GAIN = "by datatypes under Heddle over by hand on the host"
SAME = "by datatypes over by hand, both under Heddle"
ALONE = "by datatypes over by hand, host alone"
GAINS = {
    GAIN: (("heddle", "datatypes"), ("host", "manual")),
    SAME: (("heddle", "datatypes"), ("heddle", "manual")),
    ALONE: (("host", "datatypes"), ("host", "manual")),
}
PARTS = ("packing", "starting", "waiting")


def rows_of(measured: Measured) -> list[Row]:
    rows = []
    local = measured.job.case
    for quark in QUARKS:

        def speeds(line: dict, quark: str = quark) -> dict[str, float]:
            return {way: line["mflops"][way][quark] for way in WAYS}

        rows += applications.rows_of(measured, "lattice-cg", f"{local}, {quark}", SPEED, "MFlop/s", speeds, GAINS)

    def smearing(line: dict) -> dict[str, float]:
        return {way: 1e3 * line["seconds"][way]["links"]["median"] for way in WAYS}

    rows += applications.rows_of(measured, "lattice-cg", local, TIME, "ms", smearing, {})
    for part in PARTS:

        def share(line: dict, part: str = part) -> dict[str, float]:
            return {way: line["shares"][way][part] for way in WAYS}

        rows += applications.rows_of(measured, "lattice-cg", local, f"share of {part}", "1", share, {})
    return rows


def goals(figures: Figures) -> list:
    # With more ranks than cores, the better way to wait wins, which proves nothing about datatypes.
    crowded = figures.ranks > len(os.sched_getaffinity(0))
    return [
        messages.best(f"{GAIN} (the paper's factor)", REPORTED, {} if crowded else applications.gains_of(figures, GAIN)),
        messages.at_least(f"{GAIN}, everywhere", 1.0, applications.gains_of(figures, GAIN)),
        messages.at_least(f"{SAME}, everywhere", 1.0, applications.gains_of(figures, SAME)),
    ]


SHOWN = applications.Shown(
    title="lattice CG",
    metric=SPEED,
    gain=GAIN,
    goals=goals,
    picture="Lattice CG",
    gains=(GAIN, SAME, ALONE),
    reported=REPORTED,
    text="Hoefler, Gottlieb 2010: 18 %",
)


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: two rounds of 4^4 sites.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Runs with Heddle, and as many without.")] = 9,
    ranks: Annotated[
        list[int] | None, typer.Option("--ranks", min=1, max=64, metavar="N", help="A number of ranks; may be repeated. [2]")
    ] = None,
    local: Annotated[
        list[str] | None,
        typer.Option("--local", metavar="L", help="Sites of a rank, L or XxYxZxT; may be repeated. [4, 6, 8]"),
    ] = None,
    plot: messages.PlotFile = None,
) -> None:
    """Solve for a staggered and a Wilson quark on a lattice, with halos by hand and by datatypes,
    with Heddle and without."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    jobs = []
    for family in mpi.families:
        binary = native.program(f"lattice_cg-{family.name}")
        host = installations.at_path(loaded_mpi(binary, family))
        for count in ranks or [2]:
            for sites in local or (["4"] if quick else ["4", "6", "8"]):
                name = sites if "x" in sites else f"{sites}^4"
                repetitions = 3 if quick or sites == "8" else 7
                words = ("--local", sites, "--repetitions", str(repetitions))
                jobs.append(Job(name, host, binary, count, words))
    measured = applications.by_turns(jobs, (HOST, HEDDLE), 2 if quick else rounds, lambda line: line["fingerprint"])
    rows = [row for one in measured for row in rows_of(one)]
    applications.present(rows, SHOWN, json, plot, time.monotonic() - started)
