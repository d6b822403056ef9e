"""Functions that take numbers out of the rows of a benchmark. Results are by MPI, with the distance
of the cores in the name.

gain("latency", best)                         the case at which Heddle is most ahead of the host's own path
gain("latency", at("n=1024"), "multi-w")      one case, one scheme
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from heddle.bench import groups_ranks, messages
from heddle.bench.compare import geometric_mean
from heddle.bench.rows import Row

from .model import Number, Numbers, Take

Pick = Callable[[dict[str, float]], Number | None]  # picks one of the numbers by case; None: the case is not there


FAR = re.compile(r", (near|far) cores$")
RANKS = re.compile(r", (\d+) ranks$")


def best(of: dict[str, float]) -> Number:
    case = max(of, key=of.__getitem__)
    return Number(of[case], case)


def least(of: dict[str, float]) -> Number:
    case = min(of, key=of.__getitem__)
    return Number(of[case], case)


def mean(of: dict[str, float]) -> Number:
    return Number(geometric_mean(of.values()), f"mean of {len(of)}")


def at(case: str) -> Pick:
    return lambda of: Number(of[case], case) if case in of else None


def _ranks(name: str) -> int:
    """The number of ranks in a name of _case()."""
    found = RANKS.search(name)
    return int(found[1]) if found else 2


def most_ranks(case: str) -> Pick:
    """Picks the case with the most ranks, of those named "CASE, N ranks"."""

    def pick(of: dict[str, float]) -> Number | None:
        found = {name: value for name, value in of.items() if case in name}
        if not found:
            return None
        name = max(found, key=_ranks)
        return Number(found[name], name)

    return pick


def _picked(found: dict[str, dict[str, float]], pick: Pick) -> Numbers:
    found = _over_all_distances(found) if pick in (best, least) else _complete(found) if pick is mean else found
    picked = {mpi: pick(of) for mpi, of in found.items() if of}
    return {mpi: number for mpi, number in picked.items() if number is not None}


def _over_all_distances(found: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Joins near and far cores of an MPI, because its best or worst case may be at either
    distance."""
    together: dict[str, dict[str, float]] = {}
    for mpi, of in found.items():
        distance = FAR.search(mpi)
        for case, number in of.items():
            together.setdefault(FAR.sub("", mpi), {})[f"{case}{distance[0] if distance else ''}"] = number
    return together


