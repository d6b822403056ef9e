"""Statements of Fortran, brought into the form of C: `call MPI_Type_vector(3, 1, 8, MPI_REAL8, t, ierr)`."""

from __future__ import annotations

import re

from heddle.pasted.constructors import TAKES

CALL = re.compile(r"^\s*call\s+mpi_type_\w+", re.IGNORECASE | re.MULTILINE)
COMMENT = re.compile(r"![^\n]*")
CONTINUED = re.compile(r"&[ \t]*\n\s*&?")
KIND = re.compile(r"(?<=\d)_\w+")
DECLARED = re.compile(r"^\s*(?:integer|type\s*\()[^:\n]*::\s*", re.MULTILINE)
ELEMENTS = re.compile(r"\b(\w+)\s*\(\s*[\w:+* ]+\s*\)\s*=")
CREATED = re.compile(r"\bcall\s+mpi_type_(?:create_)?(\w+)\s*\(")


def is_fortran(text: str) -> bool:
    return CALL.search(text) is not None


def as_c(text: str) -> str:
    """In lower case, as Fortran's names mean the same in any; MPI's own in capitals, as in C."""
    source = KIND.sub("", CONTINUED.sub(" ", COMMENT.sub("", text))).lower()
    source = DECLARED.sub("int ", source)
    source = source.replace("(/", "{").replace("/)", "}").replace("[", "{").replace("]", "}")
    source = ELEMENTS.sub(r"\1[] =", source)
    lines = []
    for line in source.splitlines():
        found = CREATED.search(line)
        lines.append((_call(line, found[1]) if found else line) + ";")
    return re.sub(r"\bmpi_(?!type_)\w+", lambda name: name[0].upper(), "\n".join(lines))


def _call(line: str, constructor: str) -> str:
    """Without what comes back at the end: the error. The address of the new type, as C has it."""
    begin, end = line.index("(") + 1, line.rindex(")") if ")" in line else len(line)
    inside = line[begin:end]
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    wanted = len(TAKES.get(constructor, "")) + 1
    if constructor in TAKES and len(parts) > wanted:
        parts = parts[:wanted]
    if constructor in TAKES:
        parts[-1] = "&" + parts[-1].strip()
    return f"MPI_Type_{constructor}({', '.join(part.strip() for part in parts)})"
