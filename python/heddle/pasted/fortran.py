"""Statements of Fortran, brought into the form of C: `call MPI_Type_vector(3, 1, 8, MPI_REAL8, t, ierr)`.

Names become lower case, because case does not matter in Fortran; MPI's own names become those of C. Elements of arrays count
from 0. Subroutines, loops and branches become blocks, which show where a name gets its value. All other statements are dropped.
"""

from __future__ import annotations

import re

from heddle.pasted.asked import split
from heddle.pasted.constructors import TAKES
from heddle.pasted.names import balanced

CALL = re.compile(r"^\s*(?:if\s*\(.*\)\s*)?call\s+mpi_type_\w+", re.IGNORECASE | re.MULTILINE)
NO_CODE = re.compile(r"![^\n]*|'[^'\n]*'|\"[^\"\n]*\"|^(?:\*|[cC](?=\s(?!\s*=)|$))[^\n]*", re.MULTILINE)
CONTINUED = re.compile(r"&[ \t]*\n\s*&?|\n {5}[&$+*1-9]")  # also of fixed form
KIND = re.compile(r"(?<=\d)_\w+")
CONVERTED = re.compile(r"\bint\s*\(([^(),]*),\s*\w+\s*\)")
DECLARED = re.compile(
    r"(integer|real|complex|logical|character|double\s+precision|type\s*\(\s*(\w+)\s*\))"
    r"\s*(\*\s*\d+|\([^()]*(?:\([^()]*\)[^()]*)*\))?([^:]*?)(?:::|\s)\s*(\w.*)"
)
PARAMETERS = re.compile(r"parameter\s*\((.*)\)")
DERIVED = re.compile(r"type\b(?:(?!\()[^:]*?::)?\s*(\w+)")
PROCEDURE = re.compile(r"(?:[\w()=, ]*\s)?(?:subroutine|function)\s+(\w+)\s*(?:\(([^()]*)\))?")
LOOP = re.compile(r"(?:\w+\s*:\s*)?do\s+(\w+)\s*=")
BRANCH = re.compile(r"if\s*\((.*)\)\s*then")
ONE_BRANCH = re.compile(r"if\s*\(")
CREATED = re.compile(r"call\s+mpi_type_\w+\s*\(")
CALLED = re.compile(r"call\s+(\w+)\s*(?:\((.*)\))?")
SET = re.compile(r"(\w+(?:%\w+)*)\s*(\(.*?\))?\s*=(?!=)\s*(.*)")
# MPI's procedures that write integers for use in a datatype. All others only read their arguments.
WRITES = re.compile(r"mpi_(?:comm_(?:rank|size)|cart\w*|dims_create|get_count|type_(?:size|get)\w*|bcast|recv)")
CTYPES = {"integer": "int", "logical": "int", "character": "char", "real": "float", "complex": "float complex"}


def is_fortran(text: str) -> bool:
    return CALL.search(text) is not None


def as_c(text: str) -> str:
    source = NO_CODE.sub(lambda found: "''" if found[0][0] in "'\"" else "", text)
    source = KIND.sub("", CONTINUED.sub(" ", source)).lower().replace("(/", "[").replace("/)", "]")
    source = CONVERTED.sub(r"(\1)", source)
    translated = Translated()
    for line in source.replace(";", "\n").splitlines():
        translated.add(line.strip())
    return re.sub(r"\bmpi_(?!type_|get_address)\w+", lambda name: name[0].upper(), "\n".join(translated.lines))


