"""Files: collective accesses through views, and accesses of single ranks.

The first step writes a part of the file, without holes. Later steps read within that part, or
write some of it again. Each rank keeps an image of this part, and so knows each byte.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from random import Random

import layouts
from layouts import Unit, random_unit
from scenario import Comm, Pattern, Side, Stage, Taste, flattened, some_side
from views import Division, View, dense, divided, pieces, random_view, subarray, touching


@dataclass
class Share:
    """What one rank does in a step: `bytes` of its stream, from byte `start` on."""

    start: int
    bytes: int
    unit: Unit
    side: Side


@dataclass
class Step:
    """Accesses by all ranks at one time."""

    writes: bool
    views: dict[int, View]
    shares: dict[int, Share]
    id: int
    how: str  # pointer, explicit
    together: bool  # collective
    split: bool
    fresh: bool  # sets the views also if they are set already
    after: str  # sync, barrier, "": what follows the step


class SharedFile(Pattern):
    def __init__(
        self, comm: Comm, place: str, hints: dict[str, str], low: int, high: int, steps: list[Step], always: bool, last: str
    ):
        self.comm, self.place, self.hints, self.low, self.high, self.steps = comm, place, hints, low, high, steps
        self.always = always  # also accesses of little data
        self.last = last  # delete: rank 0 deletes the file; closing: MPI_MODE_DELETE_ON_CLOSE

    def settings(self):
        return {"HEDDLE_FILES": "on"} if self.always else {}

    def involves(self):
        return set(self.comm.members)

    def stages(self, random):
        every = lambda *op: Stage(self, [(r, op) for r in self.comm.members])  # noqa: E731
        out = [every("open")]
        for k, step in enumerate(self.steps):
            out.append(every("view", k))
            if step.together:
                out.append(every("access", k))
            else:
                single = [self.stage((r, ("access", k))) for r in self.comm.members]
                random.shuffle(single)
                out += single
            out += [every("end", k), every("after", k)]
        return [*out, every("close")]

    # ---- C
    def name(self, *numbers: int) -> str:
        return "_".join(str(n) for n in (self.comm.number, self.number, *numbers))

    def sets_view(self, k: int) -> bool:
        return k == 0 or self.steps[k].fresh or self.steps[k].views is not self.steps[k - 1].views

    def pointer(self, k: int, rank: int) -> int:
        """The rank's pointer before step k, in bytes of its stream."""
        at = 0
        for j, step in enumerate(self.steps[: k + 1]):
            at = 0 if self.sets_view(j) else at
            if step.how == "pointer" and j < k:
                at = step.shares[rank].start + step.shares[rank].bytes
        return at

    def tables(self, printer) -> None:
        shown = ", ".join(f'"{text}"' for pair in self.hints.items() for text in pair)
        self_closing = int(self.last == "closing")
        head = f'"{self.place}", {self.number}, {self.low}, {self.high}, {self_closing}, {{{shown or 0}}}'
        printer.declare(f"static struct shared_file f{self.name()} = {{{head}}};")
        for k, step in enumerate(self.steps):
            rows = []
            for rank in self.comm.members:
                view, share = step.views[rank], step.shares[rank]
                walker, extent = printer.walker(view.layout), view.layout.extent
                rows.append(f"{{{walker}, {extent}, {view.period}, {view.at}, {share.start}, {share.bytes}}}")
                name = self.name(k, rank)
                low, high = share.side.spread()
                printer.area(f"A{name}", low, high, share.side.by_mpi)
                printer.parts(f"P{name}", [(share.side.layout, share.side.count, 0, step.id, share.bytes)])
                printer.variable(f"t{name}")
                printer.variable(f"t{name}v")
            printer.declare(f"static const struct place V{self.name(k)}[] = {{{', '.join(rows)}}};")

    def emit(self, op, rank, printer):
        self.tables(printer)
        file, comm = f"f{self.name()}", self.comm.name
        if op[0] == "open":
            return [f"open_file(&{file}, {comm}); /* file {self.number} */"]
        if op[0] == "close":
            return [f"close_file(&{file}, {comm});"]
        step = self.steps[op[1]]
        if op[0] == "view":
            return self.view(op[1], rank, printer)
        if op[0] == "after":
            return self.after_step(step, rank, printer)
        if op[0] == "access":
            return [*self.begin(op[1], rank, printer), *([] if step.split else self.end(op[1], rank, printer))]
        return self.end(op[1], rank, printer) if step.split else []

    def filetype(self, view: View) -> Side:
        return Side(view.layout, 1, view.keep)

    def view(self, k: int, rank: int, printer) -> list[str]:
        view, t = self.steps[k].views[rank], f"t{self.name(k, rank)}v"
        if not self.sets_view(k):
            return []
        side = self.filetype(view)
        return [
            *printer.make(side, t),
            f'OK(MPI_File_set_view(f{self.name()}.handle, {view.at}, {view.etype}, {t}, "native", MPI_INFO_NULL));',
            *printer.unmake(side, t, "directly"),
        ]

    def call(self, step: Step, end: str = "") -> str:
        at = "_at" if step.how == "explicit" else ""
        return f"MPI_File_{'write' if step.writes else 'read'}{at}{'_all' if step.together else ''}{end}"

    def begin(self, k: int, rank: int, printer) -> list[str]:
        step, file, name = self.steps[k], f"f{self.name()}", self.name(k, rank)
        view, share = step.views[rank], step.shares[rank]
        lines = []
        if step.writes:
            lines.append(f"store(&{file}, V{self.name(k)}, {len(self.comm.members)}, {step.id}u + 8 * round);")
        if not step.together and share.bytes == 0:
            return lines
        start = share.start // view.etype_bytes
        at = f"{start}, " if step.how == "explicit" else ""
        if step.how == "pointer" and self.pointer(k, rank) != share.start:
            lines.append(f"OK(MPI_File_seek({file}.handle, {start}, MPI_SEEK_SET));")
        place = f"V{self.name(k)}[{self.comm.rank(rank)}]"
        lines.append(f"hand_over(&{file}, &A{name}, P{name}, &{place});" if step.writes else f"blank(&A{name});")
        lines += printer.make(share.side, f"t{name}")
        call, status = (self.call(step, "_begin"), "") if step.split else (self.call(step), ", &status")
        lines.append(
            f"OK({call}({file}.handle, {at}A{name}.base, {share.side.count}, t{name}{status})); /* {share.bytes} bytes */"
        )
        lines += printer.unmake(share.side, f"t{name}", "directly")
        return lines if step.split else ["MPI_Status status;", *lines]

    def end(self, k: int, rank: int, printer) -> list[str]:
        step, file, name = self.steps[k], f"f{self.name()}", self.name(k, rank)
        view, share = step.views[rank], step.shares[rank]
        if not step.together and share.bytes == 0:
            return []
        lines = []
        if step.split:
            lines = ["MPI_Status status;", f"OK({self.call(step, '_end')}({file}.handle, A{name}.base, &status));"]
        what = f'"{self.call(step)[9:]} of step {k} on file {self.number}"'
        lines.append(f"take_back(&{file}, &A{name}, P{name}, &V{self.name(k)}[{self.comm.rank(rank)}], {what});")
        plain = share.unit.plain and share.bytes > 0
        basic, elements = (share.unit.basics[0], share.bytes // share.unit.bytes) if plain else ("MPI_BYTE", -1)
        lines.append(f"expect_moved(&status, {share.bytes}, {basic}, {elements}, {what});")
        after = share.start + share.bytes if step.how == "pointer" else self.pointer(k, rank)
        lines.append(f"expect_pointer(&{file}, {after // view.etype_bytes}, {what});")
        if share.side.fresh:
            lines.append(f"drop(&A{name});")
        lines += printer.unmake(share.side, f"t{name}", "done")
        return lines

    def after_step(self, step: Step, rank: int, printer) -> list[str]:
        file, comm = f"f{self.name()}", self.comm.name
        lines = [f"OK(MPI_File_sync({file}.handle));"] * (step.after == "sync")
        lines += [f"OK(MPI_Barrier({comm}));"] * (step.after != "")
        lines += [f"OK(MPI_File_sync({file}.handle));"] * (step.after == "sync")
        k = next(i for i, s in enumerate(self.steps) if s is step)
        if self.sets_view(k):  # the view keeps its type
            lines += printer.unmake(self.filetype(step.views[rank]), f"t{self.name(k, rank)}v", "done")
        return lines

    def finish(self, printer):
        self.tables(printer)
        lines = []
        for k, step in enumerate(self.steps):
            for rank in self.comm.members:
                name = self.name(k, rank)
                lines.append(f"drop(&A{name});")
                for side, t in ((step.shares[rank].side, f"t{name}"), (self.filetype(step.views[rank]), f"t{name}v")):
                    if side.keep == "kept" and not side.layout.basic:
                        lines.append(f"if ({t} != MPI_DATATYPE_NULL) OK(MPI_Type_free(&{t}));")
        return lines

    # ---- shrinking
    # The stages have the numbers of the steps, so a step that is left out becomes an empty one.
    def simpler(self):
        def empty(k):
            def change():
                step = self.steps[k]
                if all(s.bytes == 0 for s in step.shares.values()):
                    raise ValueError
                nothing = {
                    r: replace(s, start=0, bytes=0, side=Side(layouts.basic("MPI_BYTE"), 0)) for r, s in step.shares.items()
                }
                views = {r: dense("MPI_BYTE", 0) for r in step.views}
                self.steps[k] = replace(step, shares=nothing, views=views, together=False, split=False, fresh=False)

            return change

        def plain():
            if not self.hints and not any(s.split or s.fresh for s in self.steps):
                raise ValueError
            self.hints = {}
            self.steps = [replace(s, split=False, fresh=False) for s in self.steps]

        def simple_memory():
            for step in self.steps:
                for share in step.shares.values():
                    share.side = flattened(share.unit, share.bytes // share.unit.bytes) or share.side

        for k in range(len(self.steps)):
            yield empty(k)
        yield plain
        yield simple_memory


# ---- random files
def random_hints(random: Random, mpi: str) -> dict[str, str]:
    some = {
        "cb_nodes": random.choice(["1", "2", "3", "4"]),
        "cb_buffer_size": random.choice(["65536", "100000", "262144", "1048576"]),
        "striping_unit": random.choice(["512", "4096", "5000", "65536"]),
    }
    if mpi == "mpich" and random.random() < 0.15:
        some["romio_cb_write"] = random.choice(["enable", "disable", "automatic"])
        some["romio_cb_read"] = random.choice(["enable", "disable", "automatic"])
    return {name: value for name, value in some.items() if name.startswith("romio") or random.random() < 0.4}


def memory(random: Random, taste: Taste, etype: str, size: int) -> tuple[Unit, Side]:
    """Memory of `size` bytes. MPI_BYTE in the file stands for all types."""
    if size == 0:
        return Unit(["MPI_BYTE"]), Side(layouts.basic("MPI_BYTE"), 0)
    for _ in range(20):
        unit = Unit([etype])
        if etype == "MPI_BYTE":
            other = random_unit(random, taste.mpi)
            unit = other if size % other.bytes == 0 and size // other.bytes < 60_000 else unit
        n = size // unit.bytes
        what = random.random()
        side = None
        if what < 0.3 or n > 150_000:
            side = flattened(unit, n)
        elif what < 0.5 and unit.bytes == layouts.basic(unit.basics[0]).extent:
            side = ghosted(random, unit, n)
        side = side or some_side(random, taste, unit, n)
        if taste.mpi != "mpich" or sound(side, size):
            return unit, side
    return Unit([etype]), Side(layouts.basic(etype), size // layouts.BASIC[etype][0])


def sound(side: Side, size: int) -> bool:
    """False for types that MPICH 5.0.2 alone gets wrong: it fails if a part of a type begins where
    the one before ends, and it ignores the lower bound of data without holes."""
    return not touching(side.layout.walk)[2] and (side.layout.low == 0 or side.layout.extent != size // side.count)


def ghosted(random: Random, unit: Unit, n: int) -> Side:
    """The inner points of an array with ghost cells."""
    rows, columns = layouts.split_up(random, n)
    low, high, left, right = (random.randint(0, 3) for _ in range(4))
    cell = layouts.basic(unit.basics[0])
    sizes, starts = [low + rows + high, left + columns + right], [low, left]
    return Side(subarray(random, cell, sizes, [rows, columns], starts), 1, random.choice(["kept", "done"]))


class Maker:
    def __init__(self, random: Random, taste: Taste, comm: Comm, etype: str, new_id, low: int, size: int):
        self.random, self.taste, self.comm, self.etype = random, taste, comm, etype
        self.new_id, self.low, self.size = new_id, low, size

    def step(self, writes: bool, views, parts: dict[int, tuple[int, int]], together: bool = True) -> Step:
        """parts: the first byte, and the number of bytes, of each rank's stream."""
        random = self.random
        shares = {}
        for rank, (start, n) in parts.items():
            unit, side = memory(random, self.taste, views[rank].etype, n)
            shares[rank] = Share(start, n, unit, side)
        split = together and self.taste.mpi == "mpich" and random.random() < 0.25  # Open MPI 5.0.11 alone hangs
        how = random.choice(["pointer", "explicit"])
        after = random.choice(["sync", "sync", "barrier"])
        return Step(writes, views, shares, self.new_id(), how, together, split, random.random() < 0.1, after)

    def whole(self, writes: bool, division: Division) -> list[Step]:
        """All bytes of a division, in one access or in several."""
        cuts = [0, division.periods]
        if division.periods > 1 and self.random.random() < 0.4:
            cuts.insert(1, self.random.randint(1, division.periods - 1))
        out = []
        for a, b in itertools.pairwise(cuts):
            share = {r: n // division.periods for r, n in division.bytes.items()}
            out.append(self.step(writes, division.views, {r: (a * n, (b - a) * n) for r, n in share.items()}))
        return out

    def some(self, writes: bool, division: Division, together: bool) -> Step:
        """A part of a division. Some ranks access nothing."""
        parts = {}
        for rank, n in division.bytes.items():
            e = division.views[rank].etype_bytes
            a, b = sorted(self.random.randint(0, n // e) for _ in range(2))
            a = 0 if self.random.random() < 0.5 else a
            b = a if self.random.random() < 0.15 else b
            parts[rank] = (a * e, (b - a) * e)
        return self.step(writes, division.views, parts, together)

    def any_division(self) -> Division:
        random = self.random
        etype = random.choice([self.etype, self.etype, "MPI_BYTE"])
        e = layouts.BASIC[self.etype][0]
        cut = random.choice([0, 0, random.randint(0, self.size // e // 2)]) * e
        return divided(random, self.comm.members, etype, self.low + cut, self.size - cut)

    def reading(self) -> list[Step]:
        random = self.random
        what = random.random()
        if what < 0.4:
            return self.whole(False, self.any_division())
        if what < 0.55:
            return [self.some(False, self.any_division(), random.random() < 0.7)]
        seen = {r: random_view(random, self.etype, self.low, self.size) for r in self.comm.members}
        division = Division({r: v for r, (v, _) in seen.items()}, {r: n for r, (_, n) in seen.items()}, 1)
        if random.random() < 0.5:
            return self.whole(False, division)
        return [self.some(False, division, random.random() < 0.6)]

    def writing(self) -> list[Step]:
        random = self.random
        what = random.random()
        if what < 0.55:
            return self.whole(True, self.any_division())
        if what < 0.75:
            return [self.some(True, self.any_division(), True)]
        # One rank's write through a view with holes may also write the bytes between.
        alone = pieces(random, self.comm.members, self.etype, self.low, self.size)
        return [self.some(True, alone, False)]


def random_file(random: Random, taste: Taste, comm: Comm, new_id) -> SharedFile:
    etype = random.choice(["MPI_BYTE", "MPI_SHORT", "MPI_INT", "MPI_INT", "MPI_FLOAT", "MPI_DOUBLE", "MPI_DOUBLE"])
    low, high = (270_000, 2_000_000) if random.random() < 0.65 and taste.has("large") else (300, 200_000)
    size = int(low * (high / low) ** random.random())
    size -= size % 240
    at = random.choice([0, 0, 8, 1000, 4096, random.randint(1, 9999)])
    while True:
        first = divided(random, comm.members, etype, at, size)
        covered = sum(first.bytes.values())
        if covered >= 240:
            break
    maker = Maker(random, taste, comm, etype, new_id, at, covered)
    steps = maker.whole(True, first)
    for _ in range(random.randint(1, 4)):
        steps += maker.reading() if random.random() < 0.6 else maker.writing()
    steps += maker.reading()
    for step, following in itertools.pairwise(steps):
        if not step.writes and not following.writes and random.random() < 0.4:
            step.after = ""  # nothing conflicts
        if step.writes and not following.writes and step.views is following.views:
            step.after = random.choice([step.after, ""])
    place = random.choice(["/dev/shm", "/dev/shm", "/dev/shm", ""])
    last = random.choice(["delete", "delete", "closing"])
    return SharedFile(comm, place, random_hints(random, taste.mpi), at, at + covered, steps, random.random() < 0.5, last)
