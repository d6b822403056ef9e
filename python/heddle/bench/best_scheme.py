"""Heddle's choice against the schemes that can be forced, each in a run of its own.

Two cores of a virtual machine may be threads of one core in one run and strangers in the next: then other schemes are best, and
ratios of the two runs say nothing. So runs are compared where a cache line took alike (`Row.line_ns`); where none did, a case
is not measured, and more rounds are the cure.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import replace

from .jobs import ALL_SCHEMES
from .rows import Row

NEAR_NS = 60  # for a cache line: less between threads of a core or cores that share a cache
OVER_CONTIGUOUS = " over contiguous"
OVER_BEST = " over the best scheme"


def over_best_scheme(rows: Iterable[Row]) -> list[Row]:
    """`rows` of all rounds → a row a case: the choice over the best scheme, both over the contiguous messages of their own
    runs, medians over rounds. Of two distances of the cores, the worse ratio."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        if row.metric.endswith(OVER_CONTIGUOUS) and row.variant in ("heddle", *ALL_SCHEMES):
            groups.setdefault((row.mpi, row.ranks, row.case, row.metric), []).append(row)
    found = []
    for group in groups.values():
        ratios = [ratio for near in (True, False) if (ratio := _ratio(row for row in group if (row.line_ns < NEAR_NS) is near))]
        if ratios:
            worst = max(ratios)
            metric = group[0].metric.removesuffix(OVER_CONTIGUOUS) + OVER_BEST
            found.append(replace(group[0], variant="heddle", metric=metric, value=worst, lower=worst, upper=worst, best=worst))
    return found


def _ratio(rows: Iterable[Row]) -> float | None:
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row.variant, []).append(row.value)
    chosen = values.pop("heddle", None)
    return statistics.median(chosen) / min(map(statistics.median, values.values())) if chosen and values else None
