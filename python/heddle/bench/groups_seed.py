"""The numbers that Chaarawi and Gabriel 2008 report: tables 1 to 4, and numbers in the text."""

from __future__ import annotations

PAPER = "Chaarawi and Gabriel 2008"

# Latency of a ping-pong in µs by level of derivation: format → end → [level 0, level 1, ...].
FIRST, LAST = ENDS = ("0-first", "0-last")
Latencies = dict[str, dict[str, list[float]]]


def _table(*columns: tuple[str, list[float], list[float]]) -> Latencies:
    return {name: {FIRST: first, LAST: last} for name, first, last in columns}


INFINIBAND = _table(
    ("PList", [3.7, 3.7, 3.7, 3.74, 3.74, 3.74], [3.7, 3.7, 3.7, 3.7, 3.7, 3.7]),
    ("Range", [3.7, 3.74, 3.74, 3.74, 3.85, 3.9], [3.7, 3.74, 3.79, 3.85, 3.85, 3.85]),
    ("Strided", [3.7, 3.74, 3.74, 3.74, 3.8, 3.8], [3.7, 3.71, 3.74, 3.74, 3.8, 3.8]),
    ("Bitmap", [3.7, 3.74, 3.74, 3.79, 3.8, 3.9], [3.7, 3.74, 3.79, 3.79, 3.85, 3.9]),
)
ETHERNET = _table(
    ("PList", [51.55, 51.61, 51.7, 51.09, 50.8, 51.7], [51.84, 52.45, 52.7, 52.3, 51.45, 51.5]),
    ("Range", [51.61, 51.65, 51.59, 51.45, 51.0, 51.86], [51.39, 52.34, 53.8, 53.19, 51.81, 51.4]),
    ("Strided", [51.11, 52.09, 51.55, 51.4, 51.75, 51.55], [52.14, 52.95, 52.64, 52.4, 51.8, 51.14]),
    ("Bitmap", [51.55, 52.05, 51.75, 51.15, 51.25, 51.61], [51.2, 52.8, 52.75, 51.86, 52.6, 51.7]),
)
MYRINET = _table(
    (
        "PList",
        [6.25, 6.25, 6.09, 6.20, 6.21, 6.25, 6.75, 6.75, 6.76],
        [7.34, 7.40, 7.30, 7.30, 7.20, 7.25, 7.25, 7.25, 7.36],
    ),
    (
        "Range",
        [6.04, 6.29, 6.25, 6.35, 6.35, 6.45, 7.19, 7.20, 7.40],
        [7.45, 7.65, 8.00, 8.00, 8.06, 8.30, 8.00, 8.05, 8.00],
    ),
    (
        "Strided",
        [6.25, 6.29, 6.29, 6.29, 6.40, 6.40, 6.85, 6.89, 7.06],
        [7.40, 7.44, 7.45, 7.39, 7.55, 7.55, 7.40, 7.55, 7.55],
    ),
    (
        "Bitmap",
        [6.10, 6.29, 6.29, 6.35, 6.60, 6.75, 7.56, 7.95, 8.80],
        [7.25, 9.05, 9.80, 10.14, 10.44, 10.50, 10.19, 10.05, 9.30],
    ),
)
OVER_TCP = "Table 3: 48 processes, Gigabit Ethernet"
TABLES = {
    "Table 2: 48 processes, InfiniBand": INFINIBAND,
    OVER_TCP: ETHERNET,
    "Table 4: 512 processes, Myrinet": MYRINET,
}


def plist_bytes(members: int) -> int:
    """Table 1, with pointers of eight bytes and ints of four."""
    return 8 * members


def range_bytes(ranges: int) -> int:
    return 8 * ranges


STRIDED_BYTES = 12


def bitmap_bytes(parent: int) -> int:
    return -(-parent // 8)


HPL_LISTS, HPL_SPARSE = 724_800, 58  # bytes a process for three communicators of 90,000 processes
PER_LEVEL_NS = (40, 800)  # a level of derivation adds this to a look-up
