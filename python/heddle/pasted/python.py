"""Statements of mpi4py: `t = MPI.DOUBLE.Create_vector(3, 1, 8)`. It understands numbers, lists,
names, and comprehensions over numbers and lists, and runs nothing.

A name is known if the last assignment before its use gives its value literally, and is in no branch
or loop without the use.
"""

from __future__ import annotations

import ast
import operator
import re
import textwrap

from heddle.pasted.asked import LIST, NUMBER, TYPE, TYPES, Asked, chosen, listed
from heddle.pasted.constructors import DEFAULT, DISTRIBUTIONS, ORDERS, TAKES, written
from heddle.problem import Problem

CREATED = re.compile(r"\.\s*(?:Create_\w+|Dup)\s*\(")
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}
WITHOUT_A_TYPE = ("Commit", "Set_name")
NO_DATATYPE = re.compile(r"COMM_|GROUP_|INFO_|OP_NULL|ORDER_|DISTRIBUTE_|IN_PLACE|BOTTOM|UNDEFINED")
PLACEHOLDERS = {NUMBER: 1, LIST: [1], TYPE: "MPI_INT", TYPES: ["MPI_INT"]}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
REGIONS = (ast.If, ast.For, ast.While, ast.Try)
SAYABLE = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.Name, ast.Attribute, ast.Subscript)
SAYABLE += (ast.ListComp, ast.GeneratorExp, ast.Compare)
LISTING = ("range", "list", "tuple", "len")  # functions of Python
COMPARISONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
GROWS = ("append", "extend", "insert")  # a list
DEEPEST = 50
LONGEST = 1 << 16  # numbers of a list


def is_python(text: str) -> bool:
    return "MPI." in text and CREATED.search(text) is not None


def described(text: str, asked: Asked, variable: str | None) -> str:
    try:
        tree = _parsed(text)
    except SyntaxError as error:
        raise Problem(f"these are no statements of Python: {error.msg} in line {error.lineno}.", code=2) from None
    program = Program(tree, asked)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and program.constructor_of(node)]
    if not calls:
        raise Problem("no statement here makes a datatype. `heddle explain --help` has examples.", code=2)
    calls.sort(key=lambda call: (call.end_lineno, call.end_col_offset))
    return program.made_by(chosen([(program.variable_of(call), call) for call in calls], variable, asked))


def _parsed(text: str) -> ast.Module:
    """Parses lines, which may be cut out of their blocks."""
    try:
        return ast.parse(textwrap.dedent(text))
    except SyntaxError as error:
        try:
            return ast.parse(re.sub(r"(?m)^\s+", "", text))
        except SyntaxError:
            raise error from None


