"""`heddle bench transpose`: a matrix sent column after column and received row after row.

Figures 12 and 13 of Balaji et al. 2007: n × n elements of three doubles. It measures the time one
way, and its parts: searching the place in the datatype, packing, communicating. Each part is
measured alone: the search of all segments (`heddle bench seek`), MPI_Pack of the whole matrix, a
contiguous message of the same bytes.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from . import figure, messages, seek, wire
from .jobs import ALL_SCHEMES, Run, chosen, schemes, wanted_schemes
from .messages import Figures
from .native import Mpi, With
from .rows import Row
from .vector import MemoryFrom

REPORTED = 6.7  # "over 85 % improvement" at 1024 × 1024
SEARCHED_TO = 1024  # the single-context search is quadratic: larger matrices take minutes
PARTS = {"search": "#b5542a", "pack": "#5b7f95", "communicate": "#b8c4a2"}


def runs(wanted: tuple[str, ...]) -> list[Run]:
    short = ("--ways", "host", "interposed", "contiguous", "--no-pack")
    return [chosen(), Run("null", With.null, {}, short), *schemes(wanted, short)]


def searching(sizes: list[int], quick: bool) -> list[Row]:
    """The cost of finding the place, for Heddle's cursor, the host's (MPICH), and a build that
    searches from the start."""
    few = [str(n) for n in sizes if n <= SEARCHED_TO]
    if not few:
        return []
    arguments = ["--segment", "65536", "--samples", "2" if quick else "5", "--sizes", *few]
    return [row for row in seek.measure(arguments, messages.screen()) if row.metric == "search_us"]


def breakdown(figures: Figures, search: list[Row], metric: str) -> dict[str, dict[str, dict[str, float]]]:
    """variant → case → part → µs. The host's search is MPICH's: no other host can be measured."""
    takes = {(row.variant, int(row.case.removeprefix("transpose "))): row.value for row in search}
    found: dict[str, dict[str, dict[str, float]]] = {}
    for variant, searcher in (("host", "host"), ("heddle", "dual-context")):
        for case in figures.cases(metric):
            n = int(case.removeprefix("n="))
            pack, sent = figures.value(case, variant, "pack"), figures.value(case, "contiguous", metric)
            if pack is None or sent is None:
                continue
            known = searcher != "host" or figures.mpi.startswith("MPICH")
            looked = takes.get((searcher, n), 0.0) if known else 0.0
            found.setdefault(variant, {})[case] = {"search": looked, "pack": pack, "communicate": sent}
    return found


def breakdown_table(figures: Figures, parts: dict, metric: str) -> Table:
    table = Table(title=f"Parts, {figures.mpi}, us", title_justify="left")
    table.add_column("case")
    for variant in parts:
        table.add_column(variant, justify="right")
    for case in figures.cases(metric):
        line = []
        for variant, by_case in parts.items():
            measured = figures.value(case, variant, metric)
            if case in by_case and measured is not None:
                line.append(f"{' + '.join(f'{value:,.3g}' for value in by_case[case].values())} → {measured:,.4g}")
            else:
                line.append("")
        table.add_row(case, *line)
    table.caption = "search + pack + communicate, each alone → one way, in which they may overlap"
    return table


def goals(figures: Figures, metric: str, memory: MemoryFrom) -> list:
    wanted = 1.5 if memory is MemoryFrom.malloc else 1.3
    gains = figures.gains(metric)
    at = {case: gain for case, gain in gains.items() if case == "n=1024"}
    return [
        messages.at_most(
            f"over contiguous, {memory.value} memory", wanted, figures.series("heddle", f"{metric} over contiguous")
        ),
        messages.at_most("over the best scheme, at every n", 1.1, figures.over_best_scheme(metric)),
        messages.at_least("never slower than the host's datatype path (5 % is noise)", 0.95, gains),
        messages.best("over the host at 1024², as reported in 2007", REPORTED, at),
    ]


def draw(rows: list[Row], search: list[Row], metric: str, file: Path, title: str) -> None:
    found = messages.by_mpi(rows)
    with figure.panels(file, title, len(found), 4) as axes:
        for line, figures in zip(axes, found, strict=True):
            _curves(line[0], figures, metric)
            _gains(line[1], figures, metric)
            parts = breakdown(figures, search, metric)
            for axis, (variant, by_case) in zip(line[2:], parts.items(), strict=False):
                _bars(axis, by_case, f"{variant}, {figures.mpi}")


def _points(series: dict[str, float]) -> tuple[list[int], list[float]]:
    """The values sorted by n."""
    sizes = sorted(int(case.removeprefix("n=")) for case in series)
    return sizes, [series[f"n={n}"] for n in sizes]


def _curves(axis, figures: Figures, metric: str) -> None:
    for variant in figures.variants(metric):
        series = figures.series(variant, f"{metric} over contiguous")
        axis.plot(*_points(series), marker=".", linewidth=1, label=variant, color=figure.ink(variant))
    axis.axhline(1, color="#000", linewidth=0.7)
    axis.set_xscale("log", base=2)
    axis.set(yscale="log", xlabel="n", ylabel="× a contiguous message", title=f"one way, {figures.mpi}")
    figure.legend(axis)


def _gains(axis, figures: Figures, metric: str) -> None:
    for variant in figures.variants(metric):
        gains = figures.gains(metric, variant)
        if variant not in ("host", "null", "contiguous"):
            axis.plot(*_points(gains), marker=".", linewidth=1, label=variant, color=figure.ink(variant))
    axis.axhline(1, color="#000", linewidth=0.7)
    figure.mark(axis, REPORTED, "Balaji et al. 2007, 1024²: 85 % less")
    axis.set_xscale("log", base=2)
    axis.set(xlabel="n", ylabel="× the host's datatype path", title=f"gain, {figures.mpi}")
    figure.legend(axis)


def _bars(axis, by_case: dict[str, dict[str, float]], title: str) -> None:
    """Bars of 100 % each, as in figure 13."""
    by_case = dict(sorted(by_case.items(), key=lambda one: int(one[0].removeprefix("n="))))
    bottom = dict.fromkeys(by_case, 0.0)
    for part, colour in PARTS.items():
        share = {case: 100 * times[part] / sum(times.values()) for case, times in by_case.items()}
        axis.bar(list(share), list(share.values()), 0.7, bottom=list(bottom.values()), color=colour, label=part)
        bottom = {case: bottom[case] + share[case] for case in by_case}
    axis.set(ylabel="% of the parts", title=title, ylim=(0, 118))  # room for the legend
    axis.grid(visible=False)
    axis.legend(fontsize=6, loc="upper center", ncols=len(PARTS))


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough, to n = 512.")] = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
    sizes: Annotated[list[int] | None, typer.Option("--size", metavar="N", help="A size; may be repeated.")] = None,
    memory: Annotated[MemoryFrom, typer.Option(help="Matrices from malloc, or from heddle_alloc.")] = MemoryFrom.malloc,
    scatter: Annotated[bool, typer.Option("--scatter", help="The other way: send rows, receive columns.")] = False,
    scheme: Annotated[
        list[str] | None, typer.Option("--scheme", metavar="NAME", help=f"Force only this: {', '.join(ALL_SCHEMES)}, or none.")
    ] = None,
    transport: wire.Over = wire.Transport.node,
    provider: wire.Provider = "tcp",
    plot: messages.PlotFile = None,
) -> None:
    """Transpose a matrix by sending it: Heddle and its schemes, the host, contiguous messages,
    turning by hand."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    sizes = sizes or [64, 128, 256, 512] + ([] if quick else [1024, 2048])
    arguments = ["--sizes", *map(str, sizes)]
    arguments += ["--quick"] if quick else []
    arguments += ["--mapped"] if memory is MemoryFrom.mapped else []
    arguments += ["--scatter"] if scatter else []
    wanted = wanted_schemes(scheme, memory is MemoryFrom.mapped)
    rows = messages.measure(
        "transpose",
        mpi,
        wire.over(runs(wanted), transport, provider),
        messages.number_of(rounds, quick),
        arguments,
        disturb=disturb,
    )
    search = searching(sizes, quick)
    metric = "scatter" if scatter else "latency"
    report(rows, search, metric, memory)
    messages.finish(rows + search, json, time.monotonic() - started)
    if plot is not None:
        draw(rows, search, metric, plot, f"n² elements of 24 bytes, transposed on the way ({memory.value})")


def report(rows: list[Row], search: list[Row], metric: str, memory: MemoryFrom) -> None:
    limit = 1.5 if memory is MemoryFrom.malloc else 1.3
    for figures in messages.by_mpi(rows):
        title = f"{'Rows to columns' if metric == 'scatter' else 'Columns to rows'}, memory from {memory.value}"
        messages.screen().print(messages.table(figures, metric, title, ceiling=lambda _: limit))
        if parts := breakdown(figures, search, metric):
            messages.screen().print(breakdown_table(figures, parts, metric))
    messages.show_goals({f.mpi: goals(f, metric, memory) for f in messages.by_mpi(rows)})
    messages.tell_what_cannot_be_forced()
