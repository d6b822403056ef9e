"""Lists of datatypes in Python: `faces.append(make(column))` and `types[1] = row`.

stored(program, "faces")       # the last datatype that the text stores in faces; None: it stores none there
stored(program, "faces[0]")    # that element, if the loops around the statements can be counted out
listed(program)                # the names of such lists
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from heddle.pasted.asked import LIST, NUMBER, TYPE, not_known
from heddle.pasted.python_names import SCOPES, names, place
from heddle.pasted.python_values import LONGEST
from heddle.problem import Problem

ELEMENT = re.compile(r"(.+)\[\s*(-?\d+)\s*\]")
JUMPS = (ast.Break, ast.Continue, ast.Return)

Running = dict  # loops and comprehensions: values of their variables


class Store(NamedTuple):
    """An element gets a value."""

    statement: ast.stmt
    value: ast.expr
    index: ast.expr | None  # None: append


class Unknown(Exception):
    """The text does not show all elements of a list."""


def stored(program, variable: str) -> str | None:
    """The datatype in a list or in its element. None: the text stores no datatype there."""
    element = ELEMENT.fullmatch(variable.strip())
    name = element[1].strip() if element else variable
    stores = _stores(program).get(name, [])
    its = program.names.last(name)
    whole = its.value if its else None
    if not any(program.is_datatype(one.value) for one in stores) and not _has_datatypes(program, name):
        return None
    program.call = variable
    if element:
        return _numbered(program, name, stores, int(element[2]))
    if whole is not None and all(place(one.statement) < place(whole) for one in stores):
        if program.is_datatype(whole):
            return None
        stores = []
    last = max((one.value for one in stores), key=place, default=None)
    before = program.asked.state()
    if last is not None and program.is_datatype(last):
        found = str(program.value(last, TYPE))
        if not program.asked.misses:
            return found
    missing = program.asked.state()
    program.asked.restore(before)
    try:
        value, running = _elements(program, name, stores)[-1]
        return _made(program, value, running)
    except (Unknown, IndexError):
        program.asked.restore(missing)
        program.asked.raise_if_any()
        if last is None:
            return None
        raise not_known(name) from None


def listed(program) -> list[str]:
    """The lists that get datatypes one by one."""
    found = _stores(program)
    return [name for name, stores in found.items() if any(program.is_datatype(one.value) for one in stores)]


def _has_datatypes(program, name: str) -> bool:
    """True: the list is written out, [make(0), make(1)] or [make(i) for i in range(4)]."""
    its = program.names.last(name)
    value = its.value if its else None
    elements = value.elts if isinstance(value, ast.List) else [value.elt] if isinstance(value, ast.ListComp) else []
    return any(map(program.is_datatype, elements))


def _numbered(program, name: str, stores: list[Store], index: int) -> str:
    try:
        elements = _elements(program, name, stores)
    except Unknown:
        program.asked.raise_if_any()
        raise not_known(f"{name}[{index}]") from None
    if not -len(elements) <= index < len(elements):
        program.asked.raise_if_any()
        raise Problem(f"{name} has no element {index}: the text stores {len(elements)} there.", code=2)
    try:
        return _made(program, *elements[index])
    except Unknown:
        raise not_known(f"{name}[{index}]") from None


def _made(program, value: ast.expr, running: Running) -> str:
    with _Running(program, running):
        if not program.is_datatype(value):
            raise Unknown
        return str(program.value(value, TYPE))


class _Running:
    """The variables of loops have these values meanwhile."""

    def __init__(self, program, values: Running) -> None:
        self._all, self._values = program.running, values

    def __enter__(self) -> None:
        self._all.update(self._values)

    def __exit__(self, *_) -> None:
        for loop in self._values:
            del self._all[loop]


def _stores(program) -> dict[str, list[Store]]:
    found: dict[str, list[Store]] = {}
    for node in program.names.parents:
        one = _store(node)
        if one:
            found.setdefault(one[0], []).append(one[1])
    return found


def _store(node: ast.AST) -> tuple[str, Store] | None:
    """The list and the store of a statement; None: it is no such statement."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
        return ast.unparse(target.value), Store(node, node.value, target.slice)
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
        return None
    plain = len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)
    return (ast.unparse(call.func.value), Store(node, call.args[0], None)) if plain else None


