"""Receives that are cancelled."""

from __future__ import annotations

from random import Random

from layouts import random_unit
from messages import Message
from scenario import Comm, Pattern, Side, Taste, some_bytes, some_side, some_units


class Cancelled(Pattern):
    """A cancelled receive without a message, or a cancelled message that may already have been
    received."""

    def __init__(self, comm: Comm, source: int, target: int, message: Message | None, side: Side, tag: int):
        self.comm, self.source, self.target, self.message, self.side, self.tag = comm, source, target, message, side, tag
        self.requests = 2

    def involves(self):
        return {self.source, self.target}

    def stages(self, random):
        out = [self.stage((self.target, ("post",)))]
        if self.message:
            sent = [self.stage((self.source, ("send",))), self.stage((self.target, ("cancel",)))]
            if random.random() < 0.5:
                out.insert(0, sent[0])
                out.append(sent[1])
            else:
                out += sent
            out.append(self.completing(random, self.source, ("sent",)))
        else:
            out.append(self.stage((self.target, ("cancel",))))
        return out

    def name(self, end):
        return f"{self.comm.number}_{self.number}_{end}"

    def tables(self, printer):
        m = self.message
        for end, side in (("s", m.sent if m else None), ("r", self.side)):
            if side:
                low, high = side.spread()
                printer.area("A" + self.name(end), low, high, False)
                printer.variable("t" + self.name(end))
                printer.parts("P" + self.name(end), [(side.layout, side.count, 0, m.id if m else 0, m.bytes if m else 0)])

    def emit(self, op, rank, printer):
        self.tables(printer)
        s, r, m = self.name("s"), self.name("r"), self.message
        q = f"&q[{self.first_request}]"
        receive = f"A{r}.base, {self.side.count}, t{r}, {self.comm.rank(self.source)}, {self.tag}, {self.comm.name}"
        if op[0] == "post":
            return [f"blank(&A{r});", *printer.make(self.side, "t" + r), f"OK(MPI_Irecv({receive}, {q}));"]
        if op[0] == "send":
            ready = [f"fill(&A{s}, P{s}, 1, 8 * round);", *printer.make(m.sent, "t" + s)]
            call = f"OK(MPI_{m.send}(A{s}.base, {m.sent.count}, t{s}, {self.comm.rank(self.target)}, {self.tag}, {self.comm.name}, &q[{self.first_request + 1}]));"
            return [*ready, call, *printer.unmake(m.sent, "t" + s, "directly")]
        out = ["MPI_Status seen;", "int cancelled = -1;", f"OK(MPI_Cancel({q}));", f"OK(MPI_Wait({q}, &seen));"]
        out.append("OK(MPI_Test_cancelled(&seen, &cancelled));")
        if m:
            out.append(f"if (cancelled) OK(MPI_Recv({receive}, &seen));")
        else:
            out.append('if (!cancelled) complain("a receive of nothing was not cancelled");')
        out.append(f'check(&A{r}, P{r}, 1, 8 * round, "after MPI_Cancel");')
        return out + printer.unmake(self.side, "t" + r, "done") + printer.unmake(self.side, "t" + r, "directly")

    def requests_of(self, op, rank):
        return [1]

    def after(self, op, rank, printer):
        s = self.name("s")
        return [
            f'check(&A{s}, P{s}, 1, 8 * round, "sent to a receive that is cancelled");',
            *printer.unmake(self.message.sent, "t" + s, "done"),
        ]

    def finish(self, printer):
        self.tables(printer)
        out = []
        for end, side in (("s", self.message.sent if self.message else None), ("r", self.side)):
            if side:
                out.append(f"drop(&A{self.name(end)});")
                if side.keep == "kept" and not side.layout.basic:
                    t = "t" + self.name(end)
                    out.append(f"if ({t} != MPI_DATATYPE_NULL) OK(MPI_Type_free(&{t}));")
        return out


def random_cancelled(random: Random, taste: Taste, comm: Comm, tag: int, new_id) -> Cancelled:
    source, target = random.choice(comm.members), random.choice(comm.members)
    unit = random_unit(random, taste.mpi)
    n = some_units(random, unit, some_bytes(random, taste, 1 << 40 if unit.plain else 6000))
    side = some_side(random, taste, unit, n)
    message = None
    if random.random() < 0.6:
        message = Message(
            source,
            tag,
            unit,
            some_side(random, taste, unit, n),
            side,
            new_id(),
            random.choice(["Isend", "Issend"]),
            "Irecv",
            False,
        )
    return Cancelled(comm, source, target, message, side, tag)
