"""Numbers, times and lists as text."""

from __future__ import annotations

from collections.abc import Sequence


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def amount(count: float) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{_digits(count / size)} {unit}"
    return f"{count:.0f} B"


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first names: "MPI_Send, MPI_Recv, …"."""
    return ", ".join([*names[:most], *(["…"] if len(names) > most else [])])


def duration(us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{_digits(us / size)} {unit}"
    return f"{_digits(us)} us"
