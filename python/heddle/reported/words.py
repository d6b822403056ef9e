"""Numbers, times and lists as text."""

from __future__ import annotations

import math
from collections.abc import Sequence


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def amount(count: float) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{_digits(count / size)} {unit}"
    return f"{count:.0f} B"


def counted(number: int, one: str, more: str = "") -> str:
    """A number and its noun: "1 rank", "2 ranks"."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first names: "MPI_Send, MPI_Recv, …"."""
    return ", ".join([*names[:most], *(["…"] if len(names) > most else [])])


def shortened(layout: str, most: int = 160) -> str:
    """The begin of a layout: lists may be long."""
    return layout if len(layout) <= most else layout[:most] + "…"


def rough(us: float) -> str:
    """A time of at most two digits: "43 ms" of 42,615 us."""
    if us <= 0:
        return "0 us"
    size = 10.0 ** max(0, math.floor(math.log10(us)) - 1)
    return duration(round(us / size) * size if us >= 10 else float(f"{us:.2g}"))


def roughly(least: float, most: float) -> str:
    """A range of times of at most two digits."""
    return f"{rough(least)} to {rough(most)}"


def duration(us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{_digits(us / size)} {unit}"
    return f"{_digits(us)} us"
