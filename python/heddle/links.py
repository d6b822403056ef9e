"""The times of messages through an MPI library on this machine, for `heddle tune`: bench/links
under that MPI's own mpiexec.

First two ranks run, with a core for each. Then sixteen ranks share two cores under Heddle; host and
Heddle yield while they wait. One build of bench/links serves all libraries of a family: heddle-tool
runs it with the MPI preloaded.

Each case runs until its tries agree. Other work on the two cores spoils a try.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from heddle import installations, jobs, native, preload
from heddle.families import Family
from heddle.installations import Installation
from heddle.problem import Problem
from heddle.repeated import Repeated, repeated

CORES, RANKS = 2, 16
SPARE = ("one", "burst", "long")
SHARED = ("pairs", "bundles", "rounds")
BLOCKS = tuple(str(4 << 2 * i) for i in range(8))  # bytes, of messages with holes
LEAST_HOLES = 262.0  # ns, beyond a message of 8 bytes: 256 KiB by a thousand GB/s
AGAIN = "run heddle tune again when the machine is quiet, or with --anyway, which keeps even such figures"
# No hints except the program's; waiting ranks yield.
SETTINGS = {"HEDDLE_PROFILE": "builtin", "HEDDLE_YIELD": "auto"}


def library(family: Family) -> Path:
    """bench/links, built for the MPIs of this family."""
    path = native.FOLDER / "lib" / f"libheddle_links_{family.name}.so"
    if not path.exists():
        raise Problem(f"the program that measures messages of {family.title} is missing ({path}). {native.MEND}")
    return path


@dataclass
class Measured:
    """Nanoseconds, in the order of heddle-tool (tool/tune/fit_links.hpp): all of them, or fewer if
    the others are not sure. `refused`: some are not sure, and another run may measure them."""

    ns: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: bool = False


STEPS = 3  # of `measured`


def measured(
    family: Family, quick: bool, progress: Callable[[str], None] = lambda what: None, anyway: bool = False
) -> Measured:
    """Problem: the reason why the measurement fails. `progress` is called before each of the STEPS.
    @param anyway: take the first try of each case, even on a busy machine."""
    file = library(family)
    mpi = next((one for one in installations.find() if one.family is family), None)
    if mpi is None:
        raise Problem(f"there is no MPI of this family. {native.MEND_MPI}.")

    def tried(case: str, ranks: int) -> Repeated:
        return repeated(lambda: _times(mpi, file, case, ranks, quick), slower=True, anyway=anyway, quiet=True, tries=2)

    with _cores(CORES) as cores:
        progress(f"{mpi.name}, messages between two ranks")
        spare = tried("spare", 2)
        progress(f"{mpi.name}, messages with holes")
        holes = tried("holes", 2) if spare.sure else Repeated()
        progress(f"{mpi.name}, messages of {RANKS} ranks on {cores} cores")
        shared = tried("shared", RANKS) if spare.sure else Repeated()
    if anyway:
        times = spare.values | shared.values | holes.values
        shared_by = (float(RANKS), float(cores))
        return Measured([*(times[name] for name in (*SPARE, *SHARED)), *shared_by, *(times[block] for block in BLOCKS)])
    return _judged(family.title, cores, spare, shared, holes)


def _judged(title: str, cores: int, spare: Repeated, shared: Repeated, holes: Repeated) -> Measured:
    """The numbers that are sure. heddle-tool takes those of `spare` alone, or with those of
    `shared`, `holes` or both."""
    why = _doubt(spare) or (_spare_is_absurd(spare.values) and f"{SHORT_IS_ABSURD}; {OTHER_WORK}")
    if why:
        kept = f"messages of {title} are not kept ({why}); the built-in figures hold, and there will be no estimates in reports"
        return Measured([], [kept], refused=True)
    taken = Measured([spare.values[name] for name in SPARE])
    kept = [spare]
    if why := _doubt(shared) or (_shared_is_absurd(shared.values, cores) and f"{SHARED_IS_ABSURD}; {OTHER_WORK}"):
        among = f"messages of {title} among {RANKS} ranks on {cores} cores"
        taken.notes.append(f"{among} are not kept ({why}); the built-in figures hold")
    else:
        kept.append(shared)
        taken.ns += [*(shared.values[name] for name in SHARED), float(RANKS), float(cores)]
    if why := _doubt(holes) or (_holes_are_absurd(holes.values, spare.values) and f"{HOLES_ARE_ABSURD}; {OTHER_WORK}"):
        taken.notes.append(f"messages of {title} with holes are not kept ({why}); there will be no estimates in reports")
    else:
        kept.append(holes)
        taken.ns += [holes.values[block] for block in BLOCKS]
    taken.refused = bool(taken.notes)
    within = max(one.within for one in kept)
    tries = max(one.tries for one in kept)
    taken.notes.append(f"messages of {title}: measured {tries} times, within {100 * (within - 1):.0f} %")
    return taken


def _doubt(found: Repeated) -> str:
    """Why these numbers are not sure; "": they are."""
    if found.sure:
        return ""
    if found.unsure:
        apart = max(found.unsure.values())
        return f"{found.tries} tries are {apart:.1f}-fold apart" if math.isfinite(apart) else f"{found.tries} tries differ"
    return f"meanwhile {found.busy}" if found.busy else "not measured"


OTHER_WORK = "other work on the cores may cause this"
SHORT_IS_ABSURD = "16 short messages at once, or a message of 1 MiB, took no longer than a short message"
SHARED_IS_ABSURD = f"{RANKS - 1} messages of each rank took no longer than a round of an MPI_Allgatherv, in which it sends one"
HOLES_ARE_ABSURD = "256 KiB took no longer than 8 bytes"


def _spare_is_absurd(ns: dict[str, float]) -> bool:
    one, burst, long = (ns[name] for name in SPARE)
    return not one < min(burst, long)


def _shared_is_absurd(ns: dict[str, float], cores: int) -> bool:
    """The model's cost of a message would be below zero: fit_links.cpp."""
    crowding = max(1.0, RANKS / cores)
    return ns["pairs"] / crowding <= ns["rounds"] / (crowding * math.log2(RANKS))


def _holes_are_absurd(ns: dict[str, float], spare: dict[str, float]) -> bool:
    return min(ns.values()) <= spare["one"] + LEAST_HOLES


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
