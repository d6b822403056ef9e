"""The second part of `heddle bench overhead`: the cost of Heddle for a program whose data have no
holes.

Contiguous messages of three sizes travel between two ranks. Three processes take turns: the host
alone, the null Heddle (which only forwards), and Heddle. Inside each, calls by MPI_ names and by
PMPI_ names take turns. The cost of a progress hook shows in both.
"""

from __future__ import annotations

import statistics

from heddle import listing, verdict

from .compare import Goal
from .jobs import Collector, Run, lines
from .native import Mpi, With
from .rows import Row, merged

GOALS = {"8 B": 0.03, "1048576 B": 0.01}


def measure(mpi: Mpi, rounds: int, quick: bool) -> list[Row]:
    """A row for each round. `variant`: the library between program and MPI; "direct under ...":
    calls by PMPI_ names."""
    rows = []
    arguments = ["--quick"] if quick else []
    for _ in range(rounds):
        for family in mpi.families:
            for between in verdict.shuffled(list(With)):
                collector = Collector(family, Run(between.value, between))
                for line in lines("pingpong", family, collector.run, 2, arguments):
                    collector.take(line)
                for row in _mostly(collector.rows):
                    variant = between.value if row.variant == "through" else f"direct under {between.value}"
                    rows.append(Row.of(row.__dict__, variant=variant))
    return rows


def _mostly(rows: list[Row]) -> list[Row]:
    """The rows at the distance of the cores that has more samples."""
    found: dict[tuple, Row] = {}
    for row in rows:
        if row.key not in found or row.samples > found[row.key].samples:
            found[row.key] = row
    return list(found.values())


def added(rows: list[Row], variant: str) -> dict[tuple[str, str], float]:
    """(MPI, case) → the additional share of `variant` over the host alone, as a median over rounds.
    It takes pairs at the same distance of the cores, if there are any."""
    by: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.metric == "pingpong":
            by.setdefault((row.mpi, row.case, row.variant), []).append(row)
    found = {}
    for (mpi, case, name), ours in by.items():
        alone = by.get((mpi, case, "nothing"), [])
        if name == variant and len(alone) == len(ours):
            pairs = list(zip(ours, alone, strict=True))
            alike = [(one, other) for one, other in pairs if one.cores == other.cores] or pairs
            found[mpi, case] = statistics.median(one.value / other.value for one, other in alike) - 1
    return found


def show(rows: list[Row]) -> None:
    """The last column has calls by their MPI_ names over calls by their PMPI_ names, under
    Heddle."""
    heads = ("MPI", "bytes", "alone", "null", "Heddle", "null adds", "Heddle adds", "MPI_ over PMPI_")
    table = []
    by = {(row.mpi, row.case, row.variant): row for row in merged(r for r in rows if r.metric == "pingpong")}
    inside = {
        (row.mpi, row.case): row
        for row in merged(r for r in rows if r.metric == "pingpong over host")
        if row.variant == "heddle"
    }
    null, heddle = added(rows, "null"), added(rows, "heddle")
    for mpi, case in dict.fromkeys((row.mpi, row.case) for row in rows):
        times = [by.get((mpi, case, variant)) for variant in ("nothing", "null", "heddle")]
        ratio = inside.get((mpi, case))
        values = (f"{row.value:.3g}" if row else "" for row in times)
        more = (f"{100 * adds[mpi, case]:+.1f} %" if (mpi, case) in adds else "" for adds in (null, heddle))
        table.append((mpi, case.removesuffix(" B"), *values, *more, f"{100 * (ratio.value - 1):+.1f} %" if ratio else ""))
    said = "Contiguous messages one way in µs: the MPI library alone, under a null Heddle, and under Heddle"
    print("\n" + listing.prose(said), end="\n\n")
    listing.show(heads, table, above=("MPI",), right=heads[1:])


def goals(rows: list[Row]) -> list[Goal]:
    found = []
    for (mpi, case), more in added(rows, "heddle").items():
        if case in GOALS:
            found.append(Goal(f"{case} one way, {mpi}: Heddle adds", 100 * GOALS[case], 100 * more, "%", at_most=True))
    return found
