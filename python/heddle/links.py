"""The times of messages through an MPI library on this machine, for `heddle tune`: bench/links under that MPI's own mpiexec.

First two ranks run, with a core for each. Then sixteen ranks share two cores under Heddle; host and Heddle yield while they
wait. One build of bench/links serves all libraries of a family: heddle-tool runs it with the MPI preloaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from heddle import installations, jobs, native, preload
from heddle.families import Family
from heddle.installations import Installation
from heddle.problem import Problem

CORES, RANKS = 2, 16
SPARE = ("one", "burst", "long")
SHARED = ("pairs", "bundles", "rounds")
BLOCKS = tuple(str(4 << 2 * i) for i in range(8))  # bytes, of messages with holes
# No hints except the program's; waiting ranks yield.
SETTINGS = {"HEDDLE_PROFILE": "builtin", "HEDDLE_YIELD": "auto"}


def library(family: Family) -> Path:
    """bench/links, built for the MPIs of this family."""
    path = native.FOLDER / "lib" / f"libheddle_links_{family.name}.so"
    if not path.exists():
        raise Problem(f"the program that measures messages of {family.title} is missing ({path}). {native.MEND}")
    return path


def measured(family: Family, quick: bool, progress: Callable[[str], None] = lambda what: None) -> list[float]:
    """Nanoseconds, in the order of heddle-tool (tool/tune/fit_links.hpp). Problem: the reason why the measurement fails."""
    file = library(family)
    mpi = next((one for one in installations.find() if one.family is family), None)
    if mpi is None:
        raise Problem(f"there is no MPI of this family. {native.MEND_MPI}.")
    with _cores(CORES) as cores:
        progress(f"{mpi.name}, messages between two ranks")
        spare = _times(mpi, file, "spare", 2, quick)
        progress(f"{mpi.name}, messages with holes")
        holes = _times(mpi, file, "holes", 2, quick)
        progress(f"{mpi.name}, messages of {RANKS} ranks on {cores} cores")
        shared = _times(mpi, file, "shared", RANKS, quick)
    messages = [*(spare[name] for name in SPARE), *(shared[name] for name in SHARED), float(RANKS), float(cores)]
    return [*messages, *(holes[block] for block in BLOCKS)]


def _times(mpi: Installation, file: Path, case: str, ranks: int, quick: bool) -> dict[str, float]:
    """The lower quartile for each way: a disturbance only makes messages slower."""
    program = [str(native.program(native.TOOL)), "links", str(file), "--case", case, *(["--quick"] if quick else [])]
    under_heddle = case == "shared"
    preloaded = preload.value(mpi.family, mpi.library, heddle=under_heddle)
    found = list(jobs.output(*jobs.start_line(mpi, program, ranks, preloaded, SETTINGS, "none")))
    wanted = "heddle" if under_heddle else "host"
    if answered := {line["interposer"] for line in found if "plan" in line} - {wanted}:
        raise Problem(f"{wanted} should answer the calls, but {answered.pop()} does.")
    return {line["variant"]: line["lower"] * 1e3 for line in found if line.get("metric") == "link"}


@contextmanager
def _cores(many: int) -> Iterator[int]:
    """Programs started within this context may use at most so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:many])
    try:
        yield min(many, len(before))
    finally:
        os.sched_setaffinity(0, before)
