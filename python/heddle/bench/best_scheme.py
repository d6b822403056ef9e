"""Heddle's choice against the forced schemes, each in its own run.

Two cores of a virtual machine may be threads of one core in one run, and far cores in the next.
Then other schemes are best, and ratios of the two runs prove nothing. So runs are compared at the
same distance (`Row.cores`). If no two runs have it, the case is not measured: run more rounds.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import replace

from .jobs import ALL_SCHEMES
from .rows import Row

OVER_CONTIGUOUS = " over contiguous"
OVER_BEST = " over the best scheme"


def over_best_scheme(rows: Iterable[Row]) -> list[Row]:
    """`rows` of all rounds → a row for each case and distance: the choice over the best scheme.
    Both are over the contiguous messages of their own runs, medians over rounds."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        if row.metric.endswith(OVER_CONTIGUOUS) and row.variant in ("heddle", *ALL_SCHEMES):
            groups.setdefault((row.mpi, row.ranks, row.cores, row.case, row.metric), []).append(row)
    found = []
    for group in groups.values():
        ratio = _ratio(group)
        if ratio is not None:
            metric = group[0].metric.removesuffix(OVER_CONTIGUOUS) + OVER_BEST
            found.append(replace(group[0], variant="heddle", metric=metric, value=ratio, lower=ratio, upper=ratio, best=ratio))
    return found


def _ratio(rows: Iterable[Row]) -> float | None:
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row.variant, []).append(row.value)
    chosen = values.pop("heddle", None)
    return statistics.median(chosen) / min(map(statistics.median, values.values())) if chosen and values else None