class Translated:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.lowest: dict[str, str] = {}  # the first index of an array
        self.doubles: set[str] = set()  # names of kinds
        self.depth = 0
        self.in_type = False

    def add(self, line: str) -> None:
        """One statement."""
        if line.count("(") != line.count(")"):
            if found := CREATED.match(line):
                balanced(line, found.end())  # complains
            return
        if line.startswith("end"):
            self._end(line)
        elif self.in_type:
            self._declared(line)
        elif found := PARAMETERS.fullmatch(line):
            self.lines.append(f"const int {found[1]};")
        elif found := DECLARED.fullmatch(line):
            if procedure := PROCEDURE.search(line):
                self._procedure(procedure)
            else:
                self._declared(line, found)
        elif not line.startswith("type(") and (found := DERIVED.match(line)):
            self.lines.append(f"struct {found[1]} {{")
            self.in_type = True
        elif found := PROCEDURE.match(line):
            self._procedure(found)
        elif found := BRANCH.fullmatch(line):
            self._open("if (1) {")
        elif line.startswith("else"):
            self.lines.append("} else {")
        elif found := LOOP.match(line):
            self._open(f"for (int {found[1]} = 0; 1;) {{")
        elif re.match(r"(?:\w+\s*:\s*)?do\b", line) or line.startswith("select"):
            self._open("while (1) {")
        elif ONE_BRANCH.match(line):
            rest = line[line.index("(") + 2 + len(balanced(line, line.index("(") + 1)) :]
            self.lines.append("if (1)")
            self.add(rest.strip())
        elif found := CALLED.fullmatch(line):
            self._call(found[1], found[2] or "")
        elif found := SET.fullmatch(line):
            self._set(found)

    def _open(self, text: str) -> None:
        self.lines.append(text)
        self.depth += 1

    def _end(self, line: str) -> None:
        if self.in_type:
            self.lines.append("};")
            self.in_type = False
        elif self.depth and not re.match(r"end\s*(?:program|module|interface|associate|block|where)\b", line):
            self.lines.append("}")
            self.depth -= 1

    def _procedure(self, found: re.Match) -> None:
        self._open(f"int {found[1]}({', '.join(f'int {name.strip()}' for name in (found[2] or '').split(',') if name)}) {{")

    def _declared(self, line: str, found: re.Match | None = None) -> None:
        found = found or DECLARED.fullmatch(line)
        if not found or "procedure" in line:
            return
        kind = self._ctype(found)
        constant = "const " if "parameter" in found[4] else ""
        for one in _entities(found[5]):
            name, dimensions, value = one
            if constant and (value.startswith("kind(1d") or value in ("c_double", "real64", "mpi_real8", "8")):
                self.doubles.add(name)
            if self.in_type:
                self.lines.append(f"{kind} {name}{''.join(f'[{size}]' for size in reversed(split(dimensions)))};")
                continue
            if dimensions or "dimension" in found[4]:
                first = dimensions or re.search(r"dimension\s*\(([^()]*)\)", found[4])[1]
                self.lowest[name] = first.partition(":")[0] if ":" in first else "1"
                value = value and self._list(value)
            if kind not in ("float", "double", "char") or self.in_type:
                self.lines.append(f"{constant}{kind} {name}{'[]' if name in self.lowest else ''}{value and f' = {value}'};")

    def _ctype(self, found: re.Match) -> str:
        base, kind = found[1], (found[3] or "").strip("*() ")
        if found[2]:
            return "MPI_Datatype" if found[2] == "mpi_datatype" else found[2]
        double = base.startswith("double") or any(word in kind for word in ("double", "64", "8")) or kind in self.doubles
        if base == "integer":
            return "long" if double or "address" in kind or "count" in kind else "int"
        if base in ("real", "complex") or base.startswith("double"):
            return ("double" if double else "float") + (" complex" if base == "complex" else "")
        return CTYPES[base]

    def _list(self, value: str) -> str:
        if value.startswith("["):
            return self._indexed(value)
        arrays = any(name in self.lowest for name in re.findall(r"\w+", value))
        return value if arrays or re.search(r"\w\s*\(", value) else f"_all({value})"

    def _set(self, found: re.Match) -> None:
        name, index, value = found[1].replace("%", "."), found[2], found[3]
        if index and name in self.lowest:
            if ":" in index or "," in index:
                self.lines.append(f"{name} += 0;")  # several elements: their values are not tracked
            else:
                self.lines.append(f"{self._indexed(name + index)} = {self._indexed(value)};")
        elif not index:
            value = self._list(value) if name in self.lowest else self._indexed(value)
            self.lines.append(f"{name} = {value};")

    def _indexed(self, text: str) -> str:
        """The text with elements in brackets, counted from 0, and lists in braces."""
        text = text.replace("[", "{").replace("]", "}").replace("%", ".").replace("c_sizeof", "sizeof")
        for name in self.lowest:
            for found in reversed(list(re.finditer(rf"(?<![\w.]){name}\s*\(", text))):
                inside = balanced(text, found.end())
                behind = text[found.end() + len(inside) + 1 :]
                first, colon, rest = inside.partition(":")
                if "," in inside or rest.strip():
                    continue
                begin = f"{first} - ({self.lowest[name]})" if first.strip() else "0"
                text = f"{text[: found.start()]}{name}[{begin}{colon}]{behind}"
        return text

    def _call(self, name: str, inside: str) -> None:
        arguments = [self._indexed(one) for one in split(inside)]
        constructor = re.sub(r"^mpi_type_(?:create_)?", "", name)
        if name.startswith("mpi_type_") and constructor in TAKES:
            arguments = arguments[: len(TAKES[constructor]) + 1]  # without the error
            arguments[-1:] = ["&" + one for one in arguments[-1:]]
            self.lines.append(f"MPI_Type_{name[9:]}({', '.join(arguments)});")
        elif name == "mpi_get_address":
            self.lines.append(f"MPI_Get_address({', '.join(arguments[:2])});")
        elif name.startswith("mpi_type_") and not WRITES.match(name):
            self.lines.append(f"MPI_Type_{name[9:]}({', '.join(arguments)});")
        else:
            mark = "&" if WRITES.match(name) or not name.startswith("mpi_") else ""
            self.lines.append(f"{name}({', '.join(mark + one for one in arguments)});")


def _entities(text: str) -> list[tuple[str, str, str]]:
    """The name, dimensions and value of each variable."""
    found = []
    for one in split(text):
        left, _, value = one.partition("=")
        name, _, dimensions = left.strip().partition("(")
        found.append((name.strip(), dimensions.strip().removesuffix(")"), value.strip()))
    return found
