"""`heddle bench vector`: k columns of a matrix of 128 × 4096 ints, from one rank to another.

Figures 2, 6, 7 and 12 of Wu, Wyckoff and Panda 2004. Heddle runs with the scheme of its choice and
with each forced scheme. It is compared with the host's datatype path, contiguous messages, packing
by hand, and a message for each row. Both latency and bandwidth with a window of messages are
measured.
"""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from . import figure, messages, wire
from .jobs import ALL_SCHEMES, Run, chosen, schemes, wanted_schemes
from .messages import Figures
from .native import Mpi, With
from .rows import Row

REPORTED = {"bc-spup": 1.5, "rwg-up": 1.8, "multi-w": 3.4}  # best factors over the generic path, figure 6
REPORTED_BANDWIDTH = 3.6  # figure 7
QUICK_BANDWIDTH = ("64", "256", "1024")


class Buffers(StrEnum):
    same = "same"
    changing = "changing"


class MemoryFrom(StrEnum):
    malloc = "malloc"
    mapped = "mapped"


def runs(quick: bool, bandwidth: bool, wanted: tuple[str, ...]) -> list[Run]:
    """Heddle's choice beside all other ways; then the null Heddle and each scheme with the ways
    that they are compared to."""
    short = ("--ways", "host", "interposed", "contiguous")
    every = ("--no-bandwidth",) if not bandwidth else ("--bandwidth-columns", *QUICK_BANDWIDTH) if quick else ()
    rest = (*short, "--no-bandwidth") if quick else (*short, *every)
    return [chosen(every), Run("null", With.null, {}, rest), *schemes(wanted, rest)]


def ceiling(size: int) -> float | None:
    """The allowed multiple of the contiguous time, from ordinary memory."""
    return 1.1 if size >= 512 << 10 else 1.25 if size >= 32 << 10 else None


def goals(figures: Figures) -> list:
    ratios = figures.series("heddle", "latency over contiguous")
    gains = figures.gains("latency")
    over = {case: ratio for case, ratio in ratios.items() if figures.bytes(case) >= 32 << 10}
    large = {case: ratio for case, ratio in over.items() if figures.bytes(case) >= 512 << 10}
    wanted = 3.4 if figures.mpi.startswith("MPICH") else 2.0
    return [
        messages.at_most("over the best scheme, at every k", 1.1, figures.over_best_scheme("latency")),
        messages.at_least("never slower than the host's datatype path (5 % is noise)", 0.95, gains),
        messages.at_most("over contiguous from 32 KiB", 1.25, over),
        messages.at_most("over contiguous from 512 KiB", 1.1, large),
        messages.best("over the host's datatype path, best point", wanted, gains),
        messages.best("bandwidth over the host's, best point (on one MPI)", REPORTED_BANDWIDTH, figures.gains("bandwidth")),
    ]


def draw(rows: list[Row], file: Path, title: str) -> None:
    found = messages.by_mpi(rows)
    metrics = [m for m in ("latency", "bandwidth") if any(f.cases(m) for f in found)]
    with figure.panels(file, title, len(found), len(metrics) * 2) as axes:
        for line, figures in zip(axes, found, strict=True):
            for axis, metric in zip(line, metrics, strict=False):
                _curves(axis, figures, metric)
            for axis, metric in zip(line[len(metrics) :], metrics, strict=True):
                _gains(axis, figures, metric)


def _columns(case: str) -> int:
    return int(case.removeprefix("k="))


def _line(axis, series: dict[str, float], variant: str) -> None:
    """Draws the series sorted by columns: cases measured in other rounds may stand at other places
    of `series`."""
    cases = sorted(series, key=_columns)
    values = [series[case] for case in cases]
    axis.plot(list(map(_columns, cases)), values, marker=".", linewidth=1, label=variant, color=figure.ink(variant))


def _curves(axis, figures: Figures, metric: str) -> None:
    for variant in figures.variants(metric):
        series = figures.series(variant, metric)
        _line(axis, series, variant)
    axis.set(xscale="log", yscale="log", xlabel="columns", title=f"{metric}, {figures.mpi}")
    axis.set_xscale("log", base=2)
    axis.set_ylabel("µs one way" if metric == "latency" else "GB/s")
    figure.legend(axis)


def _gains(axis, figures: Figures, metric: str) -> None:
    for variant in figures.variants(metric):
        if variant in ("host", "null"):
            continue
        gains = figures.gains(metric, variant)
        _line(axis, gains, variant)
    axis.axhline(1, color="#000", linewidth=0.7)
    if metric == "latency":
        figure.mark(axis, REPORTED["multi-w"], "Wu et al. 2004, figure 6: 3.4×")
    else:
        figure.mark(axis, REPORTED_BANDWIDTH, "Wu et al. 2004, figure 7: 3.6×")
    axis.set_xscale("log", base=2)
    axis.set(yscale="log", xlabel="columns", ylabel="× the host's datatype path", title=f"{metric}: gain, {figures.mpi}")
    figure.legend(axis)


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: messages.Quick = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
    columns: Annotated[
        list[int] | None, typer.Option("--columns", metavar="K", help="A number of columns; may be repeated.")
    ] = None,
    bandwidth: Annotated[bool, typer.Option("--bandwidth/--no-bandwidth", help="Also measure windows of messages.")] = True,
    buffers: Annotated[
        Buffers, typer.Option(help="Send all messages from the same array, or each from another (figure 12).")
    ] = Buffers.same,
    memory: Annotated[MemoryFrom, typer.Option(help="Arrays from malloc, or from heddle_alloc.")] = MemoryFrom.malloc,
    scheme: Annotated[
        list[str] | None, typer.Option("--scheme", metavar="NAME", help=f"Force only this: {', '.join(ALL_SCHEMES)}, or none.")
    ] = None,
    transport: wire.Over = wire.Transport.node,
    provider: wire.Provider = "tcp",
    plot: messages.PlotFile = None,
) -> None:
    """Send columns of a matrix: Heddle and its schemes, the host's datatype path, contiguous
    messages, packing by hand."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    arguments = ["--quick"] if quick else []
    arguments += ["--columns", *map(str, columns)] if columns else []
    arguments += ["--changing"] if buffers is Buffers.changing else []
    arguments += ["--mapped"] if memory is MemoryFrom.mapped else []
    wanted = wanted_schemes(scheme, memory is MemoryFrom.mapped)
    todo = runs(quick, bandwidth, wanted)
    rows = messages.measure(
        "vector", mpi, wire.over(todo, transport, provider), messages.number_of(rounds, quick), arguments, disturb=disturb
    )
    report(rows, f"{buffers.value} buffers, memory from {memory.value}" + wire.title(transport, provider))
    messages.finish(rows, json, time.monotonic() - started)
    if plot is not None:
        draw(rows, plot, f"128 × k of 4096 ints ({buffers.value} buffers, {memory.value})")


def report(rows: list[Row], what: str) -> None:
    for figures in messages.by_mpi(rows):
        for metric, title in (("latency", "One way"), ("bandwidth", "Bandwidth")):
            if figures.cases(metric):
                limit = ceiling if metric == "latency" else lambda _: None
                messages.screen().print(messages.table(figures, metric, f"{title}, {what}", ceiling=limit))
    messages.show_goals({figures.mpi: goals(figures) for figures in messages.by_mpi(rows)})
    messages.tell_what_cannot_be_forced()
