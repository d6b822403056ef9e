"""Statements of mpi4py: `t = MPI.DOUBLE.Create_vector(3, 1, 8)`. Numbers, lists and names; nothing is run."""

from __future__ import annotations

import ast
import operator
import re

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


def is_python(text: str) -> bool:
    return "MPI." in text and CREATED.search(text) is not None


def described(text: str) -> str:
    try:
        statements = ast.parse(re.sub(r"(?m)^\s+", "", text)).body
    except SyntaxError as error:
        raise Problem(f"these are no statements of Python: {error.msg} in line {error.lineno}.", code=2) from None
    program = Program()
    for statement in statements:
        program.run(statement)
    return program.last or _unknown("which datatype", text)


class Program:
    def __init__(self) -> None:
        self.names: dict[str, object] = {}
        self.last = ""

    def run(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                self._assign(target, statement.value)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self.value(statement.value)
        elif not isinstance(statement, (ast.Import, ast.ImportFrom, ast.Expr)):
            _unknown("what does", ast.unparse(statement).splitlines()[0])

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, its in zip(target.elts, value.elts):
                self._assign(one, its)
        elif isinstance(target, ast.Name):
            self.names[target.id] = value  # looked at when it is needed: most of a program says nothing of datatypes
            if CREATED.search(ast.unparse(value)):
                self.names[target.id] = self.value(value)

    def value(self, node: object) -> object:
        """A number, a list of such, or the text of a datatype."""
        if not isinstance(node, ast.AST):
            return node
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(one) for one in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._number(node.operand)
        if isinstance(node, ast.BinOp):
            return self._combined(node)
        if isinstance(node, ast.Name) and node.id in self.names:
            its = self.names.pop(node.id)  # while it is looked at: a name in its own value has none
            self.names[node.id] = found = self.value(its)
            return found
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "MPI":
            return "MPI_" + node.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._called(node, node.func)
        return _unknown("how much is", ast.unparse(node))

    def _combined(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, list) or isinstance(right, list):
            if isinstance(node.op, ast.Mult) and (isinstance(left, int) or isinstance(right, int)):
                return left * right
            if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
                return left + right
        elif type(node.op) in OPERATORS and isinstance(left, int) and isinstance(right, int):
            return OPERATORS[type(node.op)](left, right)
        return _unknown("how much is", ast.unparse(node))

    def _number(self, node: ast.expr) -> int:
        value = self.value(node)
        return value if isinstance(value, int) else _unknown("how much is", ast.unparse(node))

    def _called(self, call: ast.Call, method: ast.Attribute) -> object:
        if method.attr in WITHOUT_A_TYPE:
            return self.value(method.value)
        constructor = "dup" if method.attr == "Dup" else method.attr.removeprefix("Create_").lower()
        if constructor not in TAKES or not (method.attr == "Dup" or method.attr.startswith("Create_")):
            return _unknown("what makes", ast.unparse(call))
        if call.keywords and constructor not in ("subarray", "darray"):
            _unknown("what makes (write arguments in their order)", ast.unparse(call))
        given = [self.value(one) for one in call.args]
        given += [self.value(one.value) for one in call.keywords if one.arg == "order"]
        kinds = TAKES[constructor].replace("#", "")
        if "o" in kinds and len(given) == len(kinds) - 2:
            given.append("MPI_ORDER_C")
        if "t" in kinds:
            given.insert(kinds.index("t"), self.value(method.value))
        if len(given) != len(kinds):
            own = "t" in kinds  # the datatype, before the dot
            raise Problem(f"{ast.unparse(call)} has {len(given) - own} arguments; {len(kinds) - own} are needed.", code=2)
        self.last = written(constructor, [_part(kind, one, call) for kind, one in zip(kinds, given)])
        return self.last


def _part(kind: str, value: object, call: ast.Call) -> object:
    listed = kind in "ldT"
    if listed != isinstance(value, list) or (kind == "n" and not isinstance(value, (int, str))):
        _unknown("what makes", ast.unparse(call))
    if kind == "o":
        return ORDERS.get(str(value), "C")
    if kind == "d":
        return [DISTRIBUTIONS.get(str(one)) or _unknown("which distribution is", str(one)) for one in value]
    if kind == "l":
        return [None if one == DEFAULT else str(one) for one in value]
    return [str(one) for one in value] if listed else str(value)


def _unknown(what: str, text: str):
    raise Problem(f"{what} {text!r}? Paste what says it, too, with numbers in it.", code=2)
