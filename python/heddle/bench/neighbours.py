"""`heddle bench alltoallw-ring` and `heddle bench halo`: exchanges of each rank with few of many
ranks.

The ring is figure 15 of Balaji et al. 2007: 10 x 10 doubles, strided, to both neighbours by
MPI_Alltoallw, nothing to others. The halo is that of a 3-D stencil code: faces, edges and corners
of a cube to 26 neighbours, by subarray types and MPI_Neighbor_alltoallw. The variant "kept" has
persistent forms (MPI_Start and MPI_Wait). The ring also measures the time of each rank in the call
if one rank is late: ranks that exchange nothing with the late rank should not notice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from . import figure, messages
from .jobs import Run
from .messages import Figures
from .native import Mpi, With
from .rows import Row

RUNS = [Run("heddle", With.heddle)]
LATE = "late"
REPORTED = 0.88  # less time than round-robin


def _ratios(of_one_mpi: list[Figures], metric: str, variant: str, over: str) -> dict[str, float]:
    """The time of the variant over the time of `over`, by number of ranks."""
    found = {}
    for figures in of_one_mpi:
        for case in figures.cases(metric):
            one, other = figures.value(case, variant, metric), figures.value(case, over, metric)
            if one and other:
                found[case] = one / other
    return found


def ring_goals(of_one_mpi: list[Figures]) -> list:
    bare = _ratios(of_one_mpi, "ring", "heddle", "contiguous")
    robin = {case: 1 - ratio for case, ratio in _ratios(of_one_mpi, "ring", "heddle", "round-robin").items()}
    kept = {case: 1 / ratio for case, ratio in _ratios(of_one_mpi, "ring", "kept", "heddle").items()}
    return [
        messages.at_most("over four bare contiguous messages, everywhere", 1.1, bare),
        messages.best("less than round-robin, at best", REPORTED, robin),
        messages.at_least("a persistent start over the blocking call", 2.0, kept),
        messages.steady(of_one_mpi, "ring"),
        *late_goals(of_one_mpi),
    ]


def halo_goals(of_one_mpi: list[Figures]) -> list:
    gains = {case: 1 / ratio for case, ratio in _ratios(of_one_mpi, "halo", "heddle", "host").items()}
    return [
        messages.at_least("over the host's MPI_Neighbor_alltoallw", 2.0, gains),
        messages.steady(of_one_mpi, "halo"),
    ]


def late_goals(of_one_mpi: list[Figures]) -> list:
    """The longest wait of ranks that exchange nothing with the late rank, which is 10 ms late."""
    waits = {
        case: value / 1e3
        for figures in of_one_mpi
        for case, value in figures.series("heddle", LATE).items()
        if not case.endswith(", 1 away")
    }
    return (
        [messages.at_most("one rank 10 ms late: ms that a rank waits which is not its neighbour", 5.0, waits)] if waits else []
    )


def late_table(figures: Figures) -> Table:
    """The time of each rank in the call, by its distance from the late rank."""
    variants = figures.variants(LATE)
    shown = Table(title=f"one rank 10 ms late, {figures.ranks} ranks, {figures.mpi}, ms in the call", title_justify="left")
    for name in ("distance", *variants):
        shown.add_column(name, justify="right")
    for case in figures.cases(LATE):
        values = [figures.value(case, variant, LATE) for variant in variants]
        shown.add_row(_distance(case), *("" if value is None else f"{value / 1e3:.2f}" for value in values))
    shown.caption = "medians of both ranks at that distance; only neighbours exchange data"
    return shown


def _distance(case: str) -> str:
    return case.split(", ")[1].removesuffix(" away")


def _draw_late(figures: Figures, axis) -> None:
    for variant in figures.variants(LATE):
        line = {int(_distance(case)): value / 1e3 for case, value in figures.series(variant, LATE).items()}
        axis.plot(line.keys(), line.values(), marker=".", linewidth=1, label=variant, color=figure.ink(variant))
    axis.set(xlabel="distance from the late rank", ylabel="ms in the call", title=f"one rank late, {figures.ranks} ranks")
    figure.legend(axis)


def draw(rows: list[Row], file: Path, metric: str, title: str) -> None:
    found = messages.by_mpi(rows)
    mpis = list(dict.fromkeys(figures.mpi for figures in found))
    lates = {figures.mpi: figures for figures in found if figures.cases(LATE)}  # the figures with the most ranks
    yardstick = "round-robin" if metric == "ring" else "host"
    with figure.panels(file, title, 3 if lates else 2, len(mpis)) as axes:
        for mpi, figures in lates.items():
            _draw_late(figures, axes[2][mpis.index(mpi)])
        for column, mpi in enumerate(mpis):
            axis = axes[0][column]
            lines: dict[str, dict[int, float]] = {}
            for figures in (one for one in found if one.mpi == mpi):
                for variant in figures.variants(metric):
                    for value in figures.series(variant, metric).values():
                        lines.setdefault(variant, {})[figures.ranks] = value
            for variant, line in lines.items():
                axis.plot(line.keys(), line.values(), marker=".", linewidth=1, label=variant, color=figure.ink(variant))
            axis.set_xscale("log", base=2)
            axis.set(yscale="log", xlabel="ranks", ylabel="µs", title=mpi)
            figure.legend(axis)
            _draw_gains(lines, yardstick, axes[1][column])
            if metric == "ring":
                figure.mark(axes[1][column], 1 / (1 - REPORTED), "Balaji et al. 2007, figure 15: 88 % less, 128 ranks")
            figure.legend(axes[1][column])


def _draw_gains(lines: dict[str, dict[int, float]], over: str, axis) -> None:
    for variant in ("heddle", "kept"):
        both = {n: lines[over][n] / us for n, us in lines.get(variant, {}).items() if n in lines.get(over, {})}
        axis.plot(both.keys(), both.values(), marker=".", linewidth=1, label=variant, color=figure.ink(variant))
    axis.axhline(1, color="#000", linewidth=0.7)
    axis.set_xscale("log", base=2)
    axis.set(yscale="log", xlabel="ranks", ylabel=f"× {over}", title="gain")


def _command(
    what: str, title: str, goals: Callable, usual: list[int], short: list[int], help_text: str, extra: tuple[str, ...] = ()
) -> Callable:
    def command(
        mpi: messages.WhichMpi = Mpi.both,
        json: messages.JsonFile = None,
        quick: Annotated[bool, typer.Option("--quick", help="Short and rough, for two numbers of ranks.")] = False,
        rounds: messages.Rounds = None,
        disturb: messages.Disturb = 0,
        ranks: Annotated[
            list[int] | None, typer.Option("--ranks", min=2, max=64, metavar="N", help="A number of ranks; may be repeated.")
        ] = None,
        plot: messages.PlotFile = None,
    ) -> None:
        if plot is not None:
            figure.base(plot)
        started = time.monotonic()
        arguments = ["--case", what, *extra] + (["--quick"] if quick else [])
        rows = messages.measure(
            "neighbours", mpi, RUNS, messages.number_of(rounds, quick), arguments, ranks or (short if quick else usual), disturb
        )
        for figures in messages.by_mpi(rows):
            if figures.cases(LATE):
                messages.screen().print(late_table(figures))
        messages.show(rows, what, title, goals)
        messages.finish(rows, json, time.monotonic() - started)
        if plot is not None:
            draw(rows, plot, what, title)

    command.__doc__ = help_text
    return command


ring = _command(
    "ring",
    "MPI_Alltoallw around a ring",
    ring_goals,
    [4, 8, 16, 32, 64],
    [4, 16],
    "Exchange strided doubles with both neighbours of a ring by MPI_Alltoallw: the host, Heddle, bare messages; one late.",
    ("--late",),
)
halo = _command(
    "halo",
    "MPI_Neighbor_alltoallw, 26 neighbours",
    halo_goals,
    [2, 4, 8, 16],
    [2, 8],
    "Exchange the halo of a cube with 26 neighbours by MPI_Neighbor_alltoallw: the host, Heddle, contiguous messages.",
)
