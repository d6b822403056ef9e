"""Collectives, neighbour collectives among them: blocking, MPI_I*, and MPI_*_init."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from layouts import Unit, listed, random_unit, tree
from scenario import Comm, Pattern, Side, Stage, Taste, some_bytes, some_side, some_units


@dataclass
class Blocks:
    """A buffer of a collective: a block for (or from) each peer, and the call's arguments."""

    sides: list[Side]  # one for each block; the same side for all if the call has a single type
    at: list[int]  # bytes from the buffer's address
    displacements: list[int]  # the arguments of the call
    count: int = 0  # for calls with one count for all
    low: int = 0
    high: int = 0

    def measure(self) -> Blocks:
        spans = [(a + s.spread()[0], a + s.spread()[1]) for a, s in zip(self.at, self.sides, strict=False)]
        self.low, self.high = min([0, *(a for a, _ in spans)]), max([0, *(b for _, b in spans)])
        return self


def uniform(side: Side, peers: int) -> Blocks:
    return Blocks([side] * peers, [i * side.count * side.layout.extent for i in range(peers)], [], side.count).measure()


def one_type(random: Random, side: Side, counts: list[int]) -> Blocks:
    """Blocks of one type, in any order, with gaps between them."""
    order = list(range(len(counts)))
    if random.random() < 0.5:
        random.shuffle(order)
    displacements = [0] * len(counts)
    at = random.choice([0, 0, 1, 3])
    for i in order:
        displacements[i] = at
        at += counts[i] + random.choice([0, 0, 1, 2])
    sides = [Side(side.layout, n, side.keep, side.commit_by) for n in counts]
    return Blocks(sides, [d * side.layout.extent for d in displacements], displacements).measure()


def own_types(random: Random, sides: list[Side]) -> Blocks:
    at, places = 0, []
    for side in sides:
        low, high = side.spread()
        at += -low + random.choice([0, 8, 64])
        at += -at % 16
        places.append(at)
        at += high
    return Blocks(sides, places, places).measure()


@dataclass
class Ends:
    """The arguments of one rank."""

    send: Blocks | None
    receive: Blocks | None
    send_ids: list[int] = field(default_factory=list)
    receive_ids: list[int] = field(default_factory=list)
    in_place: bool = False


