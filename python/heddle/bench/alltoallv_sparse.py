"""`heddle bench alltoallv-sparse`: a few partners around each rank, by MPI_Alltoallv and by
heddle_exchange.

Figures 1 to 6 of Schliephake and Laure 2013. The exchange also finds the senders; MPI_Alltoallv is
told its senders. With more ranks than cores, waiting ranks yield alike with Heddle and without.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from . import figure, messages
from .compare import geometric_mean
from .jobs import Run
from .messages import Figures
from .native import Mpi, With
from .rows import Row

SELDOM = 488  # calls: select/collective/cadence.hpp
METRIC = "exchange"
REPORTED = 38.0  # times as quick as the host's MPI_Alltoallv
WAYS = ("consensus", "counts", "crystal")
# MPI_Alltoallv by Heddle's choice, and by each algorithm. Hints on the communicators of one job set
# the algorithm.
ALGORITHMS = ("auto", "direct", "crystal", "bruck")
CHOSEN, *FORCED = (f"alltoallv {name}" for name in ALGORITHMS)
# The router without the improvements of its paper, and with them one by one. All messages travel in
# bundles.
BUNDLED = "crystal, bundled"
ROUTERS = {
    BUNDLED: "beside=1G",
    "crystal, copies": "copies",
    "crystal, radix 4": "radix=4,beside=1G",
    "crystal, 2 channels": "channels=2,beside=1G",
    "crystal, segments": "segment=16K,beside=1G",
}


def runs(ways: tuple[str, ...], routers: bool) -> list[Run]:
    short = ("--ways", "host", "interposed")
    forced = [Run(way, With.heddle, {"HEDDLE_EXCHANGE": way}, short) for way in ways]
    if routers:
        for name, router in ROUTERS.items():
            forced.append(Run(name, With.heddle, {"HEDDLE_EXCHANGE": "crystal", "HEDDLE_ROUTER": router}, short))
    several = ("--algorithms", *ALGORITHMS)
    return [Run("heddle", With.heddle, {"HEDDLE_EXCHANGE": "auto"}, (*short, *several)), *forced]


def table(figures: Figures) -> Table:
    """A line for each case, in microseconds. The quickest way is highlighted."""
    variants = figures.variants(METRIC)
    shown = Table(title=f"sparse exchange, {figures.ranks} ranks, {figures.mpi}, us", title_justify="left")
    shown.add_column("case", no_wrap=True)
    for name in variants:
        shown.add_column(name, justify="right")
    for case in figures.cases(METRIC):
        values = [figures.value(case, variant, METRIC) for variant in variants]
        least = min(value for value in values if value is not None)
        shown.add_row(case, *(_cell(value, value == least) for value in values))
    shown.caption = "medians. alltoallv …: MPI_Alltoallv under Heddle. heddle: heddle_exchange with HEDDLE_EXCHANGE=auto"
    return shown


def _cell(value: float | None, best: bool) -> str:
    if value is None:
        return ""
    number = f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
    return f"[bold green]{number}[/]" if best else number


def effects(found: list[Figures]) -> Table:
    """The gain of each improvement of the router: the time without it over the time with it."""
    shown = Table(title="The router's improvements: times as fast as without, geometric means", title_justify="left")
    for name in ("ranks, MPI", "fewer copies", "radix 4", "2 channels", "segments of 16K", "long ones beside"):
        shown.add_column(name)
    for figures in found:
        took = {name: figures.series(name, f"{METRIC} over host") for name in (*ROUTERS, "crystal")}
        pairs = [("crystal, copies", BUNDLED), *((BUNDLED, name) for name in (*list(ROUTERS)[2:], "crystal"))]
        shown.add_row(f"{figures.ranks}, {figures.mpi}", *(f"{_gain(took[one], took[other]):.2f}" for one, other in pairs))
    return shown


def _gain(without: dict[str, float], having: dict[str, float]) -> float:
    both = [without[case] / having[case] for case in without if case in having]
    return geometric_mean(both) if both else float("nan")


def goals(of_one_mpi: list[Figures]) -> list:
    over_best, gains, alltoallv, over_host, staying, changing = {}, {}, {}, {}, {}, {}
    for figures in of_one_mpi:
        for case, ratio in figures.series(CHOSEN, f"{METRIC} over host").items():
            name = f"{figures.ranks} ranks, {case}"
            over_host[name] = 1 / ratio
            reduction = figures.value(case, "reduction", "agreeing")
            if reduction is not None:
                share = reduction / figures.value(case, CHOSEN, METRIC)
                staying[name] = share / SELDOM
                changing[name] = share / (figures.value(case, CHOSEN, "every") or SELDOM)
            alltoallv[name] = ratio / min(figures.value(case, way, f"{METRIC} over host") for way in FORCED)
        chosen = figures.series("heddle", f"{METRIC} over host")
        for case, ratio in chosen.items():
            name = f"{figures.ranks} ranks, {case}"
            gains[name] = 1 / ratio
            forced = [figures.value(case, way, f"{METRIC} over host") for way in WAYS]
            forced = [value for value in forced if value is not None]
            if forced:
                over_best[name] = ratio / min(forced)
    return [
        messages.at_most("Heddle's choice over the best of the three ways, everywhere", 1.1, over_best),
        messages.at_most("Heddle's choice of MPI_Alltoallv over the best of its algorithms, everywhere", 1.1, alltoallv),
        messages.mean("MPI_Alltoallv over the host's, geometric mean", 1.0, over_host),
        messages.steady(of_one_mpi, METRIC),
        messages.at_most(f"agreement once in {SELDOM} calls (steady volumes), as a part of MPI_Alltoallv", 0.02, staying),
        messages.at_most("agreement as often as with changing volumes, as a part of MPI_Alltoallv", 0.02, changing),
        messages.mean("over the host's MPI_Alltoallv, which is told who sends; geometric mean", 1.0, gains),
    ]


def draw(rows: list[Row], file: Path) -> None:
    found = messages.by_mpi(rows)
    mpis = list(dict.fromkeys(figures.mpi for figures in found))
    counts = sorted({figures.ranks for figures in found})
    with figure.panels(file, "Sparse exchange with partners around each rank", len(mpis), len(counts) + 2) as axes:
        for figures in found:
            axis = axes[mpis.index(figures.mpi)][counts.index(figures.ranks)]
            for variant in figures.variants(METRIC):
                series = figures.series(variant, METRIC)
                axis.plot(
                    range(len(series)), series.values(), marker=".", linewidth=1, label=variant, color=figure.ink(variant)
                )
            cases = figures.cases(METRIC)
            axis.set_xticks(range(len(cases)), _labels(cases), fontsize=6)
            axis.set(yscale="log", ylabel="µs", title=f"{figures.ranks} ranks, {figures.mpi}")
            figure.legend(axis)
            _draw_gains(axes[mpis.index(figures.mpi)][-2], figures)
        for mpi, line in zip(mpis, axes, strict=True):
            figure.mark(line[-2], REPORTED, "Schliephake, Laure 2013, figure 1: 38×, 8 B, 256 ranks")
            figure.legend(line[-2])
            _draw_scaling(line[-1], [figures for figures in found if figures.mpi == mpi])


def _labels(cases: Iterable[str]) -> list[str]:
    """The words of a case that not all cases share, a line each."""
    split = [case.split() for case in cases]
    shared = set.intersection(*map(set, split)) if len(split) > 1 else set()
    return ["\n".join(word for word in words if word not in shared) for words in split]


def _draw_gains(axis, figures: Figures) -> None:
    gains = {case: 1 / ratio for case, ratio in figures.series(CHOSEN, f"{METRIC} over host").items()}
    axis.plot(range(len(gains)), gains.values(), marker=".", linewidth=1, label=f"{figures.ranks} ranks")
    axis.axhline(1, color="#000", linewidth=0.7)
    axis.set_xticks(range(len(gains)), _labels(gains), fontsize=6)
    axis.set(yscale="log", ylabel="× the host's MPI_Alltoallv", title=f"gain, {figures.mpi}")


def _draw_scaling(axis, of_one_mpi: list[Figures]) -> None:
    """Figure 6: a line for each case over the numbers of ranks; with --strong the cases are one
    line."""
    for variant, style in ((CHOSEN, "-"), ("host", ":")):
        lines: dict[str, dict[int, float]] = {}
        for figures in of_one_mpi:
            series = figures.series(variant, METRIC)
            strong = any(len({*figures.cases(METRIC)} & {*other.cases(METRIC)}) == 0 for other in of_one_mpi)
            for place, (case, us) in enumerate(series.items()):
                lines.setdefault(f"size {place}" if strong else case.split()[-1], {})[figures.ranks] = us
        for name, line in lines.items():
            axis.plot(line.keys(), line.values(), style, marker=".", linewidth=1, label=f"{name}, {variant}")
    axis.set_xscale("log", base=2)
    axis.set(yscale="log", xlabel="ranks", ylabel="µs", title="scaling")
    figure.legend(axis)


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: 8 ranks, three sizes.")] = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
    ranks: Annotated[
        list[int] | None, typer.Option("--ranks", min=2, max=128, metavar="N", help="A number of ranks; may be repeated.")
    ] = None,
    size: Annotated[
        list[int] | None, typer.Option("--bytes", min=0, metavar="N", help="Bytes for each partner; may be repeated.")
    ] = None,
    partners: Annotated[
        list[int] | None, typer.Option("--partners", min=0, metavar="N", help="Partners of each rank; may be repeated.")
    ] = None,
    stride: Annotated[
        list[int] | None,
        typer.Option("--stride", min=1, metavar="N", help="Ranks from one partner to the next; may be repeated."),
    ] = None,
    way: Annotated[
        list[str] | None, typer.Option("--way", metavar="NAME", help=f"Force only this: {', '.join(WAYS)}, or none.")
    ] = None,
    strong: Annotated[
        bool,
        typer.Option(
            "--strong",
            help="Strong scaling: one problem for all numbers of ranks P. Blocks shrink as P to the power of 2/3 grows.",
        ),
    ] = False,
    routers: Annotated[bool, typer.Option(help="Measure the router's improvements one by one.")] = True,
    plot: messages.PlotFile = None,
) -> None:
    """Exchange messages with 26 partners: the host's MPI_Alltoallv, pair by pair, and the three
    ways of heddle_exchange."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    sizes = size or ([8, 512, 32768] if quick else [8, 64, 512, 4096, 32768, 131072])
    arguments = ["--partners", *map(str, partners or [26])]
    arguments += ["--stride", *map(str, stride or [1])]
    arguments += ["--quick"] if quick else []
    forced = tuple(name for name in (way or WAYS) if name != "none")
    wanted = runs(forced, routers and "crystal" in forced)
    counts = ranks or ([8] if quick else [8, 16, 32])
    rows: list[Row] = []
    for group in [[n] for n in counts] if strong else [counts]:
        shrunk = [max(1, round(one * (group[0] / min(counts)) ** (-2 / 3))) if strong else one for one in sizes]
        words = ["--bytes", *map(str, dict.fromkeys(shrunk)), *arguments]
        rows += messages.measure("alltoallv-sparse", mpi, wanted, messages.number_of(rounds, quick), words, group, disturb)
    found = messages.by_mpi(rows)
    for figures in found:
        messages.screen().print(table(figures))
    if routers and "crystal" in forced:
        messages.screen().print(effects(found))
    of_mpi: dict[str, list[Figures]] = {}
    for figures in found:
        of_mpi.setdefault(figures.mpi, []).append(figures)
    messages.show_goals({name: goals(all_of) for name, all_of in of_mpi.items()})
    messages.finish(rows, json, time.monotonic() - started)
    if plot is not None:
        draw(rows, plot)
