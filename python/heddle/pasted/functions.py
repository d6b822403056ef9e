"""Datatypes that functions of a C program make, such as `MPI_Datatype ghost = box(3);` and
`box(3, &ghost);`.

complain_if_called(root, "ghost", made)      # complains that ghost comes from box(...)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heddle.pasted.asked import base, comes_from
from heddle.pasted.names import declared_name
from heddle.pasted.syntax import all_of, parts, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def complain_if_called(root: Node, variable: str, made: list[tuple[str, int]]) -> None:
    """`made`: the variables of the constructors, and their places."""
    if any(variable in (name, base(name)) for name, _ in made):
        return
    for node in all_of(root, "call_expression"):
        name = text_of(node.child_by_field_name("function"))
        if name.lower().startswith(("mpi_", "pmpi_")) or variable not in (_target(node), *_outputs(node)):
            continue
        inside = [_range(one) for one in all_of(root, "function_definition") if _name(one) == name]
        own = [its for its, at in made if any(begin <= at < end for begin, end in inside)]
        raise comes_from(variable, name, own or [its for its, _ in made])


def _target(call: Node) -> str:
    around = call.parent
    if around.type == "init_declarator":
        return declared_name(around)
    return text_of(around.child_by_field_name("left")) if around.type == "assignment_expression" else ""


def _outputs(call: Node) -> list[str]:
    given = parts(call.child_by_field_name("arguments"))
    return [text_of(one)[1:].strip() for one in given if text_of(one).startswith("&")]


def _name(function: Node) -> str:
    head = function.child_by_field_name("declarator")
    return declared_name(head) if head else ""


def _range(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte
