"""Preloaded tools: libraries that wrap some calls, count them, and call PMPI_."""

from __future__ import annotations

from pathlib import Path
from random import Random

CALLS = {  # name: parameters
    "MPI_Recv": "void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Status *g",
    "MPI_Irecv": "void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g",
    "MPI_Send": "const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f",
    "MPI_Isend": "const void *a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request *g",
    "MPI_Wait": "MPI_Request *a, MPI_Status *b",
    "MPI_Waitall": "int a, MPI_Request *b, MPI_Status *c",
    "MPI_Waitany": "int a, MPI_Request *b, int *c, MPI_Status *d",
    "MPI_Waitsome": "int a, MPI_Request *b, int *c, int *d, MPI_Status *e",
    "MPI_Test": "MPI_Request *a, int *b, MPI_Status *c",
    "MPI_Testall": "int a, MPI_Request *b, int *c, MPI_Status *d",
    "MPI_Probe": "int a, int b, MPI_Comm c, MPI_Status *d",
    "MPI_Iprobe": "int a, int b, MPI_Comm c, int *d, MPI_Status *e",
    "MPI_Type_commit": "MPI_Datatype *a",
    "MPI_Type_free": "MPI_Datatype *a",
    "MPI_Comm_free": "MPI_Comm *a",
    "MPI_Start": "MPI_Request *a",
    "MPI_Request_free": "MPI_Request *a",
    "MPI_Sendrecv": "const void *a, int b, MPI_Datatype c, int d, int e, void *f, int g, MPI_Datatype h, int i, int j, MPI_Comm k, MPI_Status *l",
    "MPI_Alltoallw": "const void *a, const int *b, const int *c, const MPI_Datatype *d, void *e, const int *f, const int *g, const MPI_Datatype *h, MPI_Comm i",
    "MPI_Bcast": "void *a, int b, MPI_Datatype c, int d, MPI_Comm e",
}


def random_tool(random: Random) -> tuple[str, bool]:
    """Returns the source of a tool. True: it is preloaded before Heddle."""
    names = random.sample(list(CALLS), random.choice([1, 2, 4, 8, len(CALLS)]))
    lines = ["/* A tool that wraps " + ", ".join(names) + ". */", "#include <mpi.h>", "static long calls;"]
    for name in names:
        arguments = ", ".join(p.split()[-1].lstrip("*") for p in CALLS[name].split(", "))
        lines.append(f"int {name}({CALLS[name]}) {{ calls++; return P{name}({arguments}); }}")
    return "\n".join(lines) + "\n", random.random() < 0.5


def build(source: str, name: str, mpicc: Path, scratch: Path) -> Path:
    import subprocess

    text, library = scratch / f"{name}.c", scratch / f"lib{name}.so"
    text.write_text(source)
    subprocess.run([str(mpicc), "-shared", "-fPIC", "-O1", "-o", str(library), str(text)], check=True)
    return library