def _elements(program, name: str, stores: list[Store]) -> list[tuple[ast.expr, Running]]:
    """All elements, with the values of the loops around each. Unknown: a branch, a function or
    another statement may change the list."""
    begins = program.names.beginning(name, sum(one.index is None for one in stores))
    if begins is None:
        raise Unknown
    statement = next(one for one in program.names.chain(begins.target) if isinstance(one, ast.stmt))
    around = program.names.parents[statement]
    block = next((its for _, its in ast.iter_fields(around) if isinstance(its, list) and statement in its), None)
    if block is None or not isinstance(around, SCOPES):  # a loop may begin the list anew
        raise Unknown
    counting = _Counting(program, name, stores)
    counting.begin(begins.value)
    for one in block[block.index(statement) + 1 :]:
        counting.carry_out(one, {})
    if counting.left:
        raise Unknown
    return counting.elements


class _Counting:
    """Counts out the statements that fill a list."""

    def __init__(self, program, name: str, stores: list[Store]) -> None:
        self._program = program
        self._stores = {one.statement: one for one in stores}
        elements = {one.statement.targets[0] for one in stores if one.index is not None}
        self._changes = {one for one in program.names.changes_of(name) if one not in elements}
        self._inside: dict[ast.stmt, set[ast.AST]] = {}
        self._steps = 0
        self.left = set(self._stores)  # stores that no statement has reached
        self.elements: list[tuple[ast.expr, Running]] = []

    def begin(self, value: ast.expr) -> None:
        if isinstance(value, ast.List) and not any(isinstance(one, ast.Starred) for one in value.elts):
            self.elements = [(one, {}) for one in value.elts]
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List):
            self.begin(value.left)
            self.elements *= self._number(value.right, {})
        elif isinstance(value, ast.ListComp) and len(value.generators) == 1 and not value.generators[0].ifs:
            its = value.generators[0]
            self.elements = [(value.elt, {value: values}) for values in self._values(its.target, its.iter, {})]
        elif ast.unparse(value) != "list()":
            raise Unknown

    def carry_out(self, statement: ast.stmt, running: Running) -> None:
        inside = self._within(statement)
        self._steps += 1
        if self._steps > LONGEST or not all(map(self._is_communication, inside & self._changes)):
            raise Unknown
        if statement in self._stores:
            self._store(self._stores[statement], running)
        elif not inside.isdisjoint(self._stores):
            self._loop(statement, inside, running)

    def _within(self, statement: ast.stmt) -> set[ast.AST]:
        if statement not in self._inside:
            self._inside[statement] = set(ast.walk(statement))
        return self._inside[statement]

    def _store(self, store: Store, running: Running) -> None:
        self.left.discard(store.statement)
        if store.index is None:
            self.elements.append((store.value, running))
            return
        if isinstance(store.index, ast.Slice):
            raise Unknown
        index = self._number(store.index, running)
        if not -len(self.elements) <= index < len(self.elements):
            raise Unknown
        self.elements[index] = store.value, running

    def _loop(self, loop: ast.stmt, inside: set[ast.AST], running: Running) -> None:
        if not isinstance(loop, ast.For) or loop.orelse or any(isinstance(one, JUMPS) for one in inside):
            raise Unknown
        if any(self._program.names.is_set_within(one, loop) for one in names(loop.target)):
            raise Unknown
        for values in self._values(loop.target, loop.iter, running):
            for one in loop.body:
                self.carry_out(one, {**running, loop: values})

    def _values(self, target: ast.expr, over: ast.expr, running: Running) -> list[dict[str, object]]:
        """The values of a loop's variable, one after the other."""
        text = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in ast.walk(over))
        if not isinstance(target, ast.Name) or text or self._program.asked.of(target.id) is not None:
            raise Unknown
        with _Running(self._program, running):
            found = self._program.known(over, LIST)
        if not isinstance(found, list):
            raise Unknown
        return [{target.id: one} for one in found]

    def _number(self, node: ast.expr, running: Running) -> int:
        with _Running(self._program, running):
            found = self._program.known(node, NUMBER)
        if not isinstance(found, int) or found > LONGEST:
            raise Unknown
        return found

    def _is_communication(self, use: ast.AST) -> bool:
        """True: comm.Alltoallw([a, sizes, places, t], ...), which only reads the list. mpi4py's
        procedures with buffers have capitals."""
        part, call = self._program.names.chain(use)[:2]
        is_part = isinstance(part, (ast.List, ast.Tuple)) and isinstance(call, ast.Call)
        return is_part and isinstance(call.func, ast.Attribute) and call.func.attr[:1].isupper()
