"""`heddle bench allgatherv`: the host's MPI_Allgatherv and Heddle's algorithms, if one rank or a
few ranks have most data.

The volumes are those of Figure 14 of Balaji et al. 2007 (rank 0 has s bytes, all others 8), and
volumes by a power law. With more ranks than cores, waiting ranks yield alike with Heddle and
without.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from . import figure, messages
from .jobs import Run
from .messages import Figures
from .native import Mpi, With
from .rows import Row

METRIC = "allgatherv"
ALGORITHMS = ("ring", "dissemination", "pipelined-ring")
FROM = 4 << 10  # bytes in all; below, Heddle does not choose
REPORTED = 0.2  # less time than the plain ring
WORTH_IT = 1 << 20  # bytes of an outlier, from which on the gain is clear


def runs(algorithms: tuple[str, ...]) -> list[Run]:
    forced = [Run(name, With.heddle, {"HEDDLE_ALLGATHERV": name}) for name in algorithms]
    return [Run("heddle", With.heddle, {"HEDDLE_ALLGATHERV": "auto"}), *forced]


def _large(case: str) -> bool:
    return case.startswith("outlier") and int(case.partition("s=")[2]) >= WORTH_IT


def goals(of_one_mpi: list[Figures]) -> list:
    gains, large, over_best, over_ring, choosing = {}, {}, {}, {}, {}
    for figures in of_one_mpi:
        ours = figures.series("heddle", f"{METRIC} over host")
        rings = figures.series("ring", f"{METRIC} over host")
        for case, ratio in ours.items():
            name = f"{figures.ranks} ranks, {case}"
            gains[name] = 1 / ratio
            chosen = figures.value(case, "choosing", "choosing")
            if chosen is not None and figures.bytes(case) >= FROM:
                choosing[name] = chosen / figures.value(case, "heddle", METRIC)
            if _large(case) or (figures.ranks == 48 and figures.bytes(case) >= WORTH_IT):
                large[name] = 1 / ratio
            if case in rings and case == "outlier s=32768":
                over_ring[name] = rings[case] / ratio
            forced = [figures.value(case, algorithm, f"{METRIC} over host") for algorithm in ALGORITHMS]
            forced = [value for value in forced if value is not None]
            if forced:
                over_best[name] = ratio / min(forced)
    return [
        messages.at_least("never slower than the host (5 % is noise)", 0.95, gains),
        messages.at_least("over the host, outliers from 1 MiB and all of 48 ranks from 1 MiB in all", 2.0, large),
        messages.best("over the plain ring, an outlier of 32 KiB", 1.2, over_ring),
        messages.at_most("Heddle's choice over the best of the algorithms", 1.1, over_best),
        messages.steady(of_one_mpi, METRIC),
        messages.at_most("time to choose, as a part of the call", 0.02, choosing),
    ]


def draw(rows: list[Row], file: Path) -> None:
    found = messages.by_mpi(rows)
    with figure.panels(file, "MPI_Allgatherv of volumes that differ", *figure.grid(found, 1)) as axes:
        for figures, (line, column) in zip(found, figure.places(found), strict=True):
            axis = axes[line][column]
            for variant in figures.variants(METRIC):
                series = {c: v for c, v in figures.series(variant, METRIC).items() if c.startswith("outlier")}
                axis.plot(*_points(series), marker=".", linewidth=1, label=variant, color=figure.ink(variant))
            axis.set_xscale("log", base=2)
            axis.set(yscale="log", xlabel="bytes of rank 0", ylabel="µs", title=f"{figures.ranks} ranks, {figures.mpi}")
            figure.legend(axis)
            _over_ring(axes[line][-1], figures)
        for line in axes:
            figure.mark(line[-1], 1 / (1 - REPORTED), "Balaji et al. 2007, figure 14: 20 % less, 32 KiB, 64 ranks")
            figure.legend(line[-1])


def _points(series: dict[str, float]) -> tuple[list[int], list[float]]:
    """The values sorted by the outlier's bytes."""
    found = sorted((int(case.partition("s=")[2]), value) for case, value in series.items())
    return [size for size, _ in found], [value for _, value in found]


def _over_ring(axis, figures: Figures) -> None:
    """How many times as fast as the plain ring, which the paper's hosts use."""
    ours, ring = (figures.series(variant, f"{METRIC} over host") for variant in ("heddle", "ring"))
    gains = {case: ring[case] / ours[case] for case in ours if case in ring and case.startswith("outlier")}
    axis.plot(*_points(gains), marker=".", linewidth=1, label=f"{figures.ranks} ranks{figures.distance}")
    axis.axhline(1, color="#000", linewidth=0.7)
    axis.set_xscale("log", base=2)
    axis.set(yscale="log", xlabel="bytes of rank 0", ylabel="× the plain ring", title=f"gain, {figures.library}")


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: 2 and 8 ranks, three sizes.")] = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
    ranks: Annotated[
        list[int] | None, typer.Option("--ranks", min=2, max=64, metavar="N", help="A number of ranks; may be repeated.")
    ] = None,
    largest: Annotated[
        list[int] | None, typer.Option("--largest", min=1, metavar="S", help="Bytes of the largest block; may be repeated.")
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option("--algorithm", metavar="NAME", help=f"Force only this: {', '.join(ALGORITHMS)}, or none."),
    ] = None,
    plot: messages.PlotFile = None,
) -> None:
    """Gather different volumes of ranks: the host, Heddle's choice, and each of its algorithms."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    sizes = largest or ([512, 32768, 1 << 20] if quick else [8, 512, 4096, 32768, 1 << 18, 1 << 20, 1 << 22])
    arguments = ["--largest", *map(str, sizes)] + (["--quick"] if quick else [])
    forced = tuple(name for name in (algorithm or ALGORITHMS) if name != "none")
    counts = ranks or ([2, 8] if quick else [2, 8, 16, 48])
    rows = messages.measure(METRIC, mpi, runs(forced), messages.number_of(rounds, quick), arguments, counts, disturb)
    messages.show(rows, METRIC, "MPI_Allgatherv", goals)
    messages.finish(rows, json, time.monotonic() - started)
    if plot is not None:
        draw(rows, plot)
