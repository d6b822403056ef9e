"""The names of a C program: where each name gets a value, and whether this value is certain.

text = "int n = 8; for (int i = 0; i < n; ++i) a[i] = 1; MPI_Type_vector(n, ...)"
names = Names(parsed(text, CPP))
names.value("n", at)       # Value(at=4, text="8"): its value at the call, which stands at `at` (bytes from the beginning)
names.value("i", at)       # None: not known, or not constant
names.elements("a", at)    # None; else [("2", Value), ...] of a[2] = 5;

A name is known if the last assignment before the call gives its value literally. It is not known if
that assignment stands in a branch or loop without the call, or if a loop, an increment or a
function that takes its address changes the name. Neither is it known if a loop around the call sets
it, or if an expression such as `x ? (n = 7) : 0` may set it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from heddle.pasted.syntax import all_of, parts, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

MAKES = re.compile(r"(?i:p?mpi_type_(?!size|get|match))")  # these change no numbers
# These functions fill arrays, which are handed over without an ampersand.
FILLS = re.compile(r"(?i:mpi_(?:dims_create|cart_(?:coords|get)|bcast|graph_get|type_get_contents))|s?scanf|memcpy|memset")
OF_MPI = re.compile(r"(?i:p?mpi_)")
READS = ("printf", "fprintf", "puts", "free", "assert", "memcmp", "std::size", "size", "_every", "_minus", "_part", "_power")
ADDRESS = re.compile(r"P?MPI_Get_address")
LOOPS = ("for_statement", "for_range_loop", "while_statement", "do_statement")
REGIONS = (*LOOPS, "switch_statement", "case_statement", "else_clause", "lambda_expression")
REGIONS += ("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_else")
BLOCKS = ("compound_statement", "field_declaration_list", "for_statement", "for_range_loop")
DECLARATORS = ("pointer_declarator", "reference_declarator", "array_declarator", "parenthesized_declarator", "init_declarator")
WITHIN = ("parenthesized_expression", "assignment_expression", "comma_expression")  # these evaluate all their parts
STORES = ("assignment_expression", "init_declarator")  # p = &n; int *p = &n;
HEADS = ("initializer", "condition", "update")  # of a loop

Range = tuple[int, int]


class Value(NamedTuple):
    at: int
    text: str
    index: str = ""  # of the element; "": all of it
    changes: bool = False  # +=, ++ and the like: the new value is not known
    declared: bool = False
    constant: bool = False


class Function(NamedTuple):
    begin: int
    end: int
    parameters: frozenset


class Names:
    def __init__(self, root: Node, address: Callable[[Node], int | None] = lambda node: None) -> None:
        """`address`: gives the place of an expression in its variable, for MPI_Get_address; None:
        not known."""
        self._address = address
        self._all = _range(root)
        self._defined: dict[str, set[str]] = {}  # by #define
        self._functions: list[Function] = []
        self._regions: list[Range] = []  # of branches and loops
        self._loops: list[Range] = []
        self._blocks: list[Range] = []  # a name declared in a block is known only there
        self._values: dict[str, list[Value]] = {}
        self._handed: list[tuple[Node, Node]] = []  # names that others may keep, and their statements
        for node in all_of(root):
            self._see(node)
        self._hand_over(root)
        for values in self._values.values():
            values.sort(key=lambda one: one.at)

    def sets(self, name: str) -> bool:
        """True if the text has statements that set the name, anywhere."""
        return key_of(name) in self._values

    def value(self, name: str, at: int) -> Value | None:
        if len(self._defined.get(name, ())) > 1:  # in branches of #if
            return None
        if name in self._defined:
            return Value(at, *self._defined[name])
        struct = key_of(name).rpartition(".")[0]
        if struct and any(one.changes for one in self._same(struct, at)):  # f(&box) may change box.n
            return None
        found = self._visible(name, at)
        values = [one for one in found if not one.index]
        values = [one for one in values if one.constant] or values
        return values[-1] if values and self._holds(name, values[-1], found, at) else None

    def elements(self, name: str, at: int) -> list[tuple[str, Value]] | None:
        """The elements that are set one by one, in this order. None: some are not known."""
        found = self._visible(name, at)
        single = [one for one in found if one.index]
        if not all(self._holds(name, one, found, at) for one in single):
            return None
        return [(one.index, one) for one in single]

    def _holds(self, name: str, value: Value, found: list[Value], at: int) -> bool:
        if value.constant:
            return self._is_around(value, at)
        if any(one.changes for one in found) or self._is_repeated(name, value, at):
            return False
        if self._function(value.at) != self._function(at):  # it is not known when that function is called
            return len({one.text for one in found if one.index == value.index and not one.changes}) == 1
        return self._is_around(value, at)

    def _is_around(self, value: Value, at: int) -> bool:
        return all(begin <= at < end for begin, end in self._regions if begin <= value.at < end)

    def _is_repeated(self, name: str, value: Value, at: int) -> bool:
        """True: a loop around the call sets the name again, and the value comes from outside."""
        loops = [(begin, end) for begin, end in self._loops if begin <= at < end and not begin <= value.at < end]
        others = [one for one in self._same(name, at) if one.index in ("", value.index) or not value.index]
        return any(begin <= one.at < end for begin, end in loops for one in others)

    def _same(self, name: str, at: int) -> list[Value]:
        """All values of the variable that a name stands for."""
        found = self._values.get(key_of(name), [])
        scopes = [self._scope(one.at) for one in found if one.declared]
        return [one for one in found if _innermost(scopes, one.at) == _innermost(scopes, at)]

    def _visible(self, name: str, at: int) -> list[Value]:
        here = self._function(at)
        found = self._same(name, at)
        own = [one for one in found if self._function(one.at) == here and (one.at < at or one.changes)]
        if own or (here and name in here.parameters):
            return own
        return [one for one in found if self._function(one.at) != here and not (self._function(one.at) and one.declared)]

    def _scope(self, at: int) -> Range:
        return _innermost(self._blocks, at) or self._all

    def _function(self, at: int) -> Function | None:
        return next((one for one in self._functions if one.begin <= at < one.end), None)

    def _see(self, node: Node) -> None:
        kind = node.type
        if kind in REGIONS:
            self._regions.append(_range(node))
            if other := node.child_by_field_name("alternative"):  # of #if
                self._regions.append((node.start_byte, other.start_byte))
        if kind in LOOPS:
            self._loops.append(_range(node))
        if kind in BLOCKS:
            self._blocks.append(_range(node))
        if kind == "if_statement" and (then := node.child_by_field_name("consequence")):
            self._regions.append(_range(then))
        elif kind == "preproc_def" and (value := node.child_by_field_name("value")):
            said = re.sub(r"//.*|/\*.*", "", text_of(value)).strip()
            self._defined.setdefault(text_of(node.child_by_field_name("name")), set()).add(said)
        elif kind == "goto_statement":
            self._jump(node)
        elif kind == "function_definition" and (body := node.child_by_field_name("body")):
            head = node.child_by_field_name("declarator")
            own = (declared_name(one) for one in all_of(head, "parameter_declaration", "optional_parameter_declaration"))
            self._functions.append(Function(*_range(body), frozenset(own)))
        elif kind == "for_range_loop":
            self._change(node.child_by_field_name("declarator"), node)
        elif kind == "init_declarator":
            self._declared(node)
        elif kind == "enumerator_list":
            self._numbered(node)
        elif kind == "assignment_expression":
            self._assigned(node)
        elif kind == "update_expression" or (kind == "pointer_expression" and _is_kept(node)):
            self._change(node.child_by_field_name("argument"), node)
        elif kind == "call_expression":
            self._called(node)

    def _hand_over(self, root: Node) -> None:
        """Arrays may change in functions that take them without const, and by pointers to them."""
        reads = set()
        for head in all_of(root, "function_declarator") if self._handed else ():
            own = head.child_by_field_name("parameters")
            if own is not None and all("const " in text_of(one) or "*" not in text_of(one) for one in parts(own)):
                reads |= set() if "[" in text_of(own) and "const " not in text_of(own) else {declared_name(head)}
        for one, by in self._handed:
            values = self._values.get(text_of(one), [])
            if not any(each.index or each.text.startswith("{") for each in values):
                continue
            if by.type != "call_expression" or text_of(by.child_by_field_name("function")) not in reads:
                self._change(one, by)

    def _jump(self, node: Node) -> None:
        """A jump back makes a loop, a jump forward a branch."""
        root = node
        while root.parent is not None and root.type != "function_definition":
            root = root.parent
        for one in all_of(root, "labeled_statement"):
            if text_of(parts(one)[0]) != text_of(parts(node)[0]):
                continue
            if one.start_byte < node.start_byte:
                self._loops.append((one.start_byte, node.end_byte))
                self._regions.append(self._loops[-1])
            else:
                self._regions.append((node.end_byte, one.start_byte))

    def _numbered(self, node: Node) -> None:
        """The constants of an enum. Without a value, each is one more than the constant before."""
        value = "0"
        for one in parts(node):
            if one.type == "enumerator":
                own = one.child_by_field_name("value")
                value = text_of(own) if own else value
                self._add(text_of(one.child_by_field_name("name")), Value(one.start_byte, value, declared=True, constant=True))
                value = f"({value}) + 1"

    def _declared(self, node: Node) -> None:
        value, name = node.child_by_field_name("value"), _name_node(node)
        if name is None:  # auto [a, b] = ...
            return
        if value.type in ("initializer_list", "argument_list") and node.child_by_field_name("declarator").type == "identifier":
            value = parts(value)[0] if len(parts(value)) == 1 else value  # int n{8}, m(9);
        if value.type == "identifier":
            self._handed.append((value, node))
        constant = any(text_of(one) in ("const", "constexpr") for one in parts(node.parent))
        changes = _in_head(node)
        self._add(text_of(name), Value(name.start_byte, text_of(value), "", changes, True, constant))

    def _assigned(self, node: Node) -> None:
        left, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        while value.type == "assignment_expression":
            value = value.child_by_field_name("right")
        if value.type == "identifier":
            self._handed.append((value, node))
        index = _index_of(left)
        plain = left.type in ("identifier", "field_expression") or index is not None
        changes = not plain or text_of(node.child_by_field_name("operator")) != "=" or _in_head(node) or _in_branch(node)
        self._add(base_of(left), Value(node.start_byte, text_of(value), index or "", changes))

    def _called(self, node: Node) -> None:
        name = text_of(node.child_by_field_name("function"))
        given = parts(node.child_by_field_name("arguments"))
        if MAKES.match(name):
            return
        if ADDRESS.fullmatch(name) and len(given) == 2 and (place := self._address(given[0])) is not None:
            target = given[1].child_by_field_name("argument") if given[1].type == "pointer_expression" else given[1]
            self._add(base_of(target), Value(node.start_byte, str(place), _index_of(target) or ""))
            return
        if not OF_MPI.match(name) and name not in READS and not name.startswith("_of_fortran_"):
            self._handed += [(one, node) for one in given if one.type == "identifier"]
        for one in given:
            if one.type == "pointer_expression" and text_of(one).startswith("&"):
                self._change(one.child_by_field_name("argument"), node)
            elif one.type == "identifier" and FILLS.fullmatch(name) and (one == given[0] or not name.startswith("mem")):
                self._change(one, node)

    def _change(self, target: Node, by: Node) -> None:
        self._add(base_of(target), Value(by.start_byte, "", changes=True))

    def _add(self, name: str, value: Value) -> None:
        self._values.setdefault(key_of(name), []).append(value)


def key_of(name: str) -> str:
    return "".join(name.replace("->", ".").split())


def base_of(node: Node) -> str:
    """The name of the variable or the member: a for a[2], box->n for box->n."""
    while node.type in ("subscript_expression", "pointer_expression", "parenthesized_expression"):
        node = node.child_by_field_name("argument") or parts(node)[0]
    return text_of(node)


def declared_name(node: Node) -> str:
    """The name that a declaration or a declarator gives. Empty: none, as in f(int)."""
    found = _name_node(node)
    return "" if found is None else text_of(found)


def _name_node(node: Node | None) -> Node | None:
    while node is not None and node.type not in ("identifier", "field_identifier", "type_identifier"):
        inner = node.child_by_field_name("declarator")
        node = inner or (parts(node)[-1] if node.type in DECLARATORS and parts(node) else None)
    return node


def _index_of(node: Node) -> str | None:
    """The index in a[2]. None: the node is no element, or has several indices."""
    if node.type != "subscript_expression" or node.child_by_field_name("argument").type == "subscript_expression":
        return None
    inside = parts(node.child_by_field_name("indices"))
    return text_of(inside[0]) if len(inside) == 1 else None


def _in_head(node: Node) -> bool:
    """True if the node stands in the head of a for loop."""
    while (around := node.parent) is not None and not around.type.endswith(("statement", "definition")):
        node = around
    if around is None or around.type != "for_statement":
        return False
    return any(around.child_by_field_name(name) == node for name in HEADS)


def _in_branch(node: Node) -> bool:
    """True if the node stands in an expression that may leave it out, such as x ? (n = 7) : 0."""
    while (around := node.parent) is not None and around.type in WITHIN:
        node = around
    return around is not None and around.type in ("conditional_expression", "binary_expression")


def _is_kept(node: Node) -> bool:
    """True for an address that a pointer keeps: the pointer may change the variable."""
    return text_of(node).startswith("&") and node.parent.type in STORES


def _range(node: Node) -> Range:
    return node.start_byte, node.end_byte


def _innermost(regions: list[Range], at: int) -> Range | None:
    around = (one for one in regions if one[0] <= at < one[1])
    return min(around, key=lambda one: one[1] - one[0], default=None)
