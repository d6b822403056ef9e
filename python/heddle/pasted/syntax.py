"""Syntax trees of programs, by tree-sitter. A tree also has the right parts of a text with
mistakes, or of a few pasted lines.

root = parsed("int n = 8; MPI_Type_vector(n, ...);", CPP)      # CPP: C, too
for call in all_of(root, "call_expression"):
    text_of(call)
expression("2 * n")                                            # the tree of an expression; None: it is none
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from heddle import native
from heddle.problem import Problem

if TYPE_CHECKING:
    from tree_sitter import Node

CPP, FORTRAN = "tree_sitter_cpp", "tree_sitter_fortran"
COMPLEX = re.compile(r"\b(?:(?:complex|_Complex)\s+)?((?:long\s+)?double|float)(?:\s+(?:complex|_Complex))?\b")


def parsed(text: str, language: str) -> Node:
    if language == CPP:  # the grammar does not know `double complex`
        text = COMPLEX.sub(_one_word, text)
    return _parser(language).parse(text.encode(errors="replace")).root_node


def text_of(node: Node) -> str:
    return node.text.decode(errors="replace")


LINE = re.compile(r"#\s*line\s+(\d+)")


def line_of(node: Node) -> int:
    """The line of a statement. `#line 7` in front of it gives another one, as fortran.py does."""
    while node.parent is not None and (node.prev_sibling is None or "statement" not in node.type):
        node = node.parent
    before = node.prev_sibling
    said = LINE.match(text_of(before)) if before is not None and before.type == "preproc_call" else None
    return int(said[1]) if said else node.start_point[0] + 1


def all_of(root: Node, *kinds: str) -> Iterator[Node]:
    """The nodes of some kinds, or all nodes, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not kinds or node.type in kinds:
            yield node
        waiting += reversed(node.children)


def parts(node: Node) -> list[Node]:
    """The named nodes directly below a node, without comments."""
    return [one for one in node.named_children if one.type != "comment"]


def complain_if_open(root: Node, name: re.Pattern) -> None:
    """Complains about the first call of such a procedure without its closing bracket."""
    for node in all_of(root, "ERROR"):
        for called, bracket in zip(node.children, node.children[1:]):
            if called.type != "identifier" or bracket.type != "(" or not name.fullmatch(text_of(called)):
                continue
            rest = root.text[bracket.start_byte - root.start_byte :]
            if rest.count(b"(") > rest.count(b")"):
                line = root.text[called.start_byte - root.start_byte :].decode(errors="replace").splitlines()[0]
                raise Problem(f"a ')' is missing after {line.strip()!r}. Paste the whole statement.", code=2)


def expression(text: str) -> Node | None:
    """The tree of an expression of C. None: it is none."""
    root = parsed(f"_ = {text};", CPP)
    found = next(all_of(root, "assignment_expression"), None)
    return None if found is None or root.has_error or root.named_child_count != 1 else found.child_by_field_name("right")


def _one_word(found: re.Match) -> str:
    return "_".join([*found[1].split(), "complex"]) if "omplex" in found[0] else found[0]


@cache
def _parser(language: str):
    try:
        import tree_sitter

        return tree_sitter.Parser(tree_sitter.Language(import_module(language).language()))
    except (ImportError, ValueError) as error:  # ValueError: the grammar needs a newer tree-sitter
        packages = [name.replace("_", "-") for name in ("tree_sitter", CPP, FORTRAN)]
        raise Problem(
            f"the text of a program is read by tree-sitter, and this Python lacks it ({error}). Install it by "
            f"`{native.install(*packages)}`. Types in the form of --help, such as "
            "'vector(8, 1, 8, int)', need nothing.",
            code=2,
        ) from None
