"""Finds the positions of an MPI procedure's parameters by their kinds and names, for observers of calls (timed.hpp).
src/mpi/process/host_procedures.py uses it.

    MPI_Send,.buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 5
    MPI_Gather,... .root = 6, .pattern = Pattern::gather, .sent = {.buffer = 0, .count = 1, .type = 2}, .received = {...}
"""

import re

COLLECTIVE = re.compile(r"MPI_I?(neighbor_)?(alltoall|allgather|gather|scatter|bcast)[vw]?(_init)?(_c)?", re.IGNORECASE)

POSITIONS = ("buffer", "count", "type", "peer", "communicator", "root", "request", "pattern", "sent", "received", "later")
SIDES = {"sent": "send", "received": "recv"}


def blocks_of(named: dict[str, int], prefix: str) -> str:
    """The blocks that a collective sends, or receives."""
    parts = {"buf": "buffer", "count": "count", "counts": "counts", "type": "type", "types": "types"}
    found = {part: named[prefix + word] for word, part in parts.items() if prefix + word in named}
    return f"{{{', '.join(f'.{part} = {at}' for part, at in found.items())}}}" if found else ""


def positions_of(name: str, parameters: list) -> dict[str, int | str]:
    """The datatype is that of the sent data, or the only one. Only the root of a scatter uses its sending datatype, so for
    scatters it is that of the received data.
    @param parameters  Each with its kind ("const int[]"), its name, and a flag if it counts (interposition/prototypes.py)."""
    types = [i for i, each in enumerate(parameters) if each.kind == "MPI_Datatype"]
    named = {each.name: i for i, each in enumerate(parameters)}
    found: dict[str, int | str] = {}
    if types:
        at = types[-1] if "catter" in name else types[0]
        several = "displs" in parameters[at - 1].name
        number = at - 2 if several else at - 1
        if number > 0 and parameters[number].counts:
            found["buffer"] = number - 1
            if not several:
                found["count"] = number
        found["type"] = at
    for i, each in enumerate(parameters):
        if each.kind == "int" and each.name == "dest" and "count" in found:
            found["peer"] = i
        if each.kind == "MPI_Comm":
            found.setdefault("communicator", i)
    persistent = name.removesuffix("_c").endswith("_init") and "request" in named
    started = re.fullmatch(r"MPI_Start(all)?", name)
    if started:
        found |= {"count": named["count"]} if "count" in named else {}
    if persistent or started:
        found["request"] = next(i for i, each in enumerate(parameters) if each.kind.startswith("MPI_Request"))
    collective = COLLECTIVE.fullmatch(name)
    if collective:
        neighbours, what = collective[1] or "", collective[2].lower()
        found |= {"root": named["root"]} if "root" in named else {}
        found["pattern"] = f"Pattern::{neighbours.lower()}{'broadcast' if what == 'bcast' else what}"
    if collective or "sendtype" in named:  # or MPI_Sendrecv
        found |= {side: blocks for side, prefix in SIDES.items() if (blocks := blocks_of(named, prefix))}
    if persistent:
        found["later"] = "true"
    return {what: found[what] for what in POSITIONS if what in found}


def positions(procedures: dict[str, list]) -> str:
    lines = []
    for name, parameters in sorted(procedures.items()):
        found = positions_of(name, parameters)
        lines.append(f"{name}," + ", ".join(f".{what} = {at}" for what, at in found.items()))
    return "\n".join(lines) + "\n"
