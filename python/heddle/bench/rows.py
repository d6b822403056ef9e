"""JSON rows: the measurements of every bench, a number in each row, and the merging of rounds."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from heddle import verdict, written


@dataclass(frozen=True)
class Row:
    """One measured number. `lower` and `upper` are the quartiles around the median `value`, or its
    interval if the row has `rounds`."""

    bench: str
    case: str
    variant: str  # heddle, host, memcpy, null, nothing, yardstick
    metric: str  # pack, unpack, decode, call, latency, bandwidth, "latency over contiguous"
    value: float
    unit: str  # GB/s, ns, us; 1: a ratio
    mpi: str = ""
    bytes: int = 0
    family: str = ""
    pattern: str = ""  # regular or irregular
    size: str = ""  # small, L2, memory
    lower: float = 0.0
    upper: float = 0.0
    high: float = 0.0  # the 90th percentile
    best: float = 0.0
    samples: int = 0
    rounds: int = 0  # of a ratio: the paired rounds of its interval
    core: int = -1
    ranks: int = 1
    pinning: str = ""  # the cores of the ranks, in their order
    line_ns: float = 0.0  # the time of a cache line from rank 0's core to rank 1's
    disturb: int = 0  # busy processes beside
    cores: str = ""  # near or far during the measurement; empty: more ranks than cores, or one rank

    @classmethod
    def of(cls, found: dict, **known) -> Row:
        """From a JSON object of a native program; `known` fills in or overrides."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in (found | known).items() if name in names})

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        return (self.bench, self.case, self.variant, self.metric, self.mpi)


def judged(row: Row, ratios: list[float]) -> Row:
    """The row of a ratio: its median and interval over the rounds."""
    found = verdict.judge(ratios)
    known = {"high": max(ratios), "best": max(ratios), "samples": len(ratios), "rounds": len(ratios)}
    return replace(row, value=found.median, unit="1", lower=found.low, upper=found.high, **known)


def verdict_of(row: Row) -> verdict.Verdict:
    """The verdict of a row of `judged`, or of a merged ratio."""
    return verdict.again(row.value, row.lower, row.upper, row.rounds)


def merged(rows: Iterable[Row]) -> list[Row]:
    """Merges the rounds of a measurement into a row: the median of the medians, the widest
    quartiles, the best of all. A ratio gets the interval of its median, if there are enough
    rounds."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault((row.key, row.ranks, row.cores), []).append(row)
    return [_merged(group) for group in groups.values()]


def _merged(group: list[Row]) -> Row:
    ratio, rounds = group[0].unit == "1", len(group)
    found = verdict.judge(row.value for row in group) if ratio and rounds >= verdict.LEAST_ROUNDS else None
    return replace(
        group[0],
        value=statistics.median(row.value for row in group),
        lower=found.low if found else min(row.lower for row in group),
        upper=found.high if found else max(row.upper for row in group),
        high=statistics.median(row.high for row in group),
        best=(max if group[0].unit == "GB/s" else min)(row.best for row in group),
        samples=sum(row.samples for row in group),
        rounds=rounds if ratio else 0,
    )


def write(rows: Iterable[Row], file: Path) -> None:
    """Writes a JSON list, a line for each row."""
    lines = ",\n".join(json.dumps(asdict(row)) for row in rows)
    written.write(file, f"[\n{lines}\n]\n")


def read(file: Path) -> list[Row]:
    return [Row.of(found) for found in json.loads(file.read_text())]
