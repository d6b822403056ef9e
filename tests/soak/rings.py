"""Exchanges by MPI_Sendrecv and its relatives, around some ranks."""

from __future__ import annotations

from random import Random

from layouts import random_unit
from messages import STREAM, Message
from scenario import Comm, Pattern, Stage, Taste, as_vector, flattened, some_bytes, some_side, some_units


class Ring(Pattern):
    """MPI_Sendrecv and its relatives around some ranks, all at the same time."""

    def __init__(self, comm: Comm, around: list[int], messages: list[Message], call: str, tag: int, by: str):
        self.comm, self.around, self.messages, self.call, self.tag, self.by = comm, around, messages, call, tag, by
        self.requests = len(around) if call.startswith("I") else 0  # messages[i] goes from around[i] to the next

    def involves(self):
        return set(self.around)

    def stages(self, random):
        out = [Stage(self, [(r, ("exchange", k)) for k, r in enumerate(self.around)])]
        if self.requests:
            done = [self.completing(random, r, ("done", k)) for k, r in enumerate(self.around)]
            random.shuffle(done)
            out += done
        return out

    def names(self, i):
        return f"{self.comm.number}_{self.number}_{i}s", f"{self.comm.number}_{self.number}_{i}r"

    def tables(self, k, printer):
        out, into = self.messages[k], self.messages[k - 1]
        s, r = self.names(k)
        replaced = self.call.endswith("replace")
        for which, side, m in ((s, out.sent, out), (r, into.got, into)):
            if replaced:
                side = out.sent
            low, high = side.spread()
            if which == s or not replaced:
                printer.area("A" + which, low, high, side.by_mpi)
                printer.variable("t" + which)
            printer.parts("P" + which, [(side.layout, side.count, 0, m.id, m.bytes)])
        return out, into, s, r, replaced

    def emit(self, op, rank, printer):
        k = op[1]
        out, into, s, r, replaced = self.tables(k, printer)
        to, source = self.comm.rank(self.around[(k + 1) % len(self.around)]), self.comm.rank(self.around[k - 1])
        lines = [
            f"fill(&A{s}, P{s}, 1, 8 * round); /* message {out.id // STREAM}: {out.bytes} bytes */",
            *printer.make(out.sent, "t" + s),
        ]
        end = f"{self.comm.name}, &{'q' if self.requests else 's'}[{self.first_request + k if self.requests else 0}]"
        if replaced:
            call = f"{self.call}(A{s}.base, {out.sent.count}, t{s}, {to}, {self.tag}, {source}, {self.tag}, {end})"
        else:
            lines += [f"blank(&A{r});", *printer.make(into.got, "t" + r)]
            call = f"{self.call}(A{s}.base, {out.sent.count}, t{s}, {to}, {self.tag}, A{r}.base, {into.got.count}, t{r}, {source}, {self.tag}, {end})"
        if not self.requests:
            lines.append("MPI_Status s[1];")
            lines.append("memset(s, 0, sizeof s), s->MPI_ERROR = UNTOUCHED;")
        lines.append(f"OK({self.by}{call});")
        lines += self.types(k, printer, "directly")
        if not self.requests:
            lines += self.look("&s[0]", k, printer)
        return lines

    def types(self, k, printer, when):
        out, into, s, r, replaced = self.tables(k, printer)
        return [*printer.unmake(out.sent, "t" + s, when), *([] if replaced else printer.unmake(into.got, "t" + r, when))]

    def look(self, status, k, printer):
        out, into, s, r, replaced = self.tables(k, printer)
        what = f'"message {into.id // STREAM}"'
        lines = []
        if not self.requests:
            basic, n = (into.unit.basics[0], into.sent.units) if into.unit.plain else ("MPI_BYTE", into.bytes)
            if not replaced:  # MPICH 5.0.2 writes the message there
                lines.append(f'expect_untouched({status}, "MPI_{self.call}");')
            lines.append(
                f"expect({status}, {self.comm.rank(self.around[k - 1])}, {self.tag}, {into.bytes}, {basic}, {n}, {what});"
            )
        else:
            lines.append(f"gone(q[{self.first_request + k}], {what});")
        if replaced:
            lines.append(f"check(&A{s}, P{r}, 1, 8 * round, {what});")
        else:
            lines += [
                f"check(&A{r}, P{r}, 1, 8 * round, {what});",
                f'check(&A{s}, P{s}, 1, 8 * round, "message {out.id // STREAM}, sent");',
            ]
        return lines + self.types(k, printer, "done")

    def requests_of(self, op, rank):
        return [op[1]]

    def after(self, op, rank, printer):
        return self.look("", op[1], printer)

    def finish(self, printer):
        lines = []
        for k in range(len(self.around)):
            out, into, s, r, replaced = self.tables(k, printer)
            lines.append(f"drop(&A{s});")
            sides = [(out.sent, s)] if replaced else [(out.sent, s), (into.got, r)]
            if not replaced:
                lines.append(f"drop(&A{r});")
            for side, which in sides:
                if side.keep == "kept" and not side.layout.basic:
                    lines.append(f"if (t{which} != MPI_DATATYPE_NULL) OK(MPI_Type_free(&t{which}));")
        return lines

    def simpler(self):
        if self.call.endswith("replace"):
            return

        def make(name, how):
            def change():
                for m in self.messages:
                    new = how(m.unit, getattr(m, name).units)
                    if new is None:
                        raise ValueError
                    setattr(m, name, new)

            return change

        for name in ("sent", "got"):
            yield make(name, flattened)
            yield make(name, as_vector)


def random_ring(random: Random, taste: Taste, comm: Comm, tag: int, new_id) -> Ring:
    members = list(comm.members)
    random.shuffle(members)
    around = members[: random.randint(1, len(members))]
    calls = ["Sendrecv", "Sendrecv", "Sendrecv_replace"]
    if taste.mpi == "mpich" and taste.has("isendrecv"):
        calls.append("Isendrecv")
    call = random.choice(calls)
    unit = random_unit(random, taste.mpi)
    mixed = not unit.plain
    cap = 6000 if mixed else 1 << 40
    n = some_units(random, unit, some_bytes(random, taste, cap))
    messages = []
    for _ in around:
        if not call.endswith("replace"):
            n = some_units(random, unit, some_bytes(random, taste, cap))
        sent, got = some_side(random, taste, unit, n), some_side(random, taste, unit, n)
        messages.append(Message(0, tag, unit, sent, got, new_id(), call, call, False))
    by = "PMPI_" if taste.has("pmpi") and random.random() < 0.06 else "MPI_"
    return Ring(comm, around, messages, call, tag, by)
