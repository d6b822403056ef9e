"""sizeof of the variables and arrays of a C program.

sizes = Sizes(parsed("int a[] = {0, 3, 9}; double *p;", CPP))
sizes.of(node, at, kind, number)       # 12 for a, 4 for *a and a[0], 8 for p and *p
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from heddle.pasted.implied import IMPLIED
from heddle.pasted.names import declared_name
from heddle.pasted.syntax import all_of, parts, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

POINTER = "*"
ALTERS = re.compile("vector_size|mode")  # attributes that make another type
Declared = tuple[str, list[str]]
SIZED = ("pointer_declarator", "array_declarator", "init_declarator", "parenthesized_declarator")


class Sizes:
    def __init__(self, root: Node) -> None:
        self._functions = [(one.start_byte, one.end_byte) for one in all_of(root, "function_definition")]
        # For each function and name: the type, and its layers. int *a[3] has ["3", "*"]. None: the
        # function has several variables of that name.
        self._declared: dict[tuple, Declared | None] = {}
        for node in all_of(root, "parameter_declaration"):
            self._declare(node)
        of_parameters, self._declared = self._declared, {}
        for node in all_of(root, "declaration"):
            self._declare(node)
        self._declared = of_parameters | self._declared  # Fortran declares its parameters, too

    def _declare(self, node: Node) -> None:
        kind = node.child_by_field_name("type")
        alters = node.has_error or any(ALTERS.search(text_of(one)) for one in all_of(node, "attribute_specifier"))
        for one in node.children_by_field_name("declarator"):
            layers = None if alters else _layers(one)
            if layers and node.type == "parameter_declaration":
                layers[0] = POINTER
            key, its = (self._function(node.start_byte), declared_name(one)), layers is not None and (text_of(kind), layers)
            self._declared[key] = its if self._declared.get(key, its) == its else None

    def _function(self, at: int) -> tuple[int, int] | None:
        return next((one for one in self._functions if one[0] <= at < one[1]), None)

    def of(self, node: Node, at: int, kind: Callable[[str], type | None], number: Callable[[str], int]) -> int | None:
        """The size of an expression. None: it is not known. `at`: the place of the expression.
        `kind`: gives the type for a name of a type."""
        peeled = 0
        while node.type in ("subscript_expression", "pointer_expression", "parenthesized_expression"):
            if node.type == "pointer_expression" and text_of(node)[0] == "&":
                return None
            peeled += node.type != "parenthesized_expression"
            node = node.child_by_field_name("argument") or parts(node)[0]
        if node.type != "identifier":
            return None
        own = (self._function(at), text_of(node))
        found = self._declared[own] if own in self._declared else self._declared.get((None, own[1]))
        if not found or peeled > len(found[1]) or "" in found[1][peeled:]:
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
