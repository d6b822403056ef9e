"""sizeof and offsetof of the structs of a C program, as the C compiler of this machine lays them
out (ctypes)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from heddle.pasted.names import declared_name
from heddle.pasted.syntax import all_of, parts, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

PLAIN = {
    "float_complex": ctypes.c_float * 2,  # as syntax.parsed() writes it
    "double_complex": ctypes.c_double * 2,
    "long_double_complex": ctypes.c_longdouble * 2,
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
Known = dict[str, type]


def declared(root: Node, number: Callable[[str], int]) -> Known:
    """Structs by name, with and without `struct`. `number`: gives the length of an array. Structs
    with members of other types, or with bit fields, are left out."""
    known: Known = {}
    for node in all_of(root, "struct_specifier"):
        body, tag = node.child_by_field_name("body"), node.child_by_field_name("name")
        fields = _fields(body, known, number) if body else []
        if not fields:
            continue
        names = [text_of(tag), f"struct {text_of(tag)}"] if tag else []  # without `struct` in C++
        if node.parent.type == "type_definition":
            names += [declared_name(one) for one in node.parent.children_by_field_name("declarator")]
        made = type(names[-1] if names else "struct", (ctypes.Structure,), {"_fields_": fields})
        known |= dict.fromkeys(names, made)
    return known


def of(text: str, known: Known) -> type | None:
    """The type that a name stands for."""
    words = [word for word in text.replace("*", " * ").split() if word not in ("const", "volatile")]
    if "*" in words:
        return ctypes.c_void_p
    name = " ".join(words)
    if name in known:
        return known[name]
    signs = [word for word in words if word in ("signed", "unsigned")]
    base = " ".join(word for word in words if word not in ("signed", "unsigned"))
    if signs and base == "char":
        return PLAIN[f"{signs[0]} char"]
    if base not in ("int", "") and base.endswith("int") and base in ("long int", "short int", "long long int"):
        base = base[: -len(" int")]
    return PLAIN.get(base or ("int" if signs else ""))


def variables(root: Node, known: Known) -> Known:
    """The variables that are declared as such a struct, or as a pointer to it."""
    found = {}
    for node in all_of(root, "declaration", "parameter_declaration"):
        type_ = node.child_by_field_name("type")
        if kind := known.get(text_of(type_)) if type_ else None:
            found |= {declared_name(one): kind for one in node.children_by_field_name("declarator")}
    return found


def offset(member: str, struct: type) -> int | None:
    found = getattr(struct, member, None)
    return getattr(found, "offset", None)


def _fields(body: Node, known: Known, number: Callable[[str], int]) -> list[tuple[str, type]]:
    """The members of a struct. Empty: the type of a member is not known."""
    fields = []
    for line in parts(body):
        type_ = line.child_by_field_name("type")
        base = of(text_of(type_), known) if type_ and line.type == "field_declaration" else None
        if base is None or any(one.type == "bitfield_clause" for one in line.children):
            return []
        for one in line.children_by_field_name("declarator"):
            kind, lengths = base, []
            while one.type in ("array_declarator", "pointer_declarator"):
                if one.type == "pointer_declarator":
                    kind = ctypes.c_void_p
                elif length := one.child_by_field_name("size"):
                    lengths.append(text_of(length))
                else:
                    return []
                one = one.child_by_field_name("declarator")
            if one.type != "field_identifier":
                return []
            for length in lengths:  # the last dimension comes first
                kind = kind * number(length)
            fields.append((text_of(one), kind))
    return fields
