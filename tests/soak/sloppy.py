"""Calls that MPI forbids, or that few programs make. All libraries support them (see sloppy.c)."""

from __future__ import annotations

from random import Random

from scenario import Comm, Pattern, Taste

# Functions of sloppy.c, and the features by which --without leaves them out.
PAIRS = {
    "overlapping": "overlapping",
    "freed_receive": "freed_receives",
    "remapped": "remapped",
    "cancelled_send": "cancel",
    "locked": "locked",
    "roomy": "room",
}
GROUPS = {"wrong_half": "wrong_arguments", "handled": "wrong_arguments", "leave": "disconnect"}


class Sloppy(Pattern):
    """A function of sloppy.c. Some ranks of a communicator call it at the same time."""

    def __init__(self, comm: Comm, ranks: list[int], function: str, arguments: list[int]):
        self.comm, self.ranks, self.function, self.arguments = comm, ranks, function, arguments

    def involves(self):
        return set(self.ranks)

    def stages(self, random):
        return [self.stage(*((rank, ("call",)) for rank in self.ranks))]

    def emit(self, op, rank, printer):
        return [f"{self.function}({', '.join([self.comm.name, *map(str, self.arguments)])});"]


def random_sloppy(random: Random, taste: Taste, comm: Comm, tag: int, threaded: bool) -> Sloppy | None:
    """Draws a function. None: the communicator has too few ranks, or all functions are left out."""
    pairs = [f for f, feature in PAIRS.items() if taste.has(feature)] if len(comm.members) > 1 else []
    groups = [f for f, feature in GROUPS.items() if taste.has(feature)]
    if not pairs + groups:
        return None
    function = random.choice(pairs + groups)
    ints = random.choice([1, 40, 1000, 5000, 20_000, 100_000])
    tag += 1000  # no other pattern uses these tags
    if function in groups:
        arguments = {
            "wrong_half": [tag, ints],
            # The truncation changes the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF, which
            # all threads use.
            "handled": [ints, int(taste.has("truncation") and not threaded)],
            "leave": [min(ints, 20_000), random.randrange(2), random.choice([0, 0, 1, 2, 3])],
        }[function]
        return Sloppy(comm, list(comm.members), function, arguments)
    source, target = random.sample(comm.members, 2)
    ends = [comm.rank(source), comm.rank(target), tag]
    holes = [random.randrange(2), random.randrange(2)]
    arguments = {
        "overlapping": [random.choice([2, 8, 64]), min(ints, 20_000), *holes, random.randrange(2)],
        "freed_receive": [ints, *holes],
        # MPI_Cancel of a short MPI_Issend crashes in MPICH 5.0.2.
        "cancelled_send": [max(ints, 20_000), random.randrange(8), random.randrange(2)],
        "remapped": [ints, random.randrange(5)],
        "roomy": [random.choice([25, ints]), random.choice([2049, 4097]), random.randrange(2), random.randrange(5)],
    }.get(function, [ints])
    return Sloppy(comm, [source, target], function, [*ends, *arguments])