def _complete(found: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """A mean needs cases of one number of ranks and one distance of the cores. Distances with few
    cases are left out."""
    apart: dict[str, dict[str, float]] = {}
    for mpi, of in found.items():
        for case, number in of.items():
            apart.setdefault(f"{mpi}{RANKS.search(case)[0] if RANKS.search(case) else ''}", {})[RANKS.sub("", case)] = number
    most: dict[str, int] = {}
    for mpi, of in apart.items():
        most[FAR.sub("", mpi)] = max(most.get(FAR.sub("", mpi), 0), len(of))
    return {mpi: of for mpi, of in apart.items() if 2 * len(of) > most[FAR.sub("", mpi)]}


def _figures(rows: list[dict]) -> Iterable[messages.Figures]:
    return messages.by_mpi([Row.of(row) for row in rows])


def _of(row: Row) -> str:
    """The MPI and the distance of the cores. If the distance changed during the measurement, the
    MPI alone."""
    return f"{row.mpi}, {row.cores} cores" if row.cores else row.mpi


def _case(figures: messages.Figures, case: str) -> str:
    return f"{case}, {figures.ranks} ranks" if figures.ranks > 2 and not case.endswith("ranks") else case


def gain(metric: str, pick: Pick, variant: str = "heddle", inverse: bool = False) -> Take:
    """How many times as fast as the host's own path in the same run.

    @param inverse  the time over that of a contiguous message instead
    """

    def take(rows: list[dict]) -> Numbers:
        found: dict[str, dict[str, float]] = {}
        for figures in _figures(rows):
            over = f"{metric} over {'contiguous' if inverse else 'host'}"
            for row in figures.rows:
                if (row.variant, row.metric) == (variant, over):
                    found.setdefault(_of(row), {})[_case(figures, row.case)] = row.value if inverse else 1 / row.value
        return _picked(found, pick)

    return take


def quicker(metric: str, slow: str, quick: str, pick: Pick) -> Take:
    """The time of one variant over that of another, case by case, in the same measurement."""

    def take(rows: list[dict]) -> Numbers:
        found: dict[str, dict[str, float]] = {}
        for figures in _figures(rows):
            for case in figures.cases(metric):
                ours, theirs = figures.row(case, quick, metric), figures.row(case, slow, metric)
                if ours and theirs:
                    found.setdefault(_of(ours), {})[_case(figures, case)] = theirs.value / ours.value
        return _picked(found, pick)

    return take


def value(metric: str, pick: Pick, scale: float = 1, variant: str | None = None, where: str = "") -> Take:
    """The numbers in the rows of a metric."""

    def take(rows: list[dict]) -> Numbers:
        found: dict[str, dict[str, float]] = {}
        for figures in _figures(rows):
            for row in figures.rows:
                if row.metric == metric and variant in (None, row.variant) and where in row.case:
                    found.setdefault(_of(row), {})[_case(figures, row.case)] = scale * row.value
        return _picked(found, pick)

    return take


def others(metric: str, variant: str, pick: Pick, scale: float = 1, without: str = "") -> Take:
    """The numbers of `value`, less the cases whose names end with `without`."""

    def take(rows: list[dict]) -> Numbers:
        return value(metric, pick, scale, variant)([row for row in rows if not str(row["case"]).endswith(without)])

    return take


def shares(variants: dict[str, str]) -> Take:
    """Shares of the largest case in percent, by variant and not by MPI."""

    def take(rows: list[dict]) -> Numbers:
        found: Numbers = {}
        for row in rows:
            if row["metric"] == "share" and row["variant"] in variants:
                found[variants[row["variant"]]] = Number(100 * row["value"], row["case"])
        return found

    return take


def level_ns(metric: str, end: str) -> Take:
    """The time that a further level of derivation adds to a ping-pong under Heddle."""

    def take(rows: list[dict]) -> Numbers:
        found: dict[tuple[str, int], dict[int, float]] = {}
        for row in rows:
            level, _, of = str(row["case"]).partition(", ")
            if row["metric"] == metric and row["variant"] == "heddle" and of == end:
                found.setdefault((row["mpi"], row["ranks"]), {})[int(level.split()[1])] = row["value"]
        numbers = {}
        for (mpi, ranks), of in found.items():
            slope, error = groups_ranks.slope([of[level] for level in sorted(of)])
            error = 0 if math.isnan(error) else 1000 * error
            about = f"± {error:.1f}; " if error else ""
            numbers[mpi] = Number(1000 * slope, f"{about}{ranks} ranks, {len(of)} levels", error)
        return numbers

    return take


def depth_ns(rows: list[dict]) -> Numbers:
    """The time that a further level adds to a look-up, for the slowest format."""
    by_format: dict[str, dict[int, float]] = {}
    for row in rows:
        if row["metric"] == "depth_ns":
            by_format.setdefault(row["variant"], {})[int(row["case"])] = row["value"]
    slopes = {name: (of[max(of)] - of[min(of)]) / (max(of) - min(of)) for name, of in by_format.items() if len(of) > 1}
    return {"Heddle": best(slopes)} if slopes else {}


def bytes_of(case: str, variants: dict[str, str]) -> Take:
    def take(rows: list[dict]) -> Numbers:
        return {
            variants[row["variant"]]: Number(row["value"])
            for row in rows
            if row["metric"] == "members_bytes" and row["case"] == case and row["variant"] in variants
        }

    return take


def slowest(metric: str, variants: dict[str, str]) -> Take:
    """The largest number of all cases, by variant and not by MPI."""

    def take(rows: list[dict]) -> Numbers:
        found: dict[str, dict[str, float]] = {}
        for row in rows:
            if row["metric"] == metric and row["variant"] in variants:
                found.setdefault(variants[row["variant"]], {})[f"level {row['case']}"] = row["value"]
        return _picked(found, best)

    return take
