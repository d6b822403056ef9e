"""A scenario: communicators, patterns on them, and an order of steps that cannot deadlock.

A pattern (a message, a burst, a collective ...) is a list of stages. A stage has the actions of
some ranks at one time. The order of steps is a random merge of the stages of all patterns, so that
their operations overlap. Each rank takes its own steps in that order. A blocking action needs only
actions of earlier stages, or of other ranks in the same stage, so there is no deadlock. If
shrink.py drops patterns, the others still end.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from random import Random

import layouts
from layouts import Layout, Unit

# Features that --without leaves out: known findings that hide others, and features that a host
# lacks.
FEATURES = {
    "pmpi": "calls, and commits of types, by their PMPI_ names",
    "dlsym": "receives by a pointer that dlsym took from the host's library",
    "tools": "a preloaded library that wraps some calls and calls PMPI_, before or behind Heddle",
    "threads": "MPI_THREAD_MULTIPLE, each thread with communicators of its own",
    "thread_probes": "probes while other threads communicate",
    "early_type_free": "MPI_Type_free directly behind the call that starts an operation",
    "neighbour_type_free": "the same, of MPI_Ineighbor_*",
    "early_comm_free": "MPI_Comm_free while operations on it are pending",
    "buffered": "MPI_Bsend, Ibsend, Bsend_init",
    "request_free": "MPI_Request_free on sends",
    "probes": "MPI_Probe, Iprobe, Mprobe, Improbe, Mrecv, Imrecv",
    "wildcards": "MPI_ANY_SOURCE, MPI_ANY_TAG",
    "cancel": "MPI_Cancel",
    "truncation": "messages longer than their receives",
    "delete": "receives in delete callbacks",
    "persistent": "MPI_*_init of messages",
    "persistent_collectives": "MPI_*_init of collectives",
    "collectives": "collectives, neighbour collectives among them",
    "in_place": "MPI_IN_PLACE",
    "bursts": "many outstanding sends at once",
    "intercomm": "inter-communicators",
    "large": "messages of more than 64 KiB",
    "isendrecv": "MPI_Isendrecv (MPICH)",
    "alloc_mem": "buffers from MPI_Alloc_mem",
    "overlapping": "receives into one buffer",
    "freed_receives": "MPI_Request_free on receives",
    "wrong_arguments": "calls with a wrong argument, of which an error handler hears",
    "disconnect": "MPI_Comm_disconnect, and delete callbacks that communicate",
    "remapped": "other memory mapped over memory of MPI_Alloc_mem",
    "locked": "mlockall",
    "windows": "windows, MPI_Put, MPI_Get, MPI_Accumulate",
    "files": "files: collective accesses through views, and accesses of single ranks",
    "room": "receives with room for more than 2 GiB",
}


@dataclass
class Comm:
    number: int
    members: list[int]  # world ranks, in the order of the communicator
    create: str  # C statements. `@` stands for the new handle
    remote: list[int] = field(default_factory=list)  # the second group of an inter-communicator
    sources: list[list[int]] = field(default_factory=list)  # neighbours of each rank, -1: MPI_PROC_NULL
    targets: list[list[int]] = field(default_factory=list)
    everybody: bool = True  # all ranks of the world take part in its creation
    freed_early: bool = False
    of_thread: int = 0

    @property
    def name(self) -> str:
        return f"c{self.number}"

    def rank(self, world: int) -> int:
        """The rank of a peer in its own group."""
        if self.remote and world in self.remote:
            return self.remote.index(world)
        return self.members.index(world)


@dataclass
class Stage:
    pattern: object
    ops: list[tuple[int, tuple]]  # (world rank, action)
    done: bool = False  # completes requests. It may be delayed, to complete with other requests of that rank
    how: str = "WAIT"
    profiled: bool = False
    entries: list[tuple[object, tuple]] = field(default_factory=list)  # completions: (pattern, op)

    def patterns(self) -> set:
        return {p for p, _ in self.entries} if self.done else {self.pattern}


@dataclass
class Side:
    """One end of a message: `count` of a layout."""

    layout: Layout
    count: int
    keep: str = "kept"  # its type is kept for all rounds, freed when the operation is done, or freed directly
    commit_by: str = "MPI_"
    by_mpi: bool = False
    fresh: bool = False  # a new buffer each time

    @property
    def units(self) -> int:
        return self.layout.units * self.count

    def spread(self) -> tuple[int, int]:
        last = (self.count - 1) * self.layout.extent
        if self.count == 0:
            return 0, 0
        return min(0, last) + min(self.layout.low, 0), max(0, last) + max(self.layout.high, 0)


@dataclass
class Taste:
    """The limits of one run, and the features that a program has drawn."""

    mpi: str
    ranks: int
    without: set[str]
    biggest: int = 4 << 20
    files: bool = False
    threaded: bool = False

    def has(self, feature: str) -> bool:
        return feature not in self.without


def some_bytes(random: Random, taste: Taste, cap: int = 1 << 40) -> int:
    what = random.random()
    if what < 0.04:
        return 0
    low, high = (1, 64) if what < 0.12 else (100, 200) if what < 0.37 else (200, 4096) if what < 0.57 else (4096, 65536)
    if what > 0.80 and taste.has("large"):
        low, high = (65536, 600_000) if what < 0.95 else (600_000, taste.biggest)
    return min(cap, int(low * (high / low) ** random.random()))


def flattened(unit: Unit, n: int) -> Side | None:
    import layouts

    return Side(layouts.basic(unit.basics[0]), n) if len(unit.basics) == 1 else None


def as_vector(unit: Unit, n: int) -> Side | None:
    """`n` elements of plain units, each followed by a hole of the same length."""
    import layouts

    if len(unit.basics) > 1 or n < 1:
        return None
    inner = layouts.basic(unit.basics[0])
    e = inner.extent
    made = inner.over(f"MPI_Type_vector({n}, 1, 2, @old, &@new)", layouts.loop(n, 2 * e, inner.walk), f"vector({n}, 1, 2, {inner.text})", n, 0,
                      (2 * n - 1) * e, 0, (2 * n - 2) * e + inner.high, True)  # fmt: skip
    return Side(made, 1)


def some_units(random: Random, unit: Unit, size: int) -> int:
    n = size // unit.bytes if size == 0 else max(1, size // unit.bytes)
    return (
        n
        if n < 60
        else n - n % random.choice([1, 2, 6, 8, 12, 24, 60])
        if n < 3000
        else n - n % random.choice([24, 64, 240, 720])
    )


def some_side(random: Random, taste: Taste, unit: Unit, n: int) -> Side:
    """A random layout of `n` units."""
    size = n * unit.bytes
    grain = 1 if taste.mpi == "openmpi" and (size > 3000 or random.random() < 0.9) else int(random.random() < 0.7)
    if n == 0:
        side = Side(layouts.tree(random, unit, random.choice([1, 6, 20]), 2, grain).settle(), 0)
    elif random.random() < 0.15:
        side = Side(layouts.unit_layout(random, unit, 1), n)
    elif random.random() < 0.12 and n > 3:
        rows, columns = layouts.split_up(random, n)
        side = Side(layouts.column(random, unit, rows, columns), columns)
    else:
        count, m = layouts.split_up(random, n) if random.random() < 0.4 else (1, n)
        if random.random() < 0.5:
            count, m = m, count
        side = Side(layouts.tree(random, unit, m, random.randint(1, 3), grain).settle(), count)
    low, high = side.spread()
    if high - low > max(64 << 10, 12 * size, 1 << 20):  # too sparse
        side = Side(layouts.a_vector(random, unit, n, 1, grain).settle(), 1)
    side.keep = random.choice(["kept", "done", "directly"] if taste.has("early_type_free") else ["kept", "done"])
    side.by_mpi = taste.has("alloc_mem") and random.random() < 0.15
    side.fresh = random.random() < 0.3
    if taste.has("pmpi") and random.random() < 0.1:
        side.commit_by = "PMPI_"
    return side


class Pattern:
    """A pattern, numbered within its scenario. Subclasses give its stages, and the C code of each
    stage."""

    number = 0
    comm: Comm
    requests = 0  # the number of its requests q[...], which begin with first_request
    first_request = 0
    exclusive = False  # needs a communicator that no other pattern uses

    def stages(self, random: Random) -> list[Stage]:
        raise NotImplementedError

    def emit(self, op: tuple, rank: int, printer) -> list[str]:
        raise NotImplementedError

    def requests_of(self, op: tuple, rank: int) -> list[int]:
        """Returns the requests that an op completes."""
        return []

    def after(self, op: tuple, rank: int, printer) -> list[str]:
        """Returns the checks after the requests are complete."""
        return []

    def involves(self) -> set[int]:
        raise NotImplementedError

    def simpler(self):
        """Yields functions that make the pattern simpler, in place."""
        return []

    def finish(self, printer) -> list[str]:
        """Returns the C code at the end of the scenario."""
        return []

    def settings(self) -> dict[str, str]:
        """Returns settings of Heddle, which the program sets for itself."""
        return {}

    def only_singly(self) -> bool:
        return False

    def persistent(self) -> bool:
        return False

    def stage(self, *ops: tuple[int, tuple]) -> Stage:
        return Stage(self, list(ops))

    def completing(self, random: Random, rank: int, op: tuple) -> Stage:
        return Stage(self, [(rank, op)], True, entries=[(self, op)])


@dataclass
class Thread:
    """A sequence of stages over all ranks. It runs alone, or at the same time as others."""

    patterns: list[Pattern]
    timeline: list[Stage]


@dataclass
class Scenario:
    number: int
    ranks: int
    comms: list[Comm]
    quiet: list[Comm]  # one for each thread, for the calls that keep ranks in order
    threads: list[Thread]
    rounds: int

    def patterns(self) -> list[Pattern]:
        return list(itertools.chain.from_iterable(t.patterns for t in self.threads))

    def renumber(self) -> None:
        for thread in self.threads:
            n = 0
            for p in thread.patterns:
                p.first_request = n
                n += p.requests

    def without(self, dropped: set[int]) -> None:
        """Drops the patterns with these numbers."""
        for thread in self.threads:
            gone = {id(p) for p in thread.patterns if p.number in dropped}
            thread.patterns = [p for p in thread.patterns if id(p) not in gone]
            kept = []
            for stage in thread.timeline:
                if stage.done:
                    stage.entries = [(p, op) for p, op in stage.entries if id(p) not in gone]
                    if stage.entries:
                        kept.append(stage)
                elif isinstance(stage.pattern, Freeing) or id(stage.pattern) not in gone:
                    kept.append(stage)
            thread.timeline = kept
        if len(self.threads) > 1:
            self.threads = [t for t in self.threads if t.patterns] or self.threads[:1]
        used = {id(p.comm) for p in self.patterns()}
        gone = [c for c in self.comms if id(c) not in used]
        self.comms = [c for c in self.comms if id(c) in used]
        for thread in self.threads:
            thread.timeline = [
                s for s in thread.timeline if not (isinstance(s.pattern, Freeing) and any(s.pattern.comm is c for c in gone))
            ]


class Freeing(Pattern):
    """MPI_Comm_free while operations on it are pending."""

    def __init__(self, comm: Comm):
        self.comm = comm

    def stages(self, random):
        return [self.stage(*((r, ("free",)) for r in [*self.comm.members, *self.comm.remote]))]

    def emit(self, op, rank, printer):
        return [f"OK(MPI_Comm_free(&{self.comm.name}));"]

    def involves(self):
        return set(self.comm.members)


HOWS = ["WAIT", "WAITALL", "WAITANY", "WAITSOME", "TEST", "TESTALL", "TESTANY", "TESTSOME", "LOOKS"]


def merge(random: Random, patterns: list[Pattern], taste: Taste, window: int) -> list[Stage]:
    """Makes an order of steps: up to `window` patterns are active, and some completions are
    combined."""
    waiting = [(p, p.stages(random)) for p in patterns]
    active: list = []
    plain: list[Stage] = []
    while waiting or active:
        while waiting and len(active) < window:
            active.append(waiting.pop(0))
        chosen = random.choice(active)
        plain.append(chosen[1].pop(0))
        if not chosen[1]:
            active.remove(chosen)

    held: dict[int, list[Stage]] = {}
    timeline: list[Stage] = []
    patience = random.choice([0.0, 0.5, 0.8, 0.95])

    def flush(rank: int) -> None:
        entries = [e for s in held.pop(rank, []) for e in s.entries]
        if not entries:
            return
        random.shuffle(entries)
        groups = [[e] for e in entries if e[0].only_singly()]
        several = [e for e in entries if not e[0].only_singly()]
        groups += [several] if several else []
        for group in groups:
            alone = group[0][0].only_singly()
            how = random.choice(["WAIT", "TEST"] if alone else HOWS)
            if how == "LOOKS" and any(p.persistent() for p, _ in group):
                how = "TEST"  # MPI_Request_get_status of MPICH 5.0.2 makes persistent requests inactive
            profiled = taste.has("pmpi") and random.random() < 0.06
            timeline.append(Stage(None, [(rank, ())], True, how, profiled, group))

    for stage in plain:
        if stage.done:
            rank = stage.ops[0][0]
            held.setdefault(rank, []).append(stage)
            if random.random() > patience:
                flush(rank)
            continue
        for rank, _ in stage.ops:  # the next stage of a pattern needs this completion
            if any(stage.pattern is p for s in held.get(rank, []) for p, _ in s.entries):
                flush(rank)
        timeline.append(stage)
    for rank in sorted(held):
        flush(rank)
    return timeline


def free_early(random: Random, comms: list[Comm], timeline: list[Stage]) -> None:
    for comm in comms:
        last = max((i for i, s in enumerate(timeline) if not s.done and s.pattern.comm is comm), default=None)
        if last is None or not any(s.done and any(p.comm is comm for p, _ in s.entries) for s in timeline[last:]):
            continue
        comm.freed_early = True
        timeline[last + 1 : last + 1] = Freeing(comm).stages(random)
