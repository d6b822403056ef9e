"""Makes comparisons of rows, case by case, and compares them with the goals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .rows import Row


@dataclass(frozen=True)
class Comparison:
    """A case and a metric in GB/s, as medians, of Heddle under each MPI, the hosts, memcpy and the
    yardstick."""

    case: str
    metric: str  # pack or unpack
    bytes: int
    family: str
    irregular: bool
    ours: dict[str, float]  # by MPI
    hosts: dict[str, float]
    memcpy: float
    best_ours: float
    yardstick: float | None

    @property
    def gain(self) -> float:
        """The gain over the better host: the smaller of the two ratios, each within one process.
        (The place of a process's pages decides which lines collide in the second-level cache: the
        same packing runs at 4.7 GB/s in one process and at 7.3 in the next.)
        """
        return min(self.ours[mpi] / self.hosts[mpi] for mpi in self.hosts if mpi in self.ours)

    @property
    def of_yardstick(self) -> float | None:
        """Heddle's best over the yardstick's best: the yardstick prints only its best."""
        return self.best_ours / self.yardstick if self.yardstick else None


def comparisons(rows: Iterable[Row], variant: str) -> list[Comparison]:
    """Comparisons in the order of the rows. Cases without Heddle or without a host are left out."""
    rows = list(rows)
    by_case: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.metric in ("pack", "unpack") and row.variant != "yardstick":
            by_case.setdefault((row.case, row.metric), []).append(row)
    yardstick = {(row.case, row.metric): row.best for row in rows if row.variant == "yardstick"}
    found = []
    for (case, metric), group in by_case.items():
        of = {name: {row.mpi: row for row in group if row.variant == name} for name in (variant, "host", "memcpy")}
        if not of[variant].keys() & of["host"].keys():
            continue
        first = group[0]
        found.append(
            Comparison(
                case,
                metric,
                first.bytes,
                first.family,
                first.pattern == "irregular",
                {mpi: row.value for mpi, row in of[variant].items()},
                {mpi: row.value for mpi, row in of["host"].items()},
                max((row.value for row in of["memcpy"].values()), default=math.nan),
                geometric_mean(row.best for row in of[variant].values()),
                yardstick.get((case, metric)),
            )
        )
    return found


def geometric_mean(values: Iterable[float]) -> float:
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


@dataclass(frozen=True)
class Goal:
    """A goal for a number computed from comparisons, and the number."""

    text: str
    wanted: float
    value: float
    detail: str = ""
    at_most: bool = False  # otherwise at least

    @property
    def applies(self) -> bool:
        return not math.isnan(self.value)

    @property
    def reached(self) -> bool:
        return self.value <= self.wanted if self.at_most else self.value >= self.wanted


def _worst(text: str, wanted: float, found: list[Comparison], number: Callable[[Comparison], float]) -> Goal:
    """The goal that no case is below `wanted`. Its value is the worst case."""
    if not found:
        return Goal(text, wanted, math.nan)
    worst = min(found, key=number)
    under = sum(number(one) < wanted for one in found)
    return Goal(text, wanted, number(worst), f"{worst.case}; {under} of {len(found)} under {wanted:g}")


def goals(found: Iterable[Comparison], metric: str) -> list[Goal]:
    """The goals for packing speed, for one metric."""
    mine = [one for one in found if one.metric == metric]
    irregular = [one for one in mine if one.irregular]
    measured = [one for one in mine if one.yardstick]
    hand_tiled = [one for one in measured if one.family in ("transpose", "struct")]
    count = lambda group: f"{len(group)} cases"  # noqa: E731
    return [
        Goal(
            "irregular cases, geometric mean over the better host",
            2.5,
            geometric_mean(one.gain for one in irregular),
            count(irregular),
        ),
        Goal("all cases, geometric mean over the better host", 1.5, geometric_mean(one.gain for one in mine), count(mine)),
        _worst("worst case over the better host", 0.95, mine, lambda one: one.gain),
        _worst("worst case over the yardstick", 0.9, measured, lambda one: one.of_yardstick),
        _worst("worst transpose or struct over the yardstick", 1.0, hand_tiled, lambda one: one.of_yardstick),
    ]


@dataclass(frozen=True)
class Decoding:
    """The cost of a type before its first use, and the number of packs that pay it back. None:
    Heddle is not faster."""

    case: str
    mpi: str
    ns: float
    uses: float | None


def decoding(rows: Iterable[Row], variant: str) -> list[Decoding]:
    by = {row.key: row for row in rows}
    found = []
    for row in by.values():
        if row.metric != "decode" or row.variant != variant:
            continue
        ours, host = (by.get((row.bench, row.case, name, "pack", row.mpi)) for name in (variant, "host"))
        if ours is None or host is None:
            continue
        saved = row.bytes / host.value - row.bytes / ours.value  # ns a pack: bytes over GB/s
        found.append(Decoding(row.case, row.mpi, row.value, row.value / saved if saved > 0 else None))
    return found
