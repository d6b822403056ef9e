"""Draws messages between two ranks, or from several ranks to one."""

from __future__ import annotations

from random import Random

from layouts import random_unit
from messages import Message, Messages, blocks
from scenario import Comm, Side, Taste, some_bytes, some_side, some_units


def random_messages(
    random: Random, taste: Taste, comm: Comm, quiet: Comm, tag: int, new_id, threaded: bool, wild: bool
) -> Messages:
    groups = [comm.members, comm.remote] if comm.remote else [comm.members, comm.members]
    if random.random() < 0.5:
        groups.reverse()
    target = random.choice(groups[1])
    sources = groups[0]
    probes = taste.has("probes") and (not threaded or taste.has("thread_probes"))
    burst = taste.has("bursts") and random.random() < 0.12
    any_source = wild and not comm.remote and random.random() < 0.6
    any_tag = wild and (not any_source or random.random() < 0.5)
    count = 1
    if burst:
        count = random.choice([3, 8, 8, 20, 60])
    elif wild:
        count = random.randint(2, 5)
    elif random.random() < 0.2:
        count = random.randint(2, 4)
    cap = 40_000 if count > 8 else 200_000 if count > 3 else 1 << 40
    mode = random.choice(["posted", "sent", "pairs"])
    if any_source and mode == "pairs":
        mode = "sent"
    if count > 8 and mode == "pairs":
        mode = "sent"
    cycles = random.choice([2, 3]) if taste.has("persistent") and random.random() < 0.15 else 1
    same_source = random.choice(sources)
    unit = random_unit(random, taste.mpi)
    messages = []
    sizes = [some_bytes(random, taste, cap) for _ in range(count)]
    if burst and random.random() < 0.7:
        sizes = [sizes[0]] * count
    if len(unit.basics) > 1 or unit.basics[0] in (
        "MPI_2INT",
        "MPI_FLOAT_INT",
        "MPI_DOUBLE_INT",
        "MPI_SHORT_INT",
        "MPI_LONG_INT",
    ):
        sizes = [min(s, 6000) for s in sizes]  # MPICH 5.0.2 cannot receive more bytes of these types in several segments
    lengths = [some_units(random, unit, s) for s in sizes]
    if burst and len(set(sizes)) == 1:
        lengths = lengths[:1] * count
    most = max(lengths)
    template: list[Side] = []
    truncate = taste.has("truncation") and not wild and count == 1 and random.random() < 0.06
    for i in range(count):
        n = lengths[i]
        source = random.choice(sources) if any_source else same_source
        if any_source and mode == "sent" and source == target and random.random() < 0.8:
            source = random.choice(sources)
        room = n
        if any_source:
            room = most
        elif random.random() < 0.2:
            room = n + random.choice([1, 2, 16, 100])
        if truncate and n > 1 and cycles == 1:
            room = max(1, random.choice([n - 1, n // 2, n // 7]))
            # Open MPI 5.0.11 writes contiguous messages, including packed ones, beyond the end of
            # the receive. It also loses the error if a rank receives its own message by a type with
            # holes.
            if taste.mpi == "openmpi" and (n * unit.bytes > 1000 or source == target):
                room = n
        if i > 0 and burst and n == template[0].units and not any_source:
            sent, got = template
        else:
            sent, got = some_side(random, taste, unit, n), some_side(random, taste, unit, room)
            template = [sent, got]
        sends = ["Isend", "Isend", "Isend", "Issend"]
        buffered = taste.has("buffered") and n * unit.bytes <= 65536 and count <= 8
        sends += ["Ibsend"] * buffered
        receives = ["Irecv"]
        here = mode
        if source == target and here == "pairs":
            mode = here = "sent"
        if here == "posted":
            sends += ["Send", "Send", "Ssend", "Rsend", "Irsend"] + ["Bsend"] * buffered
        elif here == "sent":
            receives += ["Recv", "Recv"]
            if probes:
                receives += ["Probe", "Iprobe", "Mprobe", "Improbe"]
        else:
            sends += ["Send", "Send", "Ssend"]
            receives += ["Recv", "Recv"]
            if probes:
                receives += ["Probe", "Mprobe", "Improbe"]
        if here != "posted" and taste.has("delete") and not wild and not truncate and not threaded and random.random() < 0.05:
            receives = ["deleted"]
        send, receive = random.choice(sends), random.choice(receives)
        if truncate:
            receive = random.choice([r for r in receives if r in ("Recv", "Irecv")])
            if receive == "Irecv" and here != "posted":
                receive = "Recv" if "Recv" in receives else "Irecv"
        if cycles > 1 or (taste.has("persistent") and random.random() < 0.06):
            if send in ("Isend", "Issend", "Ibsend", "Irsend") and random.random() < 0.7:
                send = send[1:].capitalize() + "_init"
            if receive == "Irecv" and not truncate and random.random() < 0.7:
                receive = "Recv_init"
        later = receive in ("Probe", "Iprobe", "Mprobe", "Improbe") and random.random() < 0.5
        m = Message(source, tag if not any_tag else random.randint(1, 30), unit, sent, got, new_id(), send, receive, later)
        m.freed = taste.has("request_free") and send in ("Isend", "Issend", "Ibsend") and random.random() < 0.08
        if taste.has("pmpi") and random.random() < 0.08:
            m.receive_by = "PMPI_"
        if taste.has("pmpi") and random.random() < 0.05:
            m.send_by = "PMPI_"
        if taste.has("dlsym") and receive in ("Recv", "Irecv") and random.random() < 0.08:
            m.receive_by = "HOSTS"
        messages.append(m)
    if mode == "posted" and any("rsend" in m.send.lower() for m in messages):
        for m in messages:  # all receives are posted before
            if m.source == target and blocks(m.send):
                m.send = "Isend"
    if any_source and any(m.receive in ("Iprobe", "Probe", "Mprobe", "Improbe") for m in messages):
        for m in messages:  # a probed message must still be there for the receive
            if m.receive not in ("Probe", "Iprobe", "Mprobe", "Improbe"):
                m.receive, m.receive_by = "Recv", "MPI_"
    return Messages(comm, quiet, target, messages, any_source, any_tag, mode, cycles)
