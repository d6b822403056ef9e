"""`heddle bench alltoall-struct`: MPI_Alltoall of structs whose blocks double from one int to x
ints.

Figures 8 and 9 of Wu, Wyckoff and Panda 2004, with 2 to 8 ranks on one node. With more ranks than
cores, waiting ranks yield alike with Heddle and without.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from . import figure, messages, wire
from .jobs import ALL_SCHEMES, Run, chosen, schemes, wanted_schemes
from .messages import Figures
from .native import Mpi, With
from .rows import Row
from .vector import MemoryFrom

REPORTED = 2.0  # Multi-W on average; BC-SPUP and RWG-UP 1.3
METRIC = "alltoall"


def runs(wanted: tuple[str, ...]) -> list[Run]:
    short = ("--ways", "host", "interposed", "contiguous")
    return [chosen(), Run("null", With.null, {}, short), *schemes(wanted, short)]


def goals(of_one_mpi: list[Figures]) -> list:
    """The goals over all structs and all numbers of ranks."""
    gains = {f"{figures.ranks} ranks, {case}": gain for figures in of_one_mpi for case, gain in figures.gains(METRIC).items()}
    over = {
        f"{figures.ranks} ranks, {case}": ratio
        for figures in of_one_mpi
        for case, ratio in figures.over_best_scheme(METRIC).items()
    }
    wanted = REPORTED if of_one_mpi[0].mpi.startswith("MPICH") else 1.2
    return [
        messages.mean("over the host's MPI_Alltoall, geometric mean", wanted, gains),
        messages.at_least("never slower than the host (5 % is noise)", 0.95, gains),
        messages.at_most("over the best scheme, everywhere", 1.1, over),
    ]


def draw(rows: list[Row], file: Path, title: str) -> None:
    found = messages.by_mpi(rows)
    with figure.panels(file, title, *figure.grid(found, 1)) as axes:
        for figures, (line, column) in zip(found, figure.places(found), strict=True):
            line = axes[line]
            _curves(line[column], figures)
            _gains(line[-1], figures)
        for line in axes:
            figure.mark(line[-1], REPORTED, "Wu et al. 2004, figure 9: 2.0×")
            figure.legend(line[-1])


def _points(series: dict[str, float]) -> tuple[list[int], list[float]]:
    """The values sorted by the ints of the last block."""
    ints = sorted(int(case.removeprefix("x=")) for case in series)
    return ints, [series[f"x={n}"] for n in ints]


def _curves(axis, figures: Figures) -> None:
    for variant in figures.variants(METRIC):
        series = figures.series(variant, METRIC)
        axis.plot(*_points(series), marker=".", linewidth=1, label=variant, color=figure.ink(variant))
    axis.set_xscale("log", base=2)
    axis.set(yscale="log", xlabel="ints in the last block", ylabel="µs", title=f"{figures.ranks} ranks, {figures.mpi}")
    figure.legend(axis)


def _gains(axis, figures: Figures) -> None:
    gains = figures.gains(METRIC)
    axis.plot(*_points(gains), marker=".", linewidth=1, label=f"{figures.ranks} ranks{figures.distance}")
    axis.axhline(1, color="#000", linewidth=0.7)
    axis.set_xscale("log", base=2)
    axis.set(xlabel="ints in the last block", ylabel="× the host's MPI_Alltoall", title=f"gain, {figures.library}")


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: 2 and 4 ranks, every other struct.")] = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
    ranks: Annotated[
        list[int] | None, typer.Option("--ranks", min=2, max=64, metavar="N", help="A number of ranks; may be repeated.")
    ] = None,
    largest: Annotated[
        list[int] | None, typer.Option("--largest", metavar="X", help="Ints of the last block; may be repeated.")
    ] = None,
    memory: Annotated[MemoryFrom, typer.Option(help="Structs from malloc, or from heddle_alloc.")] = MemoryFrom.malloc,
    scheme: Annotated[
        list[str] | None, typer.Option("--scheme", metavar="NAME", help=f"Force only this: {', '.join(ALL_SCHEMES)}, or none.")
    ] = None,
    transport: wire.Over = wire.Transport.node,
    provider: wire.Provider = "tcp",
    plot: messages.PlotFile = None,
) -> None:
    """Exchange structs among all ranks: Heddle and its schemes, the host, contiguous messages,
    packing by hand."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    ranks = ranks or ([2, 4] if quick else [2, 4, 8])
    largest = largest or [2 << i for i in range(10, 17, 2 if quick else 1)]
    arguments = ["--largest", *map(str, largest)]
    arguments += ["--quick"] if quick else []
    arguments += ["--mapped"] if memory is MemoryFrom.mapped else []
    wanted = wanted_schemes(scheme, memory is MemoryFrom.mapped)
    rows = messages.measure(
        "alltoall-struct",
        mpi,
        wire.over(runs(wanted), transport, provider, max(ranks)),
        messages.number_of(rounds, quick),
        arguments,
        ranks,
        disturb,
    )
    report(rows, memory)
    messages.finish(rows, json, time.monotonic() - started)
    if plot is not None:
        draw(rows, plot, f"MPI_Alltoall of structs, blocks of 1, 2, … x ints ({memory.value})")


def report(rows: list[Row], memory: MemoryFrom) -> None:
    messages.show(rows, METRIC, f"MPI_Alltoall, memory from {memory.value}", goals)
    messages.tell_what_cannot_be_forced()
