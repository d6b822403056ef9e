"""A random program: scenarios for a number of ranks."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from random import Random

from cancels import random_cancelled
from collectives import random_collective
from files import random_file
from layouts import listed
from messages import STREAM
from random_messages import random_messages
from rings import random_ring
from scenario import Comm, Pattern, Scenario, Taste, Thread, free_early, merge
from sloppy import random_sloppy
from windows import random_window


def duplicate(number: int, ranks: int) -> Comm:
    return Comm(number, list(range(ranks)), "OK(MPI_Comm_dup(MPI_COMM_WORLD, &@));")


def random_comm(random: Random, taste: Taste, number: int) -> Comm:
    n = taste.ranks
    kinds = ["dup", "split", "create_group", "cart", "dist_graph", "dist_graph"] + ["inter"] * taste.has("intercomm")
    kind = random.choice(kinds)
    if kind == "split":
        color = [random.randrange(2) for _ in range(n)]
        key = [random.randrange(10) for _ in range(n)]
        members = sorted((r for r in range(n) if color[r] == color[0]), key=lambda r: (key[r], r))
        create = f"OK(MPI_Comm_split(MPI_COMM_WORLD, (int[]){{{listed(color)}}}[me], (int[]){{{listed(key)}}}[me], &@));"
        return Comm(number, members, create)
    if kind == "create_group":
        members = random.sample(range(n), random.randint(1, n))
        create = (f"{{ MPI_Group world, some; OK(MPI_Comm_group(MPI_COMM_WORLD, &world)); OK(MPI_Group_incl(world, {len(members)}, "
                  f"(int[]){{{listed(members)}}}, &some)); OK(MPI_Comm_create_group(MPI_COMM_WORLD, some, {number % 1000}, &@)); "
                  f"OK(MPI_Group_free(&some)); OK(MPI_Group_free(&world)); }}")  # fmt: skip
        return Comm(number, members, create, everybody=False)
    if kind == "cart":
        two = n >= 4 and random.random() < 0.4
        dims = [2, 2] if two else [n]
        periods = [0, 0] if two else [int(n >= 3 and random.random() < 0.6)]
        size = math.prod(dims)
        around: list[list[int]] = []
        for r in range(size):
            at = []
            if two:
                x, y = divmod(r, 2)
                at = [r - 2 if x == 1 else -1, r + 2 if x == 0 else -1, r - 1 if y == 1 else -1, r + 1 if y == 0 else -1]
            else:
                low, high = r - 1, r + 1
                at = [low % n if periods[0] else low, high % n if periods[0] else high if high < n else -1]
            around.append(at)
        create = (
            f"OK(MPI_Cart_create(MPI_COMM_WORLD, {len(dims)}, (int[]){{{listed(dims)}}}, (int[]){{{listed(periods)}}}, 0, &@));"
        )
        return Comm(number, list(range(size)), create, sources=around, targets=around)
    if kind == "dist_graph":
        edges = [(i, j) for i in range(n) for j in range(n) if random.random() < 0.5]
        targets = [random.sample(t, len(t)) for t in ([j for i, j in edges if i == r] for r in range(n))]
        sources = [random.sample(s, len(s)) for s in ([i for i, j in edges if j == r] for r in range(n))]
        rows = []
        for r in range(n):
            s, t = (f"(int[]){{{listed(x) or 0}}}" for x in (sources[r], targets[r]))
            rows.append(f"if (me == {r}) OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, {len(sources[r])}, {s}, MPI_UNWEIGHTED, "
                        f"{len(targets[r])}, {t}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &@));")  # fmt: skip
        return Comm(number, list(range(n)), " ".join(rows), sources=sources, targets=targets)
    if kind == "inter" and n >= 2:
        left = sorted(random.sample(range(n), random.randint(1, n - 1)))
        right = [r for r in range(n) if r not in left]
        side = [int(r in right) for r in range(n)]
        create = (f"{{ MPI_Comm half; const int side = (int[]){{{listed(side)}}}[me]; OK(MPI_Comm_split(MPI_COMM_WORLD, side, me, &half)); "
                  f"OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? {left[0]} : {right[0]}, {number % 1000}, &@)); "
                  f"OK(MPI_Comm_free(&half)); }}")  # fmt: skip
        return Comm(number, left, create, remote=right)
    return duplicate(number, n)


def random_thread(
    random: Random, taste: Taste, comms: list[Comm], quiet: Comm, new_comm, new_id, threaded: bool, size: int
) -> Thread:
    patterns: list[Pattern] = []
    exclusive: list[Comm] = []
    for tag in range(1, size + 1):
        comm = random.choice(comms)
        what = random.random()
        made: Pattern
        if taste.files and not comm.remote and random.random() < 0.1:
            made = random_file(random, taste, comm, new_id)
        elif what < 0.30 and taste.has("collectives") and not comm.remote:
            made = random_collective(random, taste, comm, new_id)
        elif what < 0.38 and not comm.remote:
            made = random_ring(random, taste, comm, tag, new_id)
        elif what < 0.41 and taste.has("cancel") and not comm.remote:
            made = random_cancelled(random, taste, comm, tag, new_id)
        elif what < 0.48 and not comm.remote and (sloppy := random_sloppy(random, taste, comm, tag, threaded)):
            made = sloppy
        elif what < 0.54 and not comm.remote and taste.has("windows") and not (threaded and taste.mpi == "openmpi"):
            # Open MPI 5.0.11 alone crashes if two threads make windows at once.
            made = random_window(random, taste, comm, new_id)
        else:
            wild = taste.has("wildcards") and random.random() < 0.2 and len(exclusive) < 3
            if wild:
                comm = new_comm(True)
                exclusive.append(comm)
            made = random_messages(random, taste, comm, quiet, tag, new_id, threaded, wild)
        made.number = new_id() // STREAM
        patterns.append(made)
    thread = Thread(patterns, merge(random, patterns, taste, random.randint(1, 6)))
    return thread


def random_scenario(random: Random, taste: Taste, number: int, threads: int) -> Scenario:
    numbers = itertools.count(number * 100)
    ids = itertools.count(number * 4096 + 1)
    comms: list[Comm] = []
    quiet: list[Comm] = []

    def new_id() -> int:
        return next(ids) * STREAM

    def new_comm(duplicated: bool) -> Comm:
        n = next(numbers)
        comms.append(duplicate(n, taste.ranks) if duplicated else random_comm(random, taste, n))
        return comms[-1]

    parts = []
    for t in range(threads):
        # The MPIs alone fail if two threads access files at once: MPICH hangs, and MPI_File_sync of
        # Open MPI fails.
        own_taste = replace(taste, files=taste.files and t == 0)
        quiet.append(duplicate(next(numbers), taste.ranks))
        own = [new_comm(True)] + [new_comm(False) for _ in range(random.randint(0, 2))]
        parts.append(
            random_thread(
                random, own_taste, own, quiet[-1], new_comm, new_id, threads > 1, random.randint(1, 10 if threads > 1 else 16)
            )
        )
    rounds = random.choice([1, 2, 3])
    if taste.has("early_comm_free") and random.random() < 0.25:
        rounds = 1
        for part in parts:
            used = [c for c in comms if any(p.comm is c for p in part.patterns) and random.random() < 0.5]
            # With threads, a truncated receive on a freed communicator crashes in MPICH alone.
            if taste.mpi == "mpich" and taste.threaded:
                used = [c for c in used if not any(p.comm is c and cut_short(p) for p in part.patterns)]
            free_early(random, used, part.timeline)
    return Scenario(number, taste.ranks, comms, quiet, parts, rounds)


def cut_short(pattern: Pattern) -> bool:
    """A message of the pattern is longer than its receive."""
    return any(m.truncated for m in getattr(pattern, "messages", []))


def random_program(seed: int, mpi: str, without: set[str], scenarios: int) -> list[Scenario]:
    random = Random(f"{seed} {mpi}")
    taste = Taste(mpi, random.choice([2, 2, 2, 3, 3, 4, 5]), without)
    # Drawn apart, so that all other programs stay as they are.
    taste.files = taste.has("files") and Random(f"{seed} {mpi} files").random() < 0.25
    taste.threaded = taste.has("threads") and random.random() < 0.25
    made = []
    for number in range(scenarios):
        threads = random.randint(2, 4) if taste.threaded and random.random() < 0.5 else 1
        made.append(random_scenario(random, taste, number, threads))
    return made
