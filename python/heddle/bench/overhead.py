"""`heddle bench overhead`: the cost of Heddle for a program with contiguous data.

It compares MPI_X with PMPI_X, call by call, in one of two processes on a node: under Heddle, under
the null Heddle (which only forwards), and without both. Then it measures messages between two ranks
(pingpong.py).
"""

from __future__ import annotations

from typing import Annotated

import typer

from heddle import listing
from heddle.console import console
from heddle.families import Family

from . import goals, pingpong
from .jobs import Run, lines
from .messages import JsonFile, Rounds, WhichMpi, number_of
from .native import Mpi, With
from .rows import Row, merged, write

GOAL_NS = 10.0


def measure(family: Family, between: With, samples: int) -> list[Row]:
    rows, mpi = [], ""
    for line in lines("overhead", family, Run(between.value, between), 2, ["--samples", str(samples)]):
        mpi = line.get("mpi", mpi)
        if "bench" in line:
            variant = line["variant"] if line["variant"] != "direct" else f"direct under {between.value}"
            rows.append(Row.of(line, variant=between.value if line["variant"] != "direct" else variant, mpi=mpi))
    return rows


def added(rows: list[Row]) -> dict[tuple[str, str], dict[str, tuple[float, float]]]:
    """(MPI, call) → variant → (ns of the direct call, ns that interposing adds)."""
    by = {(row.mpi, row.case, row.variant): row.value for row in rows}
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for mpi, case, variant in by:
        direct = by.get((mpi, case, f"direct under {variant}"))
        if direct is not None:
            found.setdefault((mpi, case), {})[variant] = (direct, by[mpi, case, variant] - direct)
    return found


def command(
    mpi: WhichMpi = Mpi.both,
    json: JsonFile = None,
    rounds: Rounds = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: one round, few samples.")] = False,
) -> None:
    """Show the additional cost of calls on contiguous data under Heddle."""
    rows = []
    times = number_of(rounds, quick)
    for _ in range(times):
        for family in mpi.families:
            for between in With:
                rows += measure(family, between, 5 if quick else 101)
    rows = merged(rows)
    table = []
    worst = 0.0
    for (library, case), by in added(rows).items():
        direct = min(by[variant][0] for variant in by)
        more = {variant: by[variant][1] if variant in by else float("nan") for variant in ("nothing", "null", "heddle")}
        worst = max(worst, more["heddle"])
        table.append((library, case, f"{direct:.1f}", *(f"{value:+.1f}" for value in more.values())))
    heads = ("MPI", "call", "direct", "nothing adds", "null adds", "Heddle adds")
    said = "Calls on contiguous data in ns: by PMPI_, and what MPI_ adds without Heddle, under a null Heddle and under Heddle"
    print(listing.prose(said), end="\n\n")
    listing.show(heads, table, above=("MPI", "call"), right=heads[2:])
    print(f"\nMost that Heddle adds: {worst:.1f} ns")
    goals.show(console(), lambda: f"goal ≤ {GOAL_NS:g} ns: {_verdict(worst <= GOAL_NS)}")
    messages = pingpong.measure(mpi, times, quick)
    pingpong.show(messages)
    print()
    for goal in pingpong.goals(messages):
        print(f"{goal.text} {goal.value:+.1f} %")
        goals.show(console(), lambda one=goal: f"goal ≤ {one.wanted:g} %: {_verdict(one.reached)}")
    if json is not None:
        write(rows + merged(messages), json)


def _verdict(reached: bool) -> str:
    return "[green]reached[/]" if reached else "[red]missed[/]"
