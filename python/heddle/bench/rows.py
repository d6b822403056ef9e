"""JSON rows: the measurements of every bench, a number in each row, and the merging of rounds."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from heddle import written


@dataclass(frozen=True)
class Row:
    """One measured number. `lower` and `upper` are the quartiles around the median `value`."""

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


def merged(rows: Iterable[Row]) -> list[Row]:
    """Merges the rounds of a measurement into a row: the median of the medians, the widest quartiles, the best of all."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault((row.key, row.ranks, row.cores), []).append(row)
    return [
        replace(
            group[0],
            value=statistics.median(row.value for row in group),
            lower=min(row.lower for row in group),
            upper=max(row.upper for row in group),
            high=statistics.median(row.high for row in group),
            best=(max if group[0].unit == "GB/s" else min)(row.best for row in group),
            samples=sum(row.samples for row in group),
        )
        for group in groups.values()
    ]


def write(rows: Iterable[Row], file: Path) -> None:
    """Writes a JSON list, a line for each row."""
    lines = ",\n".join(json.dumps(asdict(row)) for row in rows)
    written.write(file, f"[\n{lines}\n]\n")


def read(file: Path) -> list[Row]:
    return [Row.of(found) for found in json.loads(file.read_text())]
