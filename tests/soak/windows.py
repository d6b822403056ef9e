"""Windows: MPI_Put, MPI_Get and MPI_Accumulate in epochs of all kinds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from layouts import random_unit
from messages import STREAM
from scenario import Comm, Pattern, Side, Stage, Taste, Unit, as_vector, flattened, some_bytes, some_side, some_units

GUARD = 256  # runtime.c


@dataclass
class Access:
    """An access by `origin` to a place of its own in the window of `target`. Both are world
    ranks."""

    call: str  # Put, Get, Rput, Rget, Accumulate
    origin: int
    target: int
    unit: Unit
    here: Side
    there: Side
    id: int
    at: int = 0  # the place of the target's side, bytes

    @property
    def bytes(self) -> int:
        return self.here.units * self.unit.bytes

    def gets(self) -> bool:
        return self.call.endswith("get") or self.call == "Get"


class Window(Pattern):
    def __init__(self, comm: Comm, kind: str, unit: int, cycles: list[tuple[str, list[Access]]]):
        self.comm, self.kind, self.unit, self.cycles = comm, kind, unit, cycles

    def involves(self):
        return set(self.comm.members)

    def stages(self, random):
        every = lambda *op: Stage(self, [(r, op) for r in self.comm.members])  # noqa: E731
        out = [every("make")]
        for cycle, _ in enumerate(self.cycles):
            out.append(every("open", cycle))
            access = [self.stage((r, ("access", cycle))) for r in self.comm.members]
            random.shuffle(access)
            out += [*access, every("close", cycle)]
        return [*out, every("free")]

    # ---- C
    def name(self, *numbers: int) -> str:
        return "_".join(str(n) for n in (self.comm.number, self.number, *numbers))

    def place(self) -> dict[int, int]:
        """Gives each access its place. Returns the end of each window."""
        end = dict.fromkeys(self.comm.members, 0)
        for _, accesses in self.cycles:
            for a in accesses:
                low, high = a.there.spread()
                a.at = end[a.target] - low + -(end[a.target] - low) % 16
                end[a.target] = a.at + max(high, 0)
        return end

    def tables(self, printer) -> None:
        for rank, end in self.place().items():
            printer.area(f"A{self.name(rank)}w", 0, end, self.kind == "create_alloc_mem")
        printer.declare(f"static MPI_Win w{self.name()} = MPI_WIN_NULL;")
        for cycle, (_, accesses) in enumerate(self.cycles):
            for rank in self.comm.members:
                mine = [a for a in accesses if a.target == rank]
                row = lambda a: (a.there.layout, a.there.count, a.at, a.id, a.bytes)  # noqa: E731
                printer.parts(f"Q{self.name(rank, cycle)}", [row(a) for a in mine if a.gets()])
                printer.parts(f"P{self.name(rank, cycle)}", [row(a) for a in mine])
            for k, a in enumerate(accesses):
                name = self.name(cycle, k)
                low, high = a.here.spread()
                printer.area(f"A{name}o", low, high, a.here.by_mpi)
                printer.parts(f"P{name}o", [(a.here.layout, a.here.count, 0, a.id, a.bytes)])
                printer.variable(f"t{name}o")
                printer.variable(f"t{name}t")

    def emit(self, op, rank, printer):
        self.tables(printer)
        window, area, comm = f"w{self.name()}", f"&A{self.name(rank)}w", self.comm.name
        if op[0] == "make":
            kind = self.kind.removesuffix("_alloc_mem").upper()
            return [f"expose({area}, BY_{kind}, {self.unit}, {comm}, &{window}); /* window {self.number} */"]
        if op[0] == "free":
            own = "drop" if self.kind.startswith("create") else "forget"
            return [f"OK(MPI_Win_free(&{window}));", f"{own}({area});"]
        sync, accesses = self.cycles[op[1]]
        passive = sync in ("lock", "lock_all")
        lock = f"OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, {self.comm.rank(rank)}, 0, {window}));" if passive else ""
        unlock = f"OK(MPI_Win_unlock({self.comm.rank(rank)}, {window}));" if passive else ""
        gets = sum(a.target == rank and a.gets() for a in accesses)
        all_of = sum(a.target == rank for a in accesses)
        mine = [(k, a) for k, a in enumerate(accesses) if a.origin == rank]
        if op[0] == "open":
            lines = [lock, f'each({area}, Q{self.name(rank, op[1])}, {gets}, 8 * round, FILL, "");', unlock]
            for k, a in mine:
                o = f"&A{self.name(op[1], k)}o"
                lines.append(f"blank({o});" if a.gets() else f"fill({o}, P{self.name(op[1], k)}o, 1, 8 * round);")
            lines.append({"fence": f"OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, {window}));",
                          "start": f"post_and_start({window});"}.get(sync, f"OK(MPI_Barrier({comm}));"))  # fmt: skip
            lines.append(f"OK(MPI_Win_lock_all(0, {window}));" if sync == "lock_all" else "")
            return [line for line in lines if line]
        if op[0] == "access":
            return [line for k, a in mine for line in self.access(op[1], k, a, sync, printer)]
        lines = {"fence": [f"OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, {window}));"],
                 "start": [f"OK(MPI_Win_complete({window}));", f"OK(MPI_Win_wait({window}));"],
                 "lock_all": [f"OK(MPI_Win_unlock_all({window}));", f"OK(MPI_Barrier({comm}));"],
                 "lock": [f"OK(MPI_Barrier({comm}));"]}[sync]  # fmt: skip
        lines = [
            *lines,
            lock,
            f'check({area}, P{self.name(rank, op[1])}, {all_of}, 8 * round, "window {self.number}, {sync}");',
            unlock,
        ]
        for k, a in mine:
            o = self.name(op[1], k)
            lines.append(f'check(&A{o}o, P{o}o, 1, 8 * round, "{a.call} {a.id // STREAM}");')
            lines += [*printer.unmake(a.here, f"t{o}o", "done"), *printer.unmake(a.there, f"t{o}t", "done")]
        return [line for line in lines if line]

    def access(self, cycle: int, k: int, a: Access, sync: str, printer) -> list[str]:
        o, window, target = self.name(cycle, k), f"w{self.name()}", self.comm.rank(a.target)
        request = a.call in ("Rput", "Rget")
        end = ", MPI_REPLACE" if a.call == "Accumulate" else ""
        unit = self.unit  # all ranks have the same
        call = (f"MPI_{a.call}(A{o}o.base, {a.here.count}, t{o}o, {target}, {(GUARD + a.at) // unit}, {a.there.count}, t{o}t{end}, "
                f"{window}{', &r' if request else ''})")  # fmt: skip
        lines = [*printer.make(a.here, f"t{o}o"), *printer.make(a.there, f"t{o}t")]
        if sync == "lock":
            how = "EXCLUSIVE" if a.id // STREAM % 2 else "SHARED"
            lines.append(f"OK(MPI_Win_lock(MPI_LOCK_{how}, {target}, 0, {window}));")
        if request:
            lines.append("MPI_Request r;")
        lines.append(f"OK({call}); /* {a.call} {a.id // STREAM}: {a.bytes} bytes */")
        if request:
            lines.append("OK(MPI_Wait(&r, MPI_STATUS_IGNORE));")
        lines += [*printer.unmake(a.here, f"t{o}o", "directly"), *printer.unmake(a.there, f"t{o}t", "directly")]
        if sync == "lock":
            lines.append(f"OK(MPI_Win_unlock({target}, {window}));")
        return ["{", *lines, "}"]

    def finish(self, printer):
        self.tables(printer)
        lines = []
        for cycle, (_, accesses) in enumerate(self.cycles):
            for k, a in enumerate(accesses):
                o = self.name(cycle, k)
                lines.append(f"drop(&A{o}o);")
                for side, which in ((a.here, "o"), (a.there, "t")):
                    if side.keep == "kept" and not side.layout.basic:
                        lines.append(f"if (t{o}{which} != MPI_DATATYPE_NULL) OK(MPI_Type_free(&t{o}{which}));")
        return lines

    def simpler(self):
        def only(sync):
            def change():
                if all(s == sync for s, _ in self.cycles):
                    raise ValueError
                self.cycles = [
                    (sync, [replace(a, call=a.call.removeprefix("R").capitalize()) for a in c]) for _, c in self.cycles
                ]

            return change

        def make(name, how):
            def change():
                for _, accesses in self.cycles:
                    for a in accesses:
                        new = how(a.unit, getattr(a, name).units)
                        if new is None:
                            raise ValueError
                        setattr(a, name, new)

            return change

        def fewer():
            if sum(len(accesses) for _, accesses in self.cycles) < 2:
                raise ValueError
            first = next(i for i, (_, accesses) in enumerate(self.cycles) if accesses)
            # The timeline names cycles by number, so all of them stay.
            self.cycles = [
                (sync, accesses[: (len(accesses) + 1) // 2] if i == first else [])
                for i, (sync, accesses) in enumerate(self.cycles)
            ]

        yield fewer
        yield only("fence")
        for name in ("here", "there"):
            yield make(name, flattened)
            yield make(name, as_vector)


def window_side(random: Random, taste: Taste, unit: Unit, n: int) -> Side:
    """Open MPI 5.0.11 alone garbles data of random types, so its types are simple."""
    if taste.mpi == "mpich":
        return some_side(random, taste, unit, n)
    side = (as_vector(unit, n) if random.random() < 0.7 else None) or flattened(unit, n)
    side.keep = random.choice(["kept", "done", "directly"] if taste.has("early_type_free") else ["kept", "done"])
    return side


def random_window(random: Random, taste: Taste, comm: Comm, new_id) -> Window:
    kind = random.choice(["create", "create", "allocate", "allocate_shared"] + ["create_alloc_mem"] * taste.has("alloc_mem"))
    cycles = []
    for _ in range(random.randint(1, 3)):
        sync = random.choice(["fence", "lock", "lock_all", "start"])
        accesses = []
        for origin in comm.members:
            for _ in range(random.choice([0, 1, 1, 2])):
                unit = random_unit(random, taste.mpi)
                while taste.mpi == "openmpi" and len(unit.basics) > 1:
                    unit = random_unit(random, taste.mpi)
                n = some_units(random, unit, some_bytes(random, taste, 200_000 if unit.plain else 6000))
                calls = ["Put", "Get"] + ["Rput", "Rget"] * (sync in ("lock", "lock_all"))
                here, there = window_side(random, taste, unit, n), window_side(random, taste, unit, n)
                call = random.choice(calls)
                if unit.basics in (["MPI_INT"], ["MPI_DOUBLE"]) and random.random() < 0.2:
                    call, here, there = "Accumulate", flattened(unit, n), flattened(unit, n)
                accesses.append(Access(call, origin, random.choice(comm.members), unit, here, there, new_id()))
        cycles.append((sync, accesses))
    return Window(comm, kind, random.choice([1, 8]), cycles)
