"""Selects the procedures whose calls are observed (timed.hpp): all procedures that communicate or
wait. Finds the positions of their parameters by kinds and names. src/mpi/process/host_procedures.py
uses it.

    MPI_Send,.carriable = true, .buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 5
    MPI_Gather,... .root = 6, .pattern = Pattern::gather, .sent = {.buffer = 0, .count = 1, .type = 2}, .received = {...}
    MPI_Allreduce,.buffer = 1, .count = 2, .type = 3, .communicator = 5
"""

import re

from end_positions import end_positions, rooted

COLLECTIVE = re.compile(r"MPI_I?(neighbor_)?(alltoall|allgather|gather|scatter|bcast)[vw]?(_init)?(_c)?", re.IGNORECASE)

# Procedures that communicate or wait, and that Heddle leaves to the MPI library. Procedures that
# Heddle may carry out are observed, too.
OBSERVED = re.compile(
    "MPIX?_("
    r"I?(allreduce|reduce|reduce_scatter|reduce_scatter_block|scan|exscan|barrier)(_init)?"
    r"|Start(all)?|(Wait|Test)(all|any|some)?|Request_(free|get_status(_all|_any|_some)?|is_complete)|Cancel|I?m?probe"
    r"|Pready(_range|_list)?|Parrived|R?(get_)?accumulate|Fetch_and_op|Compare_and_swap"
    r"|Win_(create(_dynamic)?|allocate(_shared)?|free|fence|start|post|complete|wait|test|(un)?lock(_all)?|flush\w*)"
    r"|File_(open|close|delete|sync|set_size|preallocate|set_view|seek_shared|i?(read|write)\w*)"
    r"|Comm_(i?dup(_with_info)?|create(_group|_from_group)?|split(_type)?|free|disconnect|i?agree|shrink)"
    r"|Comm_(accept|connect|join|spawn(_multiple)?)|Intercomm_(create(_from_groups)?|merge)"
    r"|Cart_(create|sub)|(Dist_)?graph_create(_adjacent)?"
    r"|Buffer_(detach|i?flush)|(Comm|Session)_(detach|i?flush)_buffer|Stream_(i?(send|recv)|progress)"
    ")",
    re.IGNORECASE,
)

POSITIONS = ("carriable", "buffer", "count", "type", "peer", "source", "communicator", "window", "root", "request")
POSITIONS += ("pattern", "sent", "received", "later", "ends")  # in the order of report::Positions
SIDES = {"sent": "send", "received": "recv"}


def blocks_of(named: dict[str, int], prefix: str) -> str:
    """The blocks that a collective sends, or receives."""
    parts = {"buf": "buffer", "count": "count", "counts": "counts", "type": "type", "types": "types"}
    found = {part: named[prefix + word] for word, part in parts.items() if prefix + word in named}
    return f"{{{', '.join(f'.{part} = {at}' for part, at in found.items())}}}" if found else ""


def positions_of(name: str, parameters: list) -> dict[str, int | str]:
    """The datatype is that of the sent data, or the only one. Only the root of a scatter uses its
    sending datatype, so for scatters it is that of the received data.
    @param parameters  Each with its kind ("const int[]"), its name, and a flag if it counts
    (interposition/prototypes.py)."""
    types = [i for i, each in enumerate(parameters) if each.kind == "MPI_Datatype"]
    named = {each.name: i for i, each in enumerate(parameters)}
    found: dict[str, int | str] = {}
    if types:
        at = types[-1] if "catter" in name else types[0]
        several = "displs" in parameters[at - 1].name
        number = at - 2 if several else at - 1
        if number > 0 and (parameters[number].counts or parameters[number].name == "origin_count"):
            if parameters[number - 1].is_buffer:
                found["buffer"] = number - 1
            if "[" not in parameters[number].kind:
                found["count"] = number
        found["type"] = at
    for i, each in enumerate(parameters):
        if each.kind == "int" and each.name == "dest" and "count" in found:
            found["peer"] = i
        if each.kind == "int" and each.name == "source" and ("count" in found or "recvtype" in named):
            found["source"] = i
        if each.kind == "MPI_Comm":
            found.setdefault("communicator", i)
        if each.kind == "MPI_Win":
            found["window"] = i
    persistent = name.removesuffix("_c").endswith("_init") and "request" in named
    started = re.fullmatch(r"MPI_Start(all)?", name)
    if started:
        found |= {"count": named["count"]} if "count" in named else {}
    if persistent or started:
        found["request"] = next(i for i, each in enumerate(parameters) if each.kind.startswith("MPI_Request"))
    collective = COLLECTIVE.fullmatch(name)
    if collective:
        neighbours, what = collective[1] or "", collective[2].lower()
        found["pattern"] = f"Pattern::{neighbours.lower()}{'broadcast' if what == 'bcast' else what}"
    if collective or "sendtype" in named:  # or MPI_Sendrecv
        found |= {side: blocks for side, prefix in SIDES.items() if (blocks := blocks_of(named, prefix))}
    if (collective or rooted(name)) and "root" in named:
        found["root"] = named["root"]
    if persistent:
        found["later"] = "true"
    if ends := end_positions(name, parameters):
        found["ends"] = ends
    return {what: found[what] for what in POSITIONS if what in found}


def positions(procedures: dict[str, list], carriable: list[str]) -> str:
    """A line for each observed procedure. `carriable`: procedures that Heddle may carry out,
    without their _c forms."""
    lines = []
    for name, parameters in sorted(procedures.items()):
        plain = name.removesuffix("_c")
        if plain not in carriable and not OBSERVED.fullmatch(plain):
            continue
        found = ({"carriable": "true"} if plain in carriable else {}) | positions_of(name, parameters)
        lines.append(f"{name}," + ", ".join(f".{what} = {found[what]}" for what in POSITIONS if what in found))
    return "\n".join(lines) + "\n"
