"""sizeof and offsetof of the structs of a C program, as the C compiler of this machine lays them
out (ctypes)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Optional

from heddle.pasted.names import declared_name
from heddle.pasted.packing import Packing
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
Known = dict[str, Optional[type]]  # None: a type of unknown size
# "double const * *". A name with brackets, such as int[3] or list<int*>, is none.
POINTER = re.compile(r"[\w\s:]+(?:\*\s*(?:const|restrict|volatile)?\s*)+")
QUALIFIERS = ("const", "volatile", "mutable", "restrict", "__restrict")


def declared(root: Node, number: Callable[[str], int]) -> Known:
    """Structs and typedefs by name, structs with and without `struct`. `number`: gives the length
    of an array. None: a struct with members of other types, bit fields, base classes or
    alignments, or a name with several meanings."""
    known: Known = {}
    packing = Packing(root)
    for node in all_of(root, "struct_specifier", "type_definition", "alias_declaration"):
        if node.type == "struct_specifier":
            if body := node.child_by_field_name("body"):
                _struct(node, _laid_out(_fields(body, known, number), packing.of(node)), known)
            continue
        its = node.child_by_field_name("type")
        if node.type == "alias_declaration":
            _note(known, text_of(node.child_by_field_name("name")), of(text_of(its), known))
        elif its is not None and its.child_by_field_name("body") is None:
            _aliases(node, of(text_of(its), known), known)
    return known


def _struct(node: Node, made: type | None, known: Known) -> None:
    if tag := node.child_by_field_name("name"):
        for name in (text_of(tag), f"struct {text_of(tag)}"):  # without `struct` in C++
            _note(known, name, made)
    if node.parent.type == "type_definition":
        _aliases(node.parent, made, known)


def _aliases(node: Node, made: type | None, known: Known) -> None:
    """The names of a typedef. An attribute may change the type."""
    plain = not node.has_error and not any(one.type == "attribute_specifier" for one in node.children)
    for one in node.children_by_field_name("declarator"):
        its = _declared(one, made, lambda length: int(length) if length.isdigit() else -1) if made and plain else None
        _note(known, declared_name(one), its[1] if its else None)


def _note(known: Known, name: str, made: type | None) -> None:
    """A name with several meanings, in branches of #if or in several scopes, is not known."""
    if name in known and (made is None or known[name] is None or _shape(known[name]) != _shape(made)):
        made = None
    known[name] = made


def _shape(made: type) -> object:
    if not issubclass(made, ctypes.Structure):
        return made
    return ctypes.sizeof(made), [(name, getattr(made, name).offset, ctypes.sizeof(its)) for name, its in made._fields_]


def _laid_out(fields: list[tuple[str, type]], packed: int | None) -> type | None:
    if not fields or packed is None:
        return None
    # Python 3.14 asks for the name of the layout. Without bit fields it is that of gcc, too.
    how = {"_pack_": packed, "_layout_": "ms"} if packed else {}
    return type("struct", (ctypes.Structure,), {**how, "_fields_": fields})


def of(text: str, known: Known) -> type | None:
    """The type that a name stands for."""
    if POINTER.fullmatch(text):
        return ctypes.c_void_p
    words = [word for word in text.split() if word not in QUALIFIERS]
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
    """The variables that are declared as such a struct, or as a pointer to it. None: several
    variables of this name have different types."""
    found: Known = {}
    for node in all_of(root, "declaration", "parameter_declaration"):
        type_ = node.child_by_field_name("type")
        if type_ is None or text_of(type_) in PLAIN:
            continue
        kind = known.get(text_of(type_))
        for name in map(declared_name, node.children_by_field_name("declarator")):
            found[name] = kind if found.get(name, kind) is kind else None
    return found


def offset(member: str, struct: type) -> int | None:
    found = getattr(struct, member, None)
    return getattr(found, "offset", None)


def is_pointer(member: str, struct: type) -> bool:
    return dict(struct._fields_).get(member) is ctypes.c_void_p


def _fields(body: Node, known: Known, number: Callable[[str], int]) -> list[tuple[str, type]]:
    """The members of a struct. Empty: the type of a member is not known."""
    fields = []
    for line in parts(body):
        if line.type == "field_declaration" and any(text_of(one) == "static" for one in line.children):
            continue
        type_ = line.child_by_field_name("type")
        base = of(text_of(type_), known) if type_ and line.type == "field_declaration" else None
        if base is None or not all(map(_is_plain, line.children)):
            return []
        for one in line.children_by_field_name("declarator"):
            its = _declared(one, base, number)
            if its is None:
                return []
            fields.append(its)
    return fields


def _is_plain(part: Node) -> bool:
    """False for bit fields, and for attributes and alignments of a member."""
    if part.type == "type_qualifier":
        return text_of(part) in QUALIFIERS
    return not part.is_named or part.type == "comment" or _field_of(part) in ("type", "declarator", "default_value")


def _field_of(part: Node) -> str | None:
    around = part.parent
    return next((around.field_name_for_child(i) for i, one in enumerate(around.children) if one == part), None)


def _declared(declarator: Node, base: type, number: Callable[[str], int]) -> tuple[str, type] | None:
    """The name and the type of a member or of a typedef. None: it is no plain variable, pointer or
    array."""
    kind, lengths, one = base, [], declarator
    while one.type in ("array_declarator", "pointer_declarator"):
        if one.type == "pointer_declarator":
            kind = ctypes.c_void_p
        elif length := one.child_by_field_name("size"):
            lengths.append(text_of(length))
        else:
            return None
        one = one.child_by_field_name("declarator")
    if one.type not in ("field_identifier", "type_identifier"):
        return None
    for length in lengths:  # the last dimension comes first
        many = number(length)
        if many < 0:
            return None
        kind = kind * many
    return text_of(one), kind
