"""sizeof and offsetof of the structs of a C program, as the C compiler of this machine lays them out (ctypes)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

COMPLEX = {"float": ctypes.c_float * 2, "double": ctypes.c_double * 2, "long double": ctypes.c_longdouble * 2}
PLAIN = {
    "char": ctypes.c_char,
    "signed char": ctypes.c_byte,
    "unsigned char": ctypes.c_ubyte,
    "short": ctypes.c_short,
    "int": ctypes.c_int,
    "long": ctypes.c_long,
    "long long": ctypes.c_longlong,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "long double": ctypes.c_longdouble,
    "size_t": ctypes.c_size_t,
    "bool": ctypes.c_bool,
    "_Bool": ctypes.c_bool,
    "MPI_Aint": ctypes.c_ssize_t,
    "MPI_Count": ctypes.c_longlong,
    "MPI_Offset": ctypes.c_longlong,
} | {f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}
STRUCT = re.compile(r"\b(typedef\s+)?struct\s*(\w*)\s*\{([^{}]*)\}\s*(\w*)\s*;")
MEMBER = re.compile(r"(\**\s*)(\w+)\s*((?:\[[^\]]*\]\s*)*)")

Known = dict[str, type]


def declared(source: str, number: Callable[[str], int]) -> Known:
    """Structs by name, with and without `struct`. `number`: gives the length of an array. Structs with members of other types,
    or with bit fields, are left out."""
    known: Known = {}
    for is_type, tag, inside, name in STRUCT.findall(source):
        fields = _fields(inside, known, number)
        if not fields:
            continue
        made = type(name or tag or "struct", (ctypes.Structure,), {"_fields_": fields})
        known |= {f"struct {tag}": made} if tag else {}
        known |= {name: made} if is_type and name else {}
        known |= {tag: made} if tag else {}  # C++
    return known


def of(text: str, known: Known) -> type | None:
    """The type that a name stands for."""
    words = [word for word in text.replace("*", " * ").split() if word not in ("const", "volatile")]
    if "*" in words:
        return ctypes.c_void_p
    name = " ".join(words)
    if name in known:
        return known[name]
    if any(word in ("complex", "_Complex") for word in words):
        return COMPLEX.get(" ".join(word for word in words if word not in ("complex", "_Complex")))
    signs = [word for word in words if word in ("signed", "unsigned")]
    base = " ".join(word for word in words if word not in ("signed", "unsigned"))
    if signs and base == "char":
        return PLAIN[f"{signs[0]} char"]
    if base not in ("int", "") and base.endswith("int") and base in ("long int", "short int", "long long int"):
        base = base[: -len(" int")]
    return PLAIN.get(base or ("int" if signs else ""))


def variables(source: str, known: Known) -> Known:
    """The variables that are declared as such a struct, or as a pointer to it."""
    found = {}
    for name, kind in known.items():
        for line in re.findall(rf"\b{name}\b((?:\s+const)?[\s*&]+\w[^;(){{}}]*)", source):
            found |= {re.sub(r"[=\[].*", "", one, flags=re.DOTALL).strip("*& \n"): kind for one in line.split(",")}
    return found


def offset(member: str, struct: type) -> int | None:
    found = getattr(struct, member, None)
    return getattr(found, "offset", None)


def _fields(inside: str, known: Known, number: Callable[[str], int]) -> list[tuple[str, type]]:
    """The members of a struct. Empty: the type of a member is not known."""
    fields = []
    for line in inside.split(";"):
        if not line.strip():
            continue
        parts = line.split(",")
        first = re.match(r"^\s*(.*?[\s*])\s*(\w+\s*(?:\[[^\]]*\]\s*)*)$", parts[0], re.DOTALL)
        base = of(first[1].replace("*", " "), known) if first else None
        if not first or ":" in line or base is None:
            return []
        stars = "*" * first[1].count("*")
        for part in [stars + first[2], *parts[1:]]:
            one = MEMBER.fullmatch(part.strip())
            if not one:
                return []
            kind = ctypes.c_void_p if "*" in one[1] else base
            for length in reversed(re.findall(r"\[([^\]]*)\]", one[3])):
                kind = kind * number(length)
            fields.append((one[2], kind))
    return fields
