"""Patterns of messages between two ranks or from several to one."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from layouts import Unit
from scenario import Comm, Pattern, Side, Stage, as_vector, flattened

STREAM = 64  # distance of message ids: the numbers of rounds and cycles are added to them


@dataclass
class Message:
    source: int  # world ranks
    tag: int
    unit: Unit
    sent: Side
    got: Side
    id: int
    send: str  # "Isend", "Ssend_init" ...
    receive: str  # "Recv", "Irecv", "Recv_init", "Probe", "Iprobe", "Mprobe", "Improbe", "deleted"
    later: bool  # a probe is followed by a receive that does not block
    freed: bool = False  # MPI_Request_free directly behind the send
    send_by: str = "MPI_"
    receive_by: str = "MPI_"

    @property
    def bytes(self) -> int:
        return self.sent.units * self.unit.bytes

    @property
    def truncated(self) -> bool:
        return self.got.units < self.sent.units


def chunks(random: Random, which: list[int]) -> list[list[int]]:
    if not which:
        return []
    if random.random() < 0.6:
        return [which]
    cut = random.randrange(len(which) + 1)
    return [part for part in (which[:cut], which[cut:]) if part]


def blocks(send: str) -> bool:
    return send in ("Send", "Ssend", "Rsend")


class Messages(Pattern):
    """One message, or several messages to one receiver. any_source: wildcards may match them."""

    def __init__(
        self,
        comm: Comm,
        quiet: Comm,
        target: int,
        messages: list[Message],
        any_source: bool,
        any_tag: bool,
        mode: str,
        cycles: int,
    ):
        self.comm, self.quiet, self.target, self.messages = comm, quiet, target, messages
        self.any_source, self.any_tag, self.mode, self.cycles = any_source, any_tag, mode, cycles
        self.requests = 2 * len(messages)

    def involves(self):
        return {self.target, *(m.source for m in self.messages)}

    def only_singly(self):
        return any(m.truncated for m in self.messages)

    def persistent(self):
        return any(m.send.endswith("_init") or m.receive == "Recv_init" for m in self.messages)

    # ---- stages
    def stages(self, random: Random) -> list[Stage]:
        out = []
        for i, m in enumerate(self.messages):
            if m.send.endswith("_init"):
                out.append(self.stage((m.source, ("send_init", i))))
            if m.receive == "Recv_init":
                out.append(self.stage((self.target, ("receive_init", i))))
        for cycle in range(self.cycles):
            out += self.one_cycle(random, cycle)
        for i, m in enumerate(self.messages):
            if m.send.endswith("_init"):
                out.append(self.stage((m.source, ("send_free", i))))
            if m.receive == "Recv_init":
                out.append(self.stage((self.target, ("receive_free", i))))
        return out

    def one_cycle(self, random: Random, c: int) -> list[Stage]:
        n = len(self.messages)
        sends = [self.stage((m.source, ("send", i, c))) for i, m in enumerate(self.messages)]
        receives = [self.stage((self.target, ("receive", i, c))) for i in range(n)]
        out: list[Stage] = []
        if self.mode == "posted":
            if any("rsend" in m.send.lower() for m in self.messages):
                out += receives
                out += [self.signal(s) for s in sorted({m.source for m in self.messages}) if s != self.target]
                out += sends
            else:
                i = j = 0
                need = n if self.any_source else 0
                while i < n or j < n:
                    must = blocks(self.messages[i].send) if i < n else False
                    if i < n and (not must or j > max(i, need - 1)) and (j == n or random.random() < 0.5):
                        out.append(sends[i])
                        i += 1
                    elif j < n:
                        out.append(receives[j])
                        j += 1
        elif self.mode == "sent":
            i = j = 0
            need = n if self.any_source else 0
            while i < n or j < n:
                ready = i > max(j, need - 1) or self.messages[j].receive in ("Irecv", "Recv_init") if j < n else False
                if ready and (i == n or random.random() < 0.5):
                    out.append(receives[j])
                    j += 1
                else:
                    out.append(sends[i])
                    i += 1
        else:
            for s, r in zip(sends, receives, strict=False):
                out.append(Stage(self, [*s.ops, *r.ops]))
        by_source: dict[int, list[int]] = {}
        for i, m in enumerate(self.messages):
            if not blocks(m.send) and m.send != "Bsend" and not m.freed:
                by_source.setdefault(m.source, []).append(i)
        done = []
        for source, which in by_source.items():
            done += [self.completing(random, source, ("sent", tuple(part), c)) for part in chunks(random, which)]
        which = [i for i, m in enumerate(self.messages) if m.receive in ("Irecv", "Recv_init") or m.later]
        done += [self.completing(random, self.target, ("received", tuple(part), c)) for part in chunks(random, which)]
        random.shuffle(done)
        out += done
        if self.any_source:
            out.append(self.stage((self.target, ("sort", c))))
            # No rank begins its next message before this.
            out += [self.signal(s) for s in sorted({m.source for m in self.messages}) if s != self.target]
        freed = [i for i, m in enumerate(self.messages) if m.freed]
        for source in sorted({self.messages[i].source for i in freed}):
            if source != self.target:
                out.append(self.signal(source))
        out += [self.stage((self.messages[i].source, ("free_check", i, c))) for i in freed]
        return out

    def signal(self, source: int) -> Stage:
        return self.stage((source, ("signal", source)), (self.target, ("signal", source)))

    # ---- C
    def names(self, i: int) -> tuple[str, str]:
        return f"{self.comm.number}_{self.number}_{i}s", f"{self.comm.number}_{self.number}_{i}r"

    def declare(self, i: int, printer) -> None:
        m = self.messages[i]
        for which, side, in zip(self.names(i), (m.sent, m.got), strict=False):  # fmt: skip
            low, high = side.spread()
            printer.area("A" + which, low, high, side.by_mpi)
            size = min(m.bytes, side.units * m.unit.bytes)
            printer.parts("P" + which, [(side.layout, side.count, 0, m.id, size)])
            printer.variable("t" + which)

    def seed(self, c: int) -> str:
        return f"8 * round + {c}"

    def emit(self, op, rank, printer):
        if op[0] == "signal":
            here, there = self.target, op[1]
            return [f"signal_to(me, {here}, {there}, {self.quiet.name});"]
        if op[0] == "sort":
            return self.sort(op[1], printer)
        i = op[1]
        m = self.messages[i]
        self.declare(i, printer)
        s, r = self.names(i)
        q_send, q_receive = f"&q[{self.first_request + 2 * i}]", f"&q[{self.first_request + 2 * i + 1}]"
        what = f'"message {m.id // STREAM}"'
        match op[0]:
            case "send_init":
                call = f"OK({m.send_by}{m.send}(blank(&A{s}), {m.sent.count}, t{s}, {self.comm.rank(self.target)}, {m.tag}, {self.comm.name}, {q_send}));"
                return [*printer.make(m.sent, "t" + s), call, *printer.unmake(m.sent, "t" + s, "directly")]
            case "receive_init":
                call = f"OK({m.receive_by}Recv_init(blank(&A{r}), {m.got.count}, t{r}, {self.source(m)}, {self.tag(m)}, {self.comm.name}, {q_receive}));"
                return [*printer.make(m.got, "t" + r), call, *printer.unmake(m.got, "t" + r, "directly")]
            case "send_free":
                return [f"OK(MPI_Request_free({q_send}));", *printer.unmake(m.sent, "t" + s, "done"), f"drop(&A{s});"]
            case "receive_free":
                return [f"OK(MPI_Request_free({q_receive}));", *printer.unmake(m.got, "t" + r, "done"), f"drop(&A{r});"]
            case "free_check":
                return [
                    self.check(s, op[2], what[:-1] + ', sent and freed"'),
                    *printer.unmake(m.sent, "t" + s, "done"),
                    *self.dropped(m.sent, s),
                ]
            case "send":
                return self.emit_send(m, s, q_send, op[2], what, printer)
            case "receive":
                return self.emit_receive(i, m, r, q_receive, op[2], what, printer)
        raise ValueError(op)

    def check(self, which: str, c: int, what: str) -> str:
        return f"check(&A{which}, P{which}, 1, {self.seed(c)}, {what});"

    def dropped(self, side: Side, which: str) -> list[str]:
        return [f"drop(&A{which});"] if side.fresh else []

    def source(self, m: Message) -> str:
        return "MPI_ANY_SOURCE" if self.any_source else str(self.comm.rank(m.source))

    def tag(self, m: Message) -> str:
        return "MPI_ANY_TAG" if self.any_tag else str(m.tag)

    def emit_send(self, m, s, q, c, what, printer):
        out = [f"fill(&A{s}, P{s}, 1, {self.seed(c)}); /* message {m.id // STREAM}: {m.bytes} bytes */"]
        if m.send.endswith("_init"):
            return [*out, f"OK({m.send_by}Start({q}));" if c % 2 else f"OK({m.send_by}Startall(1, {q}));"]
        out += printer.make(m.sent, "t" + s)
        ask = f", {q}" if m.send.startswith("I") else ""
        out.append(
            f"OK({m.send_by}{m.send}(A{s}.base, {m.sent.count}, t{s}, {self.comm.rank(self.target)}, {m.tag}, {self.comm.name}{ask}));"
        )
        out += printer.unmake(m.sent, "t" + s, "directly")
        if m.freed:
            out.append(f"OK(MPI_Request_free({q}));")
        if not ask:
            out += [self.check(s, c, what[:-1] + ', sent"'), *printer.unmake(m.sent, "t" + s, "done"), *self.dropped(m.sent, s)]
        return out

    def emit_receive(self, i, m, r, q, c, what, printer):
        where = f"{self.source(m)}, {self.tag(m)}, {self.comm.name}"
        status = f"&s[{self.first_request + 2 * i + 1}]"
        out = [f"blank(&A{r}); /* message {m.id // STREAM}: {m.bytes} of {m.got.units * m.unit.bytes} bytes */"]
        if m.receive == "Recv_init":
            return [*out, f"OK({m.receive_by}Start({q}));" if c % 2 else f"OK({m.receive_by}Startall(1, {q}));"]
        out += printer.make(m.got, "t" + r)
        place = f"A{r}.base, {m.got.count}, t{r}"
        by = m.receive_by
        call = "HOSTS(MPI_{})" if by == "HOSTS" else by + "{}"
        message = False
        if m.receive in ("Probe", "Iprobe", "Mprobe", "Improbe"):
            message = m.receive in ("Mprobe", "Improbe")
            out.append("MPI_Status seen;")
            out.append("memset(&seen, 0, sizeof seen), seen.MPI_ERROR = UNTOUCHED;")
            if message:
                out.append("MPI_Message matched = MPI_MESSAGE_NULL;")
            extra = ", &matched" if message else ""
            if m.receive in ("Iprobe", "Improbe"):
                out.append(
                    f"for (int flag = 0, turns = 0; !flag; tired(&turns)) OK(MPI_{m.receive}({where}, &flag{extra}, &seen));"
                )
            else:
                out.append(f"OK(MPI_{m.receive}({where}{extra}, &seen));")
            if not self.any_source:
                out.append(self.expect(i, "&seen", what[:-1] + ', probed"'))
            else:
                where = f"seen.MPI_SOURCE, seen.MPI_TAG, {self.comm.name}"
        if m.receive == "Irecv" or m.later:
            if message:
                out.append(f"OK(MPI_Imrecv({place}, &matched, {q}));")
            else:
                out.append(f"OK({call.format('Irecv')}({place}, {where}, {q}));")
            return out + printer.unmake(m.got, "t" + r, "directly")
        out.append(f"memset({status}, 0, sizeof(MPI_Status)), ({status})->MPI_ERROR = UNTOUCHED;")
        if message:
            taken = f"MPI_Mrecv({place}, &matched, {status})"
        elif m.receive == "deleted":
            out.append(f"struct deleted d = {{A{r}.base, {m.got.count}, 0, 0, t{r}, MPI_COMM_NULL, {{0}}}};")
            out.append(f"receive_while_deleting(&d, {where});")
            out.append(f"*({status}) = d.status, ({status})->MPI_ERROR = UNTOUCHED;")
            taken = ""
        else:
            taken = f"{call.format('Recv')}({place}, {where}, {status})"
        if m.truncated:
            out.append(f"expect_error({taken}, MPI_ERR_TRUNCATE, {what});")
        elif taken:
            out.append(f"OK({taken});")
            out.append(f'expect_untouched({status}, "the receive");')
        if message:
            out.append(f'if (matched != MPI_MESSAGE_NULL) complain("%s: matched, and not MPI_MESSAGE_NULL", {what});')
        return out + self.received(i, c, printer)

    def expect(self, i: int, status: str, what: str) -> str:
        m = self.messages[i]
        source, tag = self.comm.rank(m.source), m.tag
        basic, elements = (m.unit.basics[0], m.sent.units) if m.unit.plain else ("MPI_BYTE", m.bytes)
        return f"expect({status}, {source}, {tag}, {m.bytes}, {basic}, {elements}, {what});"

    def received(self, i: int, c: int, printer) -> list[str]:
        """The checks after a receive is complete. Its type may still exist."""
        m = self.messages[i]
        r = self.names(i)[1]
        status = f"&s[{self.first_request + 2 * i + 1}]"
        what = f'"message {m.id // STREAM}"'
        if self.any_source:
            return []
        out = []
        if m.truncated:
            out.append(f"check_holes(&A{r}, P{r}, 1, {what});")
        else:
            out.append(self.expect(i, status, what))
            per = m.got.layout.units
            alive = m.got.layout.basic or m.got.keep != "directly"
            if alive and m.unit.plain and m.sent.units % per == 0 and m.got.units > 0:
                out.append(f"expect_type({status}, t{r}, {m.sent.units // per}, {m.sent.units}, {what});")
            out.append(self.check(r, c, what))
        if m.receive != "Recv_init":
            out += [*printer.unmake(m.got, "t" + r, "done"), *self.dropped(m.got, r)]
        return out

    def requests_of(self, op, rank):
        return [2 * i + (op[0] == "received") for i in op[1] if op[0] == "sent" or not self.messages[i].truncated]

    def after(self, op, rank, printer):
        out = []
        for i in op[1]:
            m = self.messages[i]
            s, _r = self.names(i)
            k = self.first_request + 2 * i + (op[0] == "received")
            persistent = m.send.endswith("_init") if op[0] == "sent" else m.receive == "Recv_init"
            what = f'"message {m.id // STREAM}, {op[0]}"'
            if op[0] == "received" and m.truncated:
                out.append(f"expect_error(MPI_Wait(&q[{k}], &s[{k}]), MPI_ERR_TRUNCATE, {what});")
            if not persistent:
                out.append(f"gone(q[{k}], {what});")
            if op[0] == "sent":
                out.append(self.check(s, op[2], what))
                if not persistent:
                    out += [*printer.unmake(m.sent, "t" + s, "done"), *self.dropped(m.sent, s)]
            else:
                out += self.received(i, op[2], printer)
        return out

    def sort(self, c, printer):
        """The message of each receive: the first remaining message of its source, because receives
        match in the order of posting."""
        out = [f"int taken[{len(self.messages)}] = {{0}};"]
        rows = ", ".join(f"{{{self.comm.rank(m.source)}, {m.tag}, {m.id}u, {m.bytes}}}" for m in self.messages)
        out.append(f"static const struct sender senders[] = {{{rows}}};")
        for i, m in enumerate(self.messages):
            self.declare(i, printer)
            r = self.names(i)[1]
            k = self.first_request + 2 * i + 1
            out.append(f"check_any(&A{r}, P{r}, {self.seed(c)}, &s[{k}], senders, {len(self.messages)}, taken);")
            if m.receive != "Recv_init":
                out += [*printer.unmake(m.got, "t" + r, "done"), *self.dropped(m.got, r)]
        return out

    def finish(self, printer):
        out = []
        for i, m in enumerate(self.messages):
            self.declare(i, printer)
            for which, side in zip(self.names(i), (m.sent, m.got), strict=False):
                out.append(f"drop(&A{which});")
                if side.keep == "kept" and not side.layout.basic:
                    out.append(f"if (t{which} != MPI_DATATYPE_NULL) OK(MPI_Type_free(&t{which}));")
        return out

    def simpler(self):
        def set_all(name, value):
            def change():
                for m in self.messages:
                    setattr(m, name, value)

            return change

        plain_send = {"Ssend": "Send", "Issend": "Isend", "Ibsend": "Isend", "Irsend": "Isend", "Ssend_init": "Send_init", "Bsend_init": "Send_init",
                      "Rsend_init": "Send_init"}  # fmt: skip

        def modes():
            for m in self.messages:
                m.send = plain_send.get(m.send, m.send)

        def sides(name, **values):
            def change():
                for m in self.messages:
                    for key, value in values.items():
                        setattr(getattr(m, name), key, value)

            return change

        def plain(name):
            def change():
                for m in self.messages:
                    old = getattr(m, name)
                    flat = flattened(m.unit, old.units)
                    if flat is None:
                        raise ValueError
                    setattr(m, name, flat)

            return change

        def vector(name):
            def change():
                for m in self.messages:
                    old = getattr(m, name)
                    new = as_vector(m.unit, old.units)
                    if new is None or new.layout.text == old.layout.text:
                        raise ValueError
                    setattr(m, name, new)

            return change

        def fewer(factor):
            def change():
                for m in self.messages:
                    if len(m.unit.basics) > 1 or m.sent.units <= 1:
                        raise ValueError
                    n = max(1, m.sent.units // factor)
                    extra = m.got.units - m.sent.units
                    sent = flattened(m.unit, n) if m.sent.layout.basic else as_vector(m.unit, n)
                    got = flattened(m.unit, n + min(extra, n)) if m.got.layout.basic else as_vector(m.unit, n + min(extra, n))
                    if sent is None or got is None:
                        raise ValueError
                    m.sent, m.got = sent, got

            return change

        yield plain("sent")
        yield plain("got")
        yield vector("sent")
        yield vector("got")
        yield fewer(8)
        yield fewer(2)
        yield modes
        for name in ("sent", "got"):
            yield sides(name, fresh=False, by_mpi=False)
            yield sides(name, keep="kept")
            yield sides(name, commit_by="MPI_")
        yield set_all("send_by", "MPI_")
        yield set_all("receive_by", "MPI_")