class Collective(Pattern):
    def __init__(
        self, comm: Comm, name: str, form: str, ends: list[Ends], root: int, unit: Unit, cycles: int, keep: str, by: str
    ):
        self.comm, self.name, self.form, self.ends, self.root = comm, name, form, ends, root
        self.unit, self.cycles, self.keep, self.by = unit, cycles, keep, by
        self.requests = 0 if form == "" else 1

    def involves(self):
        return set(self.comm.members)

    def only_singly(self):
        return self.form == "_init"  # MPICH 5.0.2 never sets these statuses. Calls for several requests then report errors

    def stages(self, random):
        ranks = self.comm.members
        every = lambda op: Stage(self, [(r, op) for r in ranks])  # noqa: E731
        if self.form == "":
            return [every(("call", 0))]
        out = [every(("init",))] if self.form == "_init" else []
        for cycle in range(self.cycles):
            out.append(every(("start" if self.form == "_init" else "call", cycle)))
            done = [self.completing(random, r, ("done", cycle)) for r in ranks]
            random.shuffle(done)
            out += done
        if self.form == "_init":
            out += [self.stage((r, ("free",))) for r in ranks]
        return out

    # ---- C
    def declare(self, i: int, printer) -> str:
        e = self.ends[i]
        base = f"{self.comm.number}_{self.number}_{i}"
        for which, blocks, ids in (("s", e.send, e.send_ids), ("r", e.receive, e.receive_ids)):
            if not blocks:
                continue
            printer.area(f"A{base}{which}", blocks.low, blocks.high, False)
            rows = [
                (s.layout, s.count, at, id_, s.units * self.unit.bytes)
                for s, at, id_ in zip(blocks.sides, blocks.at, ids, strict=False)
            ]
            printer.parts(f"P{base}{which}", rows)
            if e.in_place and which == "r":
                rows = [
                    (s.layout, s.count, at, id_, s.units * self.unit.bytes)
                    for s, at, id_ in zip(blocks.sides, blocks.at, e.send_ids, strict=False)
                ]
                printer.parts(f"Q{base}", [r for r in rows if r[3]])
            printer.declare(f"static MPI_Datatype y{base}{which}[{max(1, len(self.types(blocks)))}];")
        return base

    def types(self, blocks: Blocks) -> list[Side]:
        return blocks.sides if self.name.endswith("w") else blocks.sides[:1]

    def arguments(self, i: int, which: str, base: str, printer) -> str:
        e = self.ends[i]
        blocks = e.send if which == "s" else e.receive
        v, w = self.name.endswith("v"), self.name.endswith("w")
        if which == "s":
            v = v and ("Alltoall" in self.name or "alltoall" in self.name or self.name == "Scatterv")
        else:
            v = v and self.name != "Scatterv"
        if e.in_place and which == "s" and self.name != "Scatter" and self.name != "Scatterv":
            return "MPI_IN_PLACE" + (
                ", NULL, NULL, NULL" if w else ", NULL, NULL, MPI_DATATYPE_NULL" if v else ", 0, MPI_DATATYPE_NULL"
            )
        if e.in_place and which == "r" and self.name in ("Scatter", "Scatterv"):
            return "MPI_IN_PLACE, 0, MPI_DATATYPE_NULL"
        if not blocks:  # this rank's arguments have no meaning
            return "NULL" + (", NULL, NULL, MPI_DATATYPE_NULL" if v else ", 0, MPI_DATATYPE_NULL")
        a, y = f"A{base}{which}.base", f"y{base}{which}"
        if v or w:
            counts = [s.count for s in blocks.sides]
            printer.declare(f"static const int n{base}{which}[] = {{{listed(counts) or 0}}};")
            kind = "MPI_Aint" if self.name == "Neighbor_alltoallw" else "int"
            printer.declare(f"static const {kind} d{base}{which}[] = {{{listed(blocks.displacements) or 0}}};")
            return f"{a}, n{base}{which}, d{base}{which}, {y}" + ("" if w else "[0]")
        return f"{a}, {blocks.count}, {y}[0]"

    def call(self, i: int, base: str, printer) -> list[str]:
        e = self.ends[i]
        out = []
        for which, blocks in (("s", e.send), ("r", e.receive)):
            if blocks:
                for k, side in enumerate(self.types(blocks)):
                    made = printer.make(Side(side.layout, 1, "done", side.commit_by), f"y{base}{which}[{k}]")
                    out += made
                if not self.types(blocks) and not self.name.endswith("w"):
                    out.append(f"y{base}{which}[0] = MPI_BYTE;")
        name = {"": self.name, "I": "I" + self.name[0].lower() + self.name[1:], "_init": self.name + "_init"}[self.form]
        end = f"{self.comm.name}"
        if self.form == "_init":
            end += ", MPI_INFO_NULL"
        if self.form:
            end += f", &q[{self.first_request}]"
        if self.name == "Bcast":
            b = e.send or e.receive
            which = "s" if e.send else "r"
            text = f"A{base}{which}.base, {b.count}, y{base}{which}[0], {self.root}, {end}"
        else:
            root = f"{self.root}, " if self.name in ("Gather", "Gatherv", "Scatter", "Scatterv") else ""
            text = f"{self.arguments(i, 's', base, printer)}, {self.arguments(i, 'r', base, printer)}, {root}{end}"
        out.append(f"OK({self.by}{name}({text}));")
        if self.keep == "directly" and self.form:
            out += self.free(i, base)
        return out

    def free(self, i: int, base: str) -> list[str]:
        e = self.ends[i]
        out = []
        for which, blocks in (("s", e.send), ("r", e.receive)):
            if blocks:
                out += [
                    f"OK(MPI_Type_free(&y{base}{which}[{k}]));" for k, s in enumerate(self.types(blocks)) if not s.layout.basic
                ]
        return out

    def prepare(self, i: int, base: str, c: int) -> list[str]:
        e = self.ends[i]
        out = []
        if e.send:
            out.append(f"fill(&A{base}s, P{base}s, {len(e.send.sides)}, 8 * round + {c});")
        if e.receive and e.in_place:
            kept = sum(1 for id_ in e.send_ids if id_)
            out.append(f"fill(&A{base}r, Q{base}, {kept}, 8 * round + {c});")
        elif e.receive:
            out.append(f"blank(&A{base}r);")
        return out

    def look(self, i: int, base: str, c: int) -> list[str]:
        e = self.ends[i]
        out = []
        for which, blocks in (("s", e.send), ("r", e.receive)):
            if blocks:
                what = f"MPI_{self.name}{self.form} {self.number}, {'sent' if which == 's' else 'received'}"
                out.append(f'check(&A{base}{which}, P{base}{which}, {len(blocks.sides)}, 8 * round + {c}, "{what}");')
        if self.form == "" or (self.keep != "directly" and self.form == "I"):
            out += self.free(i, base)
        return out

    def emit(self, op, rank, printer):
        i = self.comm.members.index(rank)
        base = self.declare(i, printer)
        match op[0]:
            case "call":
                out = self.prepare(i, base, op[1]) + self.call(i, base, printer)
                return out + (self.look(i, base, op[1]) if self.form == "" else [])
            case "init":
                e = self.ends[i]
                out = [f"blank(&A{base}{which});" for which, b in (("s", e.send), ("r", e.receive)) if b]
                return out + self.call(i, base, printer)
            case "start":
                return [*self.prepare(i, base, op[1]), f"OK(MPI_Start(&q[{self.first_request}]));"]
            case "free":
                out = [f"OK(MPI_Request_free(&q[{self.first_request}]));"]
                return out + (self.free(i, base) if self.keep != "directly" else [])
        raise ValueError(op)

    def requests_of(self, op, rank):
        return [0]

    def after(self, op, rank, printer):
        i = self.comm.members.index(rank)
        gone = [f'gone(q[{self.first_request}], "MPI_I{self.name.lower()}");'] if self.form == "I" else []
        return gone + self.look(i, self.declare(i, printer), op[1])

    def finish(self, printer):
        out = []
        for i, e in enumerate(self.ends):
            base = self.declare(i, printer)
            out += [f"drop(&A{base}{which});" for which, b in (("s", e.send), ("r", e.receive)) if b]
        return out

    def simpler(self):
        def unformed():
            if not self.form:
                raise ValueError
            raise ValueError  # its stages would have to be removed, too

        def kept():
            if self.keep == "kept":
                raise ValueError
            self.keep = "kept"

        yield kept


