"""The 2-D FFT of Hoefler and Gottlieb 2010 on other machines: its transposes are simulated, its
loops charged.

    rows of the exchange (an MPI_Alltoall of N/P x N/P complex numbers)  ->  rows of the whole FFT, one for each variant

A rank transforms its rows, transposes, transforms and transposes back. A transpose packs,
exchanges, and unpacks with the local transpose. `manual` does this by loops. `zero-copy` does it by
the send and the receive type: one gather into the message, one scatter out of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from heddle.problem import Problem

COMPLEX = 16  # bytes
TRANSPOSES = TRANSFORMS = 2
VARIANTS = ("manual", "zero-copy")

# Every simulated machine has the times of one core of the development machine (docs/fft2d.md, "What
# came out"; docs/results.md, "Packing"). They are ns for a byte of a rank's share of the matrix, a
# transpose:
#   one rank, 4096^2, MPICH, two transposes of 268 MB, `heddle bench fft2d --size 1024 --size 4096 --rounds 2`:
#     manual on the host 139 ms: packing, the MPI's copy of the rank's own block, the loop that transposes; without that copy
#     zero-copy under Heddle 62.3 ms: from layout to layout; over a network the gather into the message comes on top
#   a copy from memory to memory: 20 GB/s, `heddle bench pack`, transpose of 1024^2 of 16 bytes. The gather copies whole rows.
COPY_NS = 1 / 20
SHARE = 4096**2 * COMPLEX
PACKING_NS = {"manual": 139e6 / 2 / SHARE - COPY_NS, "zero-copy": 62.3e6 / 2 / SHARE + COPY_NS}
#   4 passes of 4096 transforms of 4096 points, and the filter: the same run's 459 ms less 139 ms, at 5 n log2 n operations each
OPERATIONS_PER_NS = 4 * 4096 * 5 * 4096 * math.log2(4096) / (459e6 - 139e6)


def exchange(ranks: int, side: int) -> tuple[list[int], list[int]]:
    """Bytes and partners of a transpose: all ranks are partners of each other."""
    if ranks > side:
        raise Problem(f"a matrix of {side:,} rows has too few rows for {ranks:,} ranks", code=2)
    return [max(1, round((side / ranks) ** 2)) * COMPLEX], [ranks - 1]


def whole(row: dict, side: int) -> Iterator[dict]:
    """A row for each variant, for the rank with the most rows."""
    rows = -(-side // row["ranks"])
    transforms_us = TRANSFORMS * rows * 5 * side * math.log2(side) / OPERATIONS_PER_NS / 1e3
    for variant in VARIANTS:
        packing_us = TRANSPOSES * rows * side * COMPLEX * PACKING_NS[variant] / 1e3
        yield row | {
            "size": side,
            "variant": variant,
            "algorithm": f"{row['algorithm']}, {variant}" if row["algorithm"] != "auto" else variant,
            "exchange_us": row["us"],
            "exchange_estimate_us": row["estimate_us"],
            "packing_us": packing_us,
            "transforms_us": transforms_us,
            "us": TRANSPOSES * row["us"] + packing_us + transforms_us,
            "estimate_us": TRANSPOSES * row["estimate_us"] + packing_us + transforms_us,
        }


def findings(rows: list[dict], copy_ns: float | None) -> Iterator[str]:
    """A sentence for each number of ranks: the gain by datatypes, and the largest possible gain.
    `copy_ns`: of the machine."""
    by = {(row["ranks"], row["algorithm"]): row for row in rows}
    for ranks in sorted({row["ranks"] for row in rows}):
        if not all((ranks, variant) in by for variant in VARIANTS):
            continue
        hand, types = (by[ranks, variant] for variant in VARIANTS)
        more = f"{hand['us'] / (hand['us'] - hand['packing_us']):.2f} if packing were free"
        if copy_ns is not None:
            slower = copy_ns / COPY_NS
            gain = _slowed(hand, slower) / _slowed(types, slower)
            more += f"; {gain:.2f} if loops and transforms were {slower:.0f} times slower, as this machine's copies are"
        yield (
            f"{ranks:,} ranks: by datatypes {hand['us'] / types['us']:.2f} times as fast as by hand ({more}). By hand "
            f"{hand['packing_us'] / hand['us']:.0%} is packing, "
            f"{TRANSPOSES * hand['exchange_us'] / hand['us']:.0%} communication."
        )
    off = [row["exchange_estimate_us"] / row["exchange_us"] for row in rows if row["by"] == "simgrid"]
    if off:
        yield f"Estimates of the simulated exchanges: {min(off):.2f} to {max(off):.2f} times SimGrid's results."


def _slowed(row: dict, times: float) -> float:
    return TRANSPOSES * row["exchange_us"] + times * (row["packing_us"] + row["transforms_us"])
