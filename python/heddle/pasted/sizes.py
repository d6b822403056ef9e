"""sizeof of the variables and arrays of a C program.

sizes = Sizes(parsed("int a[] = {0, 3, 9}; double *p;", CPP))
sizes.of(node, kind, number)       # 12 for a, 4 for *a and a[0], 8 for p and *p
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING

from heddle.pasted.implied import IMPLIED
from heddle.pasted.names import declared_name
from heddle.pasted.syntax import all_of, parts, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

POINTER = "*"
SIZED = ("pointer_declarator", "array_declarator", "init_declarator", "parenthesized_declarator")


class Sizes:
    def __init__(self, root: Node) -> None:
        # The type of a name, and its layers: ["3", "*"] for int *a[3]. None: there are several.
        self._declared: dict[str, tuple[str, list[str]] | None] = {}
        for node in all_of(root, "declaration", "parameter_declaration"):
            kind = node.child_by_field_name("type")
            for one in node.children_by_field_name("declarator"):
                layers = _layers(one)
                if layers and node.type == "parameter_declaration" and layers[0] != POINTER:
                    layers[0] = POINTER
                name, its = declared_name(one), None if layers is None else (text_of(kind), layers)
                self._declared[name] = its if self._declared.get(name, its) == its else None

    def of(self, node: Node, kind: Callable[[str], type | None], number: Callable[[str], int]) -> int | None:
        """The size of an expression. None: it is not known. `kind`: gives the type of a name of C."""
        peeled = 0
        while node.type in ("subscript_expression", "pointer_expression", "parenthesized_expression"):
            if node.type == "pointer_expression" and text_of(node)[0] == "&":
                return None
            peeled += node.type != "parenthesized_expression"
            node = node.child_by_field_name("argument") or parts(node)[0]
        found = self._declared.get(text_of(node)) if node.type == "identifier" else None
        if found is None or peeled > len(found[1]) or "" in found[1][peeled:]:
            return None
        layers = found[1][peeled:]
        many = 1
        for layer in layers:
            if layer == POINTER:
                return many * ctypes.sizeof(ctypes.c_void_p)
            many *= number(layer)
        its = kind(found[0])
        return None if its is None else many * ctypes.sizeof(its)


def _layers(node: Node) -> list[str] | None:
    """The lengths of an array, from its first dimension on, and pointers. "": not known. None: the
    declaration is no array, pointer or plain variable."""
    found: list[str] = []
    elements = ""
    while node.type in SIZED:
        if node.type == "init_declarator":
            value = node.child_by_field_name("value")
            is_list = value.type == "initializer_list" and IMPLIED not in text_of(value)
            is_plain = is_list and not any(one.type == "initializer_pair" for one in parts(value))
            elements = str(len(parts(value))) if is_plain else ""
        elif node.type == "pointer_declarator":
            found.append(POINTER)
        elif node.type == "array_declarator":
            length = node.child_by_field_name("size")
            found.append(text_of(length) if length else "")
        node = node.child_by_field_name("declarator") or parts(node)[0]
    if node.type != "identifier":
        return None
    found.reverse()
    return [elements, *found[1:]] if found[:1] == [""] else found
