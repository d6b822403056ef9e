"""Constructors in branches of a C program: which of them may have made a datatype.

    if (rank == 0) MPI_Type_contiguous(3, MPI_LONG, &t); else MPI_Type_contiguous(1, MPI_INT, &t);

branches = Branches(root, {15: "t", 57: "t"}, value)      # the places of constructors, and their variables
branches.reaching("t", 57)                                # {15, 57}; {15} if rank is 0
branches.reaching("t", 57, before)                        # the same for a use of t in the same function

A loop counts as run. A constructor in an `if` without an `else` is the only one, or replaces the
one before it: both are given.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from heddle.pasted.syntax import all_of, line_of, parts, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

BY_MACRO = ("preproc_ifdef", "preproc_elifdef")
BY_VALUE = ("preproc_if", "preproc_elif")
LEAVES = ("return_statement", "throw_statement", "goto_statement")
LEAVING = re.compile(r"(?i:p?mpi_abort|exit|_exit|_Exit|abort|std::(?:exit|abort|terminate))")
COMPARES = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
WORDS = {"true": True, "false": False, "NULL": False, "nullptr": False}
NO_DATATYPE = "MPI_DATATYPE_NULL"
Made = frozenset  # places of constructors; NONE: none of them has been called
NONE = -1


class Branches:
    def __init__(self, root: Node, made: dict[int, str], value: Callable[[Node], int | None], defined: Callable) -> None:
        """`value`: gives the value of an expression; None: not known. `defined`: gives a value of
        the user for a macro."""
        self._root = root
        self._made = made
        self._value = value
        self._defined = defined
        self._functions = list(all_of(root, "function_definition"))
        self._macros = list(all_of(root, "preproc_def"))
        self.macros: list[str] = []  # the user may define these to choose a branch
        # Other datatypes that the variable gets, such as MPI_INT in t = MPI_INT;, and their lines.
        self.assigned: dict[int, tuple[str, int]] = {}
        self._own: list[int] = []
        self._left: set[int] = set()  # made in branches that leave the function
        self._end = 0

    def reaching(self, name: str, last: int, before: int | None = None) -> set[int]:
        """The places of constructors of `name`. `last`: one of them. `before`: a use; None: any
        use in the function."""
        function = self._function(last)
        self._own = [at for at, its in self._made.items() if its == name and self._function(at) is function]
        for node in all_of(function, "assignment_expression", "init_declarator"):
            left, right = (node.child_by_field_name(side) for side in ("left", "right"))
            left, right = left or node.child_by_field_name("declarator"), right or node.child_by_field_name("value")
            if (
                text_of(left) == name
                and self._function(node.start_byte) is function
                and right is not None
                and _may_be_datatype(node)
            ):
                self._own.append(node.start_byte)
                self.assigned[node.start_byte] = text_of(right), line_of(node)
        if before is not None and self._function(before) is not function:
            before = None
        self._end = function.end_byte if before is None else before
        self._left = set()
        found = set(self._children(function, Made({NONE})))
        return (found | (self._left if before is None else set())) - {NONE}

    def _function(self, at: int) -> Node:
        return next((one for one in self._functions if one.start_byte <= at < one.end_byte), self._root)

    def _has(self, node: Node | None, at: int) -> bool:
        return node is not None and node.start_byte <= at < node.end_byte

    def _children(self, node: Node, made: Made, without: tuple = ()) -> Made:
        for one in node.children:
            if one not in without:
                made = self._after(one, made)
        return made

    def _after(self, node: Node | None, made: Made) -> Made:
        """The constructors that may have made the datatype when the node has been carried out.
        None at all: the program does not come here."""
        if (
            not made
            or node is None
            or node.start_byte >= self._end
            or not any(self._has(node, at) for at in (*self._own, self._end))
        ):
            return made
        kind = node.type
        if kind == "call_expression" and node.start_byte in self._own:
            return Made({node.start_byte})
        if kind in ("assignment_expression", "init_declarator") and node.start_byte in self.assigned:
            return Made({NONE if self.assigned[node.start_byte][0] == NO_DATATYPE else node.start_byte})
        if kind == "function_definition":
            return made
        if kind in ("if_statement", "conditional_expression"):
            condition = node.child_by_field_name("condition")
            made = self._after(condition, made)
            arms = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
            return self._either(self._holds(condition), *arms, made)
        if kind in (*BY_MACRO, *BY_VALUE):
            return self._of_preprocessor(node, made)
        if kind == "switch_statement":
            return self._switched(node, made)
        if kind == "binary_expression" and text_of(node.child_by_field_name("operator")) in ("&&", "||"):
            made = self._after(node.child_by_field_name("left"), made)
            return made | self._after(node.child_by_field_name("right"), made)
        if kind == "catch_clause":
            return made | self._children(node, made)
        return self._children(node, made)

    def _either(self, holds: bool | None, then: Node | None, other: Node | None, made: Made) -> Made:
        if self._has(then, self._end):
            return self._after(then, made)
        if self._has(other, self._end):
            return self._after(other, made)
        arms = [arm for arm, is_taken in ((then, holds is not False), (other, holds is not True)) if is_taken]
        ends = []
        for arm in arms:
            after = self._after(arm, made)
            if arm is not None and _leaves(arm):
                self._left |= {at for at in after if self._has(arm, at)}
            else:
                ends.append(after)
        return Made().union(*ends)

    def _of_preprocessor(self, node: Node, made: Made) -> Made:
        other = node.child_by_field_name("alternative")
        head = node.child_by_field_name("name" if node.type in BY_MACRO else "condition")
        if node.type in BY_MACRO:
            holds = self._is_defined(text_of(head), node)
            holds = (
                not holds if holds is not None and re.match(r"#\s*(?:el)?ifn?def", text_of(node))[0].endswith("ndef") else holds
            )
        else:
            holds = self._holds(head)
        if self._has(other, self._end):
            return self._after(other, made)
        then = self._children(node, made, (other, head))
        if holds is True or (self._has(node, self._end) and self._end < node.end_byte):
            return then
        otherwise = self._after(other, made)
        return otherwise if holds is False else then | otherwise

    def _switched(self, node: Node, made: Made) -> Made:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        cases = [one for one in parts(body) if one.type == "case_statement"]
        value = self._value(_bare(condition))
        labels = [one.child_by_field_name("value") for one in cases]
        known = None if value is None else [one and self._value(one) for one in labels]
        chosen = None  # the case that is taken; None: not known
        if known and all(label is None or its is not None for label, its in zip(labels, known)):
            matching = [i for i, its in enumerate(known) if labels[i] is not None and its == value]
            default = [i for i, label in enumerate(labels) if label is None]
            chosen = (matching or default or [len(cases)])[0]
        ends, running = Made(), Made()
        for i, case in enumerate(cases):
            if chosen in (None, i):
                running |= made
            after = self._children(case, running) if running else running
            if self._has(case, self._end):
                return after or self._children(case, made)
            if _leaves(case):
                self._left |= {at for at in after if self._has(case, at)}
                running = Made()
            elif _ends(case, ("break_statement",)):
                ends, running = ends | after, Made()
            else:
                running = after
        none = made if chosen == len(cases) or (chosen is None and all(label is not None for label in labels)) else Made()
        return ends | running | none if cases else made

    def _is_defined(self, name: str, at: Node) -> bool | None:
        given = self._defined(name)
        if given is not None:
            return given.strip() != "0"
        own = [one for one in self._macros if text_of(one.child_by_field_name("name")) == name]
        if re.search(rf"#\s*undef\s+{re.escape(name)}\b", text_of(self._root)):
            return None
        if any(one.start_byte < at.start_byte and _is_around(one, at) for one in own):
            return True
        if name not in self.macros:
            self.macros.append(name)
        return None

    def _holds(self, node: Node | None) -> bool | None:
        """The truth of a condition. None: it is not known."""
        node = _bare(node)
        if node is None:
            return None
        kind = node.type
        if text_of(node) in WORDS:
            return WORDS[text_of(node)]
        if kind == "preproc_defined":
            return self._is_defined(text_of(parts(node)[0]), node)
        if kind == "unary_expression" and text_of(node).startswith("!"):
            inner = self._holds(node.child_by_field_name("argument"))
            return None if inner is None else not inner
        if kind == "binary_expression":
            does = text_of(node.child_by_field_name("operator"))
            sides = [node.child_by_field_name(side) for side in ("left", "right")]
            if does in ("&&", "||"):
                known = [self._holds(one) for one in sides]
                decides = does == "||"
                return decides if decides in known else None if None in known else not decides
            if does in COMPARES:
                left, right = map(self._value, sides)
                return None if left is None or right is None else COMPARES[does](left, right)
        value = self._value(node)
        return None if value is None else bool(value)


def _may_be_datatype(node: Node) -> bool:
    """False: a declaration of another type, in another scope."""
    kind = node.parent.child_by_field_name("type") if node.type == "init_declarator" else None
    return kind is None or text_of(kind) in ("MPI_Datatype", "auto")


def _bare(node: Node | None) -> Node | None:
    while node is not None and node.type in ("condition_clause", "parenthesized_expression") and len(parts(node)) == 1:
        node = parts(node)[0]
    return node


def _is_around(definition: Node, use: Node) -> bool:
    """True: the definition is in no branch of #if without the use."""
    around = definition.parent
    while around is not None:
        if around.type.startswith("preproc_") and not around.start_byte <= use.start_byte < around.end_byte:
            return False
        around = around.parent
    return True


def _ends(node: Node, kinds: tuple) -> bool:
    inside = parts(node)
    return node.type in kinds or (
        node.type in ("compound_statement", "case_statement", "else_clause") and bool(inside) and _ends(inside[-1], kinds)
    )


def _leaves(node: Node) -> bool:
    """True: the last statement leaves the function."""
    last = node
    while last.type in ("compound_statement", "case_statement", "else_clause") and parts(last):
        last = parts(last)[-1]
    if last.type == "expression_statement" and parts(last) and parts(last)[0].type == "call_expression":
        return LEAVING.fullmatch(text_of(parts(last)[0].child_by_field_name("function"))) is not None
    return last.type in LEAVES
