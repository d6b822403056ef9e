"""What messages through an MPI library take on this machine, for `heddle tune`: bench/links under the MPI's own mpiexec.

Two ranks with a core for each; then sixteen that share two cores, under Heddle, host and Heddle giving way while they wait.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from heddle.families import Family

from .jobs import Run, lines
from .native import With

CORES, RANKS = 2, 16
SPARE = ("one", "burst", "long")
SHARED = ("pairs", "bundles", "rounds")
BLOCKS = tuple(str(4 << 2 * i) for i in range(8))  # bytes, of messages with holes


def measured(family: Family, quick: bool, progress: Callable[[str], None] = lambda what: None) -> list[float]:
    """Nanoseconds, in the order that heddle-tool takes (tool/tune/links.hpp). Problem: it cannot be measured, and why."""
    with _cores(CORES) as cores:
        progress(f"{family.title}, messages between two ranks")
        spare = _times(family, With.nothing, "spare", 2, quick)
        progress(f"{family.title}, messages with holes")
        holes = _times(family, With.nothing, "holes", 2, quick)
        progress(f"{family.title}, messages of {RANKS} ranks on {cores} cores")
        shared = _times(family, With.heddle, "shared", RANKS, quick)
    messages = [*(spare[name] for name in SPARE), *(shared[name] for name in SHARED), float(RANKS), float(cores)]
    return [*messages, *(holes[block] for block in BLOCKS)]


def _times(family: Family, between: With, case: str, ranks: int, quick: bool) -> dict[str, float]:
    """Of each way the lower quartile: what disturbs makes slower only."""
    arguments = ["--case", case, *(["--quick"] if quick else [])]
    # No hint but those of the program; waiting ranks give way.
    run = Run("heddle", between, {"HEDDLE_PROFILE": "builtin", "HEDDLE_YIELD": "auto"})
    found = lines("links", family, run, ranks, arguments)
    return {line["variant"]: line["lower"] * 1e3 for line in found if line.get("metric") == "link"}


@contextmanager
def _cores(many: int) -> Iterator[int]:
    """What is started meanwhile may use so many cores, as far as there are."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:many])
    try:
        yield min(many, len(before))
    finally:
        os.sched_setaffinity(0, before)
