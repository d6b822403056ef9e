"""`heddle bench peers`: compares the datatypes of several MPI libraries with each other and with
Heddle.

The programs of `heddle bench vector` and `transpose` are built once for each family of MPI
libraries. Here they load each library of a family in turn. So a development build of Open MPI, for
example, is measured without a build against it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.table import Table

from heddle import families, installations
from heddle.installations import Installation
from heddle.problem import Problem

from . import messages
from .jobs import chosen
from .messages import Figures
from .rows import Row

QUICK = {
    "vector": ["--columns", "1", "16", "64", "256", "1024", "2048"],
    "transpose": ["--sizes", "64", "256", "512"],
}
FULL = {
    "vector": ["--columns", *(str(1 << n) for n in range(12))],
    "transpose": ["--sizes", "64", "128", "256", "512", "1024"],
}
LEFT_OUT = {"vector": ["--no-bandwidth"], "transpose": ["--no-pack"]}
SAME = 1.05  # times that differ by less are called equal: the scatter of a quiet machine


@dataclass(frozen=True)
class Case:
    """One message and one distance of the cores: µs one way by MPI, without Heddle and with it."""

    name: str
    bytes: int
    without: dict[str, float]
    ours: dict[str, float]

    @property
    def least(self) -> float:
        return min([*self.without.values(), *self.ours.values()])

    @property
    def best_without(self) -> tuple[str, float]:
        """The time of the fastest library alone."""
        return min(self.without.items(), key=lambda one: one[1])

    @property
    def winners(self) -> list[str]:
        """The names with the least time, or up to 5 % more."""
        found = [mpi for mpi, us in self.without.items() if us <= SAME * self.least]
        return found + [f"Heddle on {mpi}" for mpi, us in self.ours.items() if us <= SAME * self.least]


def asked_for(names: Sequence[str] | None) -> list[Installation]:
    """The named MPIs, or else all MPIs of this machine whose family has programs."""
    measured = (families.MPICH, families.OPENMPI)
    found = [installations.named(name) for name in names] if names else installations.find()
    unknown = [mpi for mpi in found if mpi.family not in measured]
    if names and unknown:
        raise Problem(f"{unknown[0].name} is of the family {unknown[0].family.title}, which has no built bench.", code=2)
    return [mpi for mpi in found if mpi.family in measured]


def cases(rows: Sequence[Row], cores: str) -> list[Case]:
    """The cases measured at this distance of the cores, in their order."""
    by_mpi = {figures.library: figures for figures in messages.by_mpi(list(rows)) if figures.distance in (cores, "")}
    names = dict.fromkeys(case for figures in by_mpi.values() for case in figures.cases("latency"))
    return [_case(name, by_mpi) for name in names]


def _case(name: str, by_mpi: dict[str, Figures]) -> Case:
    having = {mpi: figures for mpi, figures in by_mpi.items() if name in figures.cases("latency")}
    found = {
        variant: {mpi: us for mpi, f in having.items() if (us := f.value(name, variant, "latency")) is not None}
        for variant in ("host", "heddle")
    }
    return Case(name, next(iter(having.values())).bytes(name), found["host"], found["heddle"])


def table(found: Sequence[Case], title: str) -> Table:
    mpis = list(dict.fromkeys(mpi for case in found for mpi in case.without))
    shown = Table(title=title, title_justify="left")
    shown.add_column("case", no_wrap=True)
    for mpi in mpis:
        shown.add_column(mpi, justify="right")
        shown.add_column("Heddle on it", justify="right")
    shown.add_column("least")
    for case in found:
        cells = [f"{us:.3g}" if us else "" for mpi in mpis for us in (case.without.get(mpi), case.ours.get(mpi))]
        shown.add_row(case.name, *cells, ", ".join(case.winners))
    shown.caption = f"medians, us one way; within {100 * (SAME - 1):.0f} % of the least counts as the least"
    return shown


def told(found: Sequence[Case]) -> list[str]:
    """For each MPI under Heddle: the number of cases in which no library alone is faster, and the
    other cases."""
    lines = []
    for mpi in dict.fromkeys(mpi for case in found for mpi in case.ours):
        having = [case for case in found if mpi in case.ours and case.without]
        lost = [case for case in having if case.ours[mpi] > SAME * case.best_without[1]]
        line = f"Heddle on {mpi}: no library alone is quicker in {len(having) - len(lost)} of {len(having)} cases"
        behind = [f"{case.best_without[0]} at {case.name} ({case.ours[mpi] / case.best_without[1]:.2f} ×)" for case in lost]
        lines.append(line + (f"; behind {'; '.join(behind)}" if lost else ""))
    return lines


def command(
    mpis: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MPI]...", help="Names of `heddle mpi`, or folders of MPIs. Default: all MPIs of this machine."
        ),
    ] = None,
    json: messages.JsonFile = None,
    quick: messages.Quick = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
) -> None:
    """Compare MPI libraries: columns and transposes by their own datatypes, and under Heddle."""
    started = time.monotonic()
    peers = asked_for(mpis)
    if not peers:
        raise Problem(
            "there is no MPI to measure. `heddle mpi` lists the MPIs that Heddle finds; you may also name a folder.", code=2
        )
    rows: list[Row] = []
    for program, arguments in (QUICK if quick else FULL).items():
        more = [*arguments, *LEFT_OUT[program], "--ways", "host", "interposed", "contiguous"]
        more += ["--quick"] if quick else []
        rows += messages.measure(program, peers, [chosen()], messages.number_of(rounds, quick), more, disturb=disturb)
    report(rows)
    messages.finish(rows, json, time.monotonic() - started)


def report(rows: list[Row]) -> None:
    distances = dict.fromkeys(figures.distance for figures in messages.by_mpi(rows))
    for cores in distances:
        found = cases(rows, cores)
        messages.screen().print(table(found, f"Columns of 128 × 4096 ints, transposes of n² × 24 B{cores}"))
        for line in told(found):
            messages.screen().print(line, highlight=False)