NAMES = [
    "Bcast",
    "Gather",
    "Gatherv",
    "Scatter",
    "Scatterv",
    "Allgather",
    "Allgatherv",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Alltoallv",
    "Alltoallw",
    "Alltoallw",
]
NEIGHBOUR_NAMES = ["Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw"]


def random_collective(random: Random, taste: Taste, comm: Comm, new_id) -> Collective:
    size = len(comm.members)
    neighbours = bool(comm.sources)
    name = random.choice(NEIGHBOUR_NAMES if neighbours and random.random() < 0.8 else NAMES)
    form = random.choice(["", "", "I", "I", "_init" if taste.has("persistent_collectives") else ""])
    cycles = random.choice([1, 2, 3]) if form == "_init" else 1
    unit = random_unit(random, taste.mpi)
    while not unit.plain and random.random() < 0.7:
        unit = random_unit(random, taste.mpi)
    cap = 4000 if not unit.plain else 300_000
    vector = name[-1] in "vw"
    chunk = 12 if name.endswith("v") else 1
    root = random.randrange(size)
    peers = range(size)
    keep = "directly" if taste.has("early_type_free") and random.random() < 0.3 else "kept"
    if form == "_init" and taste.mpi == "openmpi":
        keep = "kept"  # Open MPI 5.0.11 crashes in a persistent collective whose types have been freed
    if name.startswith("Neighbor") and not taste.has("neighbour_type_free"):
        keep = "kept"
    by = "PMPI_" if taste.has("pmpi") and random.random() < 0.05 else "MPI_"
    symmetric = vector and "lltoall" in name and not neighbours and taste.has("in_place") and random.random() < 0.15
    in_place = taste.has("in_place") and not name.startswith("Neighbor") and name != "Bcast" and random.random() < 0.2
    if vector and "lltoall" in name:
        in_place = symmetric

    base = some_units(random, unit, some_bytes(random, taste, cap))

    def units() -> int:
        n = base
        if vector:
            what = random.random()
            n = 0 if what < 0.15 else base if what < 0.6 else some_units(random, unit, some_bytes(random, taste, cap))
        return -(-n // chunk) * chunk

    def side(n: int) -> Side:
        made = some_side(random, taste, unit, n)
        low = made.layout.lb
        # Blocks an extent apart must not overlap.
        if made.count > 0 and (made.layout.low < low or made.layout.high > made.layout.ub):
            grain = 1 if taste.mpi == "openmpi" else 0
            made = Side(tree(random, unit, n, 2, grain).settle(), 1)
        made.keep = "done"
        return made

    def element() -> Side:
        m = random.choice([1, 1, 2, 3, 4, 6, 12])
        grain = 1 if taste.mpi == "openmpi" else int(random.random() < 0.7)
        return Side(tree(random, unit, m, random.randint(0, 2), grain).settle(), 1, "done")

    def volumes(ns: list[int]) -> Blocks:
        e = element()
        return one_type(random, e, [n // e.layout.units for n in ns])

    ids: dict[tuple, int] = {}

    def id_of(*key) -> int:
        if key not in ids:
            ids[key] = new_id()
        return ids[key]

    ends: list[Ends] = []
    if name == "Bcast":
        for i in peers:
            one = uniform(side(base), 1)
            ends.append(Ends(one, None, [id_of(root)]) if i == root else Ends(None, one, [], [id_of(root)]))
    elif name.startswith("Neighbor"):
        sources, targets = comm.sources, comm.targets
        gather = "allgather" in name
        n_of = {}
        for i in peers:
            own = units()
            for j in targets[i]:
                n_of[i, j] = own if gather else units()
                if not vector:
                    n_of[i, j] = base
            n_of[i, i, "own"] = own if vector else base
        for i in peers:
            into, out = sources[i], targets[i]
            if gather:
                send = uniform(side(n_of[i, i, "own"]), 1)
                send_ids = [id_of(i)]
            else:
                ns = [0 if j < 0 else n_of[i, j] for j in out]
                send = (
                    volumes(ns)
                    if name.endswith("v")
                    else own_types(random, [side(n) for n in ns])
                    if vector
                    else uniform(side(base), len(out))
                )
                send_ids = [id_of(i, j) for j in out]
            ns = [0 if j < 0 else n_of[j, i] for j in into]
            if name.endswith("v"):
                receive = volumes(ns)
            elif vector:
                receive = own_types(random, [side(n) for n in ns])
            else:
                receive = uniform(side(base), len(into))
            receive_ids = [id_of(j) if gather else id_of(j, i) for j in into]
            e = Ends(send, receive, send_ids, receive_ids)
            drop_void(e, into, out, gather, vector)
            ends.append(e)
    elif name in ("Gather", "Gatherv", "Scatter", "Scatterv"):
        ns = [units() if vector else base for _ in peers]
        gather = name.startswith("G")
        for i in peers:
            one = uniform(side(ns[i]), 1)
            many = None
            if i == root:
                many = volumes(ns) if vector else uniform(side(base), size)
            all_ids = [id_of(j) for j in peers]
            if gather:
                e = Ends(one, many, [id_of(i)], all_ids if many else [])
            else:
                e = Ends(many, one, all_ids if many else [], [id_of(i)])
            if i == root and in_place:
                e.in_place = True
                if gather:
                    e.send, e.send_ids = None, [id_of(j) if j == i else 0 for j in peers]
                else:
                    e.receive, e.receive_ids = None, []
            ends.append(e)
    elif "llgather" in name:
        ns = [units() if vector else base for _ in peers]
        for i in peers:
            many = volumes(ns) if vector else uniform(side(base), size)
            e = Ends(uniform(side(ns[i]), 1), many, [id_of(i)], [id_of(j) for j in peers])
            if in_place:
                e.in_place, e.send, e.send_ids = True, None, [id_of(j) if j == i else 0 for j in peers]
            ends.append(e)
    else:
        n_of = {(i, j): units() if vector else base for i in peers for j in peers}
        if in_place:
            n_of = {(i, j): n_of[min(i, j), max(i, j)] for i, j in n_of}
        for i in peers:

            def blocks(ns):
                return (
                    volumes(ns)
                    if name.endswith("v")
                    else own_types(random, [side(n) for n in ns])
                    if vector
                    else uniform(side(base), size)
                )

            send = None if in_place else blocks([n_of[i, j] for j in peers])
            receive = blocks([n_of[j, i] for j in peers])
            ends.append(Ends(send, receive, [id_of(i, j) for j in peers], [id_of(j, i) for j in peers], in_place))
    return Collective(comm, name, form, ends, root, unit, cycles, keep, by)


def drop_void(e: Ends, into: list[int], out: list[int], gather: bool, vector: bool) -> None:
    """Removes blocks of MPI_PROC_NULL, which are not written. Their room stays in the buffer."""
    for blocks, who in ((e.receive, into), (None if gather else e.send, out)):
        if blocks:
            for k, j in enumerate(who):
                if j < 0 and not vector:
                    blocks.sides[k] = Side(blocks.sides[k].layout, 0, "done")