class Program:
    def __init__(self, tree: ast.Module, asked: Asked) -> None:
        self.asked = asked
        self.call = ""
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.bound: dict[str, list[tuple[ast.expr, ast.expr | None]]] = {}  # targets and values; None: assigned by other means
        self.changed: dict[str, list[tuple[ast.Subscript, ast.expr]]] = {}  # elements
        self.running: dict[ast.AST, dict[str, object]] = {}  # comprehensions, with the values of their variables
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value:
                self._bind(node.target, node.value)
            elif isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor)):
                self._bind(node.target, None)
            elif isinstance(node, ast.Attribute) and node.attr in (*GROWS, "pop", "sort"):
                self._bind(node.value, None)

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
            for place, one in enumerate(target.elts):
                self._bind(one, values[place] if values else None)
        elif isinstance(target, (ast.Name, ast.Attribute)):
            self.bound.setdefault(ast.unparse(target), []).append((target, value))
        elif isinstance(target, ast.Subscript):
            self.changed.setdefault(ast.unparse(target.value), []).append((target, value))

    def _chain(self, node: ast.AST) -> list[ast.AST]:
        found = []
        while node in self.parents:
            node = self.parents[node]
            found.append(node)
        return found

    def _scope(self, node: ast.AST) -> ast.AST:
        return next(one for one in self._chain(node) if isinstance(one, (*FUNCTIONS, ast.Module)))

    def definition(self, name: str, use: ast.AST) -> ast.expr | None:
        """The expression that a name stands for at its use."""
        for around in self._chain(use):
            if isinstance(around, COMPREHENSIONS) and any(name in _names(one.target) for one in around.generators):
                return None
            if not isinstance(around, (*FUNCTIONS, ast.Module)):
                continue
            found = [one for one in self.bound.get(name, []) if self._scope(one[0]) is around]
            if isinstance(around, FUNCTIONS) and name in {one.arg for one in ast.walk(around.args) if isinstance(one, ast.arg)}:
                return None
            inside = self._scope(use) is around
            before = [one for one in found if not inside or _place(one[0]) < _place(use)]
            if not before:
                if found or isinstance(around, ast.Module):
                    return None
                continue
            target, value = max(before, key=lambda one: _place(one[0]))
            others = not inside and len(found) > 1
            return None if others or not self._reaches(target, use) else value
        return None

    def _reaches(self, target: ast.AST, use: ast.AST) -> bool:
        around = self._chain(use)
        return all(one in around for one in self._chain(target) if isinstance(one, REGIONS) or one in FUNCTIONS)

    def constructor_of(self, call: ast.Call) -> str:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method == "Dup" and self._is_datatype(call.func.value):
            return "dup"
        name = method.removeprefix("Create_").lower()
        return name if method.startswith("Create_") and name in TAKES else ""

    def _is_datatype(self, node: ast.AST | None, depth: int = 0) -> bool:
        if isinstance(node, ast.Name) and depth < DEEPEST:
            return self.asked.of(node.id, datatype=True) is not None or self._is_datatype(
                self.definition(node.id, node), depth + 1
            )
        if isinstance(node, ast.Attribute):
            return ast.unparse(node.value) == "MPI" and node.attr.isupper() and not NO_DATATYPE.match(node.attr)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in WITHOUT_A_TYPE:
                return self._is_datatype(node.func.value, depth)
            return bool(self.constructor_of(node))
        return False

    def variable_of(self, call: ast.Call) -> str:
        """The variable to which the call is assigned, alone or in a list; "": none."""
        inside = call
        for around in self._chain(call):
            if isinstance(around, ast.Assign):
                return ast.unparse(around.targets[0])
            if isinstance(around, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
                return ast.unparse(around.target)
            if isinstance(around, ast.Call) and inside in around.args and _grown(around):  # halos.append(...)
                return ast.unparse(around.func.value)
            inside = around
        return ""

    def made_by(self, call: ast.Call) -> str:
        constructor = self.constructor_of(call)
        before, self.call = self.call, ast.unparse(call)
        if call.keywords and constructor not in ("subarray", "darray"):
            raise Problem(f"write the arguments of {self.call} in their order, without names.", code=2)
        kinds = TAKES[constructor].replace("#", "")
        own = kinds.find("t")  # the datatype, before the dot
        wanted = [{"l": LIST, "d": LIST, "T": TYPES, "t": TYPE}.get(kind, NUMBER) for kind in kinds]
        of_arguments = wanted[:own] + wanted[own + 1 :] if own >= 0 else wanted
        nodes = [*call.args, *(one.value for one in call.keywords if one.arg == "order")]
        given = [self.value(one, want) for one, want in zip(nodes, of_arguments)] + [None] * (len(nodes) - len(of_arguments))
        if "o" in kinds and len(given) == len(kinds) - 2:
            given.append("MPI_ORDER_C")
        if own >= 0:
            given.insert(own, self.value(call.func.value, TYPE))
        if len(given) != len(kinds):
            implied = own >= 0
            raise Problem(f"{self.call} has {len(given) - implied} arguments; {len(kinds) - implied} are needed.", code=2)
        made = written(constructor, [self._part(kind, one) for kind, one in zip(kinds, given)])
        self.call = before
        return made

    def value(self, node: ast.expr, want: str, depth: int = 0) -> object:
        """A number, a list of numbers, or the text of a datatype."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(one, NUMBER, depth) for one in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._number(node.operand, depth)
        if isinstance(node, ast.BinOp):
            return self._combined(node, want, depth)
        if isinstance(node, ast.Name):
            for around in self._chain(node):
                if node.id in (values := self.running.get(around, {})):
                    return values[node.id]
        name = ast.unparse(node)
        if (given := self.asked.of(name, want in (TYPE, TYPES))) is not None:
            return _given(given, want)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in WITHOUT_A_TYPE:
                return self.value(node.func.value, TYPE, depth)
            if self.constructor_of(node):
                return self.made_by(node)
        if isinstance(node, ast.Attribute):
            if ast.unparse(node.value) == "MPI":
                return "MPI_" + node.attr
            if node.attr in ("size", "extent") and self._is_datatype(node.value):
                return _measured(str(self.value(node.value, TYPE, depth)))[node.attr]
        if isinstance(node, (ast.Name, ast.Attribute)) and depth < DEEPEST:
            its = self.definition(name, node)
            if its is not None and (self._is_datatype(its) or self._is_sayable(its)):
                return self._with_changes(name, node, self.value(its, want, depth + 1))
        if (found := self._listed(node, depth)) is not None:
            return found
        self.asked.miss(name, want, self.call, name in self.bound or name in self.changed)
        return PLACEHOLDERS[want]

    def _is_sayable(self, node: ast.expr, depth: int = 0) -> bool:
        """The expression may have a value here. Its names may still be unknown numbers."""
        expressions = _expressions(node)
        over = [one.iter for each in expressions if isinstance(each, COMPREHENSIONS) for one in each.generators]
        return all(_is_sayable(one) for one in expressions) and all(self._is_list(one, depth) for one in over)

    def _is_list(self, node: ast.expr, depth: int) -> bool:
        """False also for a list that is not known."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return True
        name = ast.unparse(node)
        its = self.definition(name, node) if depth < DEEPEST else None
        known = self.asked.of(name) is not None or self._is_a_variable(node)
        return known or (its is not None and self._is_sayable(its, depth + 1))

    def _is_a_variable(self, node: ast.expr) -> bool:
        """True: a name that a comprehension around it sets."""
        around = [one for one in self._chain(node) if isinstance(one, COMPREHENSIONS)]
        return any(ast.unparse(node) in _names(one.target) for each in around for one in each.generators)

    def _listed(self, node: ast.expr, depth: int) -> list | int | None:
        """The list of a comprehension, of range(), list() and tuple(), or its length. None: it is
        none of these, or too long."""
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and self._is_sayable(node):
            found: list = []
            return found if self._run(node, node.generators, found, depth) else None
        if not _is_listing(node):
            return None
        given = [self.value(one, NUMBER, depth) for one in node.args]
        if node.func.id == "range" and 1 <= len(given) <= 3 and all(isinstance(one, int) for one in given):
            numbers = range(*given) if len(given) < 3 or given[2] else range(0)
            return list(numbers) if len(numbers) <= LONGEST else None
        if node.func.id != "range" and len(given) == 1 and isinstance(given[0], list):
            return len(given[0]) if node.func.id == "len" else given[0]
        return None

    def _run(self, node: ast.ListComp, generators: list[ast.comprehension], found: list, depth: int) -> bool:
        """Adds the elements of a comprehension. False: parts are not known, or it is too long."""
        if not generators:
            found.append(self.value(node.elt, NUMBER, depth))
            return len(found) <= LONGEST
        first, *rest = generators
        if not isinstance(first.target, ast.Name):
            return False
        over = self.value(first.iter, LIST, depth)
        if not isinstance(over, list):
            return False
        values = self.running.setdefault(node, {})
        for one in over:
            values[first.target.id] = one
            chosen = [self._holds(condition, depth) for condition in first.ifs]
            if None in chosen or (all(chosen) and not self._run(node, rest, found, depth)):
                return False
        values.pop(first.target.id, None)
        return True

    def _holds(self, condition: ast.expr, depth: int) -> bool | None:
        """None: it is not known."""
        if not isinstance(condition, ast.Compare):
            return None
        sides = [self.value(one, NUMBER, depth) for one in (condition.left, *condition.comparators)]
        if not all(isinstance(one, int) for one in sides) or not all(type(one) in COMPARISONS for one in condition.ops):
            return None
        return all(COMPARISONS[type(one)](*pair) for one, pair in zip(condition.ops, zip(sides, sides[1:])))

    def _with_changes(self, name: str, use: ast.AST, value: object) -> object:
        """The list after assignments such as a[2] = 5."""
        if not isinstance(value, list):
            return value
        for target, its in self.changed.get(name, []):
            if self._scope(target) is not self._scope(use) or _place(target) > _place(use):
                continue
            place = None if its is None or isinstance(target.slice, ast.Slice) else self._number(target.slice, 0)
            if place is None or not self._reaches(target, use):
                self.asked.miss(name, LIST, self.call, True)
            elif -len(value) <= place < len(value):
                value[place] = self.value(its, NUMBER)
        return value

    def _combined(self, node: ast.BinOp, want: str, depth: int) -> object:
        left, right = self.value(node.left, NUMBER, depth), self.value(node.right, NUMBER, depth)
        if isinstance(left, list) or isinstance(right, list):
            if isinstance(node.op, ast.Mult) and (isinstance(left, int) or isinstance(right, int)):
                return left * right
            if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
                return left + right
        elif type(node.op) in OPERATORS and isinstance(left, int) and isinstance(right, int):
            try:
                return OPERATORS[type(node.op)](left, right)
            except ArithmeticError:
                pass
        self.asked.miss(ast.unparse(node), want, self.call)
        return PLACEHOLDERS[want]

    def _number(self, node: ast.expr, depth: int) -> int:
        value = self.value(node, NUMBER, depth)
        if not isinstance(value, int):
            self.asked.miss(ast.unparse(node), NUMBER, self.call)
        return value if isinstance(value, int) else 1

    def _part(self, kind: str, value: object) -> object:
        is_list = kind in "ldT"
        if is_list != isinstance(value, list) or (kind == "n" and not isinstance(value, (int, str))):
            self.asked.raise_if_any()
            raise Problem(
                f"what does {self.call!r} make? It has lists in place of numbers, or numbers in place of lists.", code=2
            )
        if kind == "o":
            return ORDERS.get(str(value), "C")
        if kind == "d":
            if unknown := next((one for one in value if str(one) not in DISTRIBUTIONS), None):
                self.asked.raise_if_any()
                raise Problem(f"what is {unknown}? A distribution is one of {', '.join(DISTRIBUTIONS)}.", code=2)
            return [DISTRIBUTIONS[str(one)] for one in value]
        if kind == "l":
            return [None if one == DEFAULT else str(one) for one in value]
        return [str(one) for one in value] if is_list else str(value)


def _given(text: str, want: str) -> object:
    if want in (LIST, TYPES) or text.startswith("["):
        return [_given(one, NUMBER) for one in listed(text)]
    try:
        return int(text, 0)
    except ValueError:
        return text


def _measured(datatype: str) -> dict:
    from heddle import native

    return native.tool("explain", "--segments", "0", "--entries", "0", "--json", "--", datatype)


def _names(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _expressions(node: ast.AST) -> list[ast.AST]:
    return [one for one in ast.walk(node) if isinstance(one, ast.expr)]


def _is_listing(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LISTING and not node.keywords


def _is_sayable(node: ast.AST) -> bool:
    return isinstance(node, SAYABLE) or _is_listing(node)


def _grown(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in GROWS


def _place(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset
