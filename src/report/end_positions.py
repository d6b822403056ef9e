"""Finds the parameters for messages that a call begins or completes, and the ranks for which it
waits (ends.hpp). positions.py uses it.

    MPI_Isend,... .ends = {.destination = 3, .tag = 4, .begun = 6}
    MPI_Waitall,... .ends = {.completed = 1, .requests = 0, .statuses = 2, .completes = Completes::all}
    MPI_Bcast,... .ends = {.meets = Meets::root}
"""

import re

PARTS = ("destination", "tag", "source", "source_tag", "begun", "started", "completed", "requests", "flag", "index")
PARTS += (
    "indices",
    "how_many",
    "statuses",
    "made",
    "probes",
    "made_later",
    "completes",
    "meets",
)  # in the order of report::EndPositions

# Positions by the standard: libraries name these parameters differently.
COMPLETING = {
    "MPI_Wait": ("one", {"completed": 0, "statuses": 1}),
    "MPI_Test": ("one", {"completed": 0, "flag": 1, "statuses": 2}),
    "MPI_Waitall": ("all", {"requests": 0, "completed": 1, "statuses": 2}),
    "MPI_Testall": ("all", {"requests": 0, "completed": 1, "flag": 2, "statuses": 3}),
    "MPI_Waitany": ("any", {"requests": 0, "completed": 1, "index": 2, "statuses": 3}),
    "MPI_Testany": ("any", {"requests": 0, "completed": 1, "index": 2, "flag": 3, "statuses": 4}),
    "MPI_Waitsome": ("some", {"requests": 0, "completed": 1, "how_many": 2, "indices": 3, "statuses": 4}),
    "MPI_Testsome": ("some", {"requests": 0, "completed": 1, "how_many": 2, "indices": 3, "statuses": 4}),
    "MPI_Request_free": ("freed", {"completed": 0}),
    "MPI_Cancel": ("cancelled", {"completed": 0}),
}
SENDING = re.compile(r"MPI_(I?[bsr]?send(_init)?|I?sendrecv(_replace)?)(_c)?", re.IGNORECASE)
RECEIVING = re.compile(r"MPI_(I?recv(_init)?|I?sendrecv(_replace)?|I?mprobe|probe)(_c)?", re.IGNORECASE)
MAKING = re.compile(
    r"MPI_(Comm_(i?dup(_with_info)?|accept|connect|join|create(_group|_from_group)?|split(_type)?)|Intercomm_(create(_from_groups)?|merge)"
    r"|Cart_(create|sub)|(Dist_)?graph_create(_adjacent)?)",
    re.IGNORECASE,
)
MEETING = {
    "all": re.compile(r"MPI_(Barrier|Allreduce|Allgatherv?|Alltoall[vw]?|Reduce_scatter(_block)?)(_c)?"),
    "root": re.compile(r"MPI_(Bcast|Scatterv?)(_c)?"),
    "at_root": re.compile(r"MPI_(Reduce|Gatherv?)(_c)?"),
}


def end_positions(name: str, parameters: list) -> str:
    """The parts that are there, as a C++ initializer; empty: none."""
    found = {part: found for part, found in _ends(name, parameters).items() if found is not None}
    return f"{{{', '.join(f'.{part} = {found[part]}' for part in PARTS if part in found)}}}" if found else ""


def rooted(name: str) -> bool:
    return any(MEETING[which].fullmatch(name) for which in ("root", "at_root"))


def _ends(name: str, parameters: list) -> dict[str, int | str | None]:
    if name in COMPLETING:
        how, positions = COMPLETING[name]
        return positions | {"completes": f"Completes::{how}"}
    named = {each.name: i for i, each in enumerate(parameters)}
    last = {each.kind.rstrip("[]*"): i for i, each in enumerate(parameters)}
    if re.fullmatch(r"MPI_Start(all)?", name):
        return {"started": last["MPI_Request"], "requests": named.get("count")}
    found: dict[str, int | str | None] = {}
    if SENDING.fullmatch(name):
        found |= {"destination": named["dest"], "tag": named.get("sendtag", named.get("tag"))}
    if RECEIVING.fullmatch(name):
        found |= {"source": named["source"], "source_tag": named.get("recvtag", named.get("tag")), "flag": named.get("flag")}
        found |= {"statuses": last.get("MPI_Status"), "probes": "true" if name == "MPI_Probe" else None}
    if found:
        found["begun"] = last.get("MPI_Request")
    if MAKING.fullmatch(name):
        found |= {"made": last["MPI_Comm"], "made_later": "true" if "MPI_Request" in last else None}
    for which, names in MEETING.items():
        if names.fullmatch(name):
            found["meets"] = f"Meets::{which}"
    return found
