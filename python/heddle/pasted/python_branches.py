"""Constructors in branches of a Python program: which of them may have made a datatype.

    t = A.Create_contiguous(3) if rank else B.Create_contiguous(9)

branches = Branches(program)
branches.reaching(calls, last)       # those of `calls` that may have set the variable of the call `last`
branches.deciding                    # ["rank"]: a value of it chooses

A loop counts as run, and so does the body of `try`.
"""

from __future__ import annotations

import ast

from heddle.pasted.asked import NAME, NUMBER
from heddle.pasted.python_names import place

MATCH = getattr(ast, "Match", ())
LOOPS = (ast.For, ast.AsyncFor, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LEAVING = ("sys.exit", "exit", "quit", "os._exit", "os.abort")
NONE = None  # no constructor has been called
Made = frozenset


class Branches:
    def __init__(self, program) -> None:
        self._program = program
        self.deciding: list[str] = []
        self._name = ""
        self._own: set[ast.Call] = set()
        self._left: set[ast.Call] = set()  # made in branches that leave the function

    def reaching(self, calls: list[ast.Call], last: ast.Call, name: str) -> list[ast.expr]:
        scope = self._program.names.scope(last)
        self._own, self._left = {one for one in calls if self._program.names.scope(one) is scope}, set()
        if not isinstance(scope.body, list):  # lambda
            return [last]
        self._name = name
        found = ((self._block(scope.body, Made({NONE})) or Made()) | self._left) - {NONE}
        return sorted(found, key=place) or [last]

    def _block(self, statements: list[ast.stmt], made: Made) -> Made | None:
        """The constructors that may have set the variable at the end. None: the block leaves the
        function."""
        for one in statements:
            after = self._after(one, made)
            if after is None:
                self._left |= {each for each in made if each is not NONE and self._is_within(each, statements)}
                return None
            made = after
        return made

    def _is_within(self, call: ast.Call, statements: list[ast.stmt]) -> bool:
        return not set(statements).isdisjoint(self._program.names.chain(call))

    def _after(self, node: ast.stmt, made: Made) -> Made | None:
        if isinstance(node, FUNCTIONS):
            return made
        if isinstance(node, ast.If):
            made = self._expressed(node.test, made)
            holds = self._holds(node.test)
            arms = [arm for arm, is_taken in ((node.body, holds is not False), (node.orelse, holds is not True)) if is_taken]
            return _either([self._block(arm, made) for arm in arms])
        if MATCH and isinstance(node, MATCH):
            ends = [self._block(case.body, made) for case in node.cases]
            is_complete = any(isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None for case in node.cases)
            return _either(ends if is_complete else [*ends, made])
        if isinstance(node, LOOPS):
            body = self._block(node.body, made)
            return self._block(node.orelse, made if body is None else body)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return self._block(node.body, made)
        if hasattr(node, "handlers"):  # try
            body = self._block([*node.body, *node.orelse], made)
            ends = [self._block(one.body, made) for one in node.handlers if self._own & set(ast.walk(one))]
            after = _either([body, *ends])
            return None if after is None else self._block(node.finalbody, after)
        made = self._expressed(node, made)
        if isinstance(node, ast.Return):
            self._left |= made - {NONE} if node.value and self._own & set(ast.walk(node.value)) else set()
            return None
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        name = ast.unparse(node.value.func) if is_call else ""
        return None if isinstance(node, ast.Raise) or name in LEAVING or name.endswith(".Abort") else made

    def _expressed(self, node: ast.AST, made: Made) -> Made:
        """The constructors that an expression or a plain statement may leave in the variable."""
        if isinstance(node, ast.Call) and node in self._own:
            return Made({node})
        if isinstance(node, ast.IfExp):
            holds = self._holds(node.test) if self._own & set(ast.walk(node)) else None
            arms = [arm for arm, is_taken in ((node.body, holds is not False), (node.orelse, holds is not True)) if is_taken]
            return Made().union(*(Made({arm}) if self._is_other(arm) else self._expressed(arm, made) for arm in arms))
        if isinstance(node, ast.Assign) and self._name in map(ast.unparse, node.targets):
            if ast.unparse(node.value) == "MPI.DATATYPE_NULL":
                return Made({NONE})
            if self._is_other(node.value):
                return Made({node.value})
        if isinstance(node, ast.BoolOp):
            return Made().union(*(self._expressed(one, made) for one in node.values))
        for one in ast.iter_child_nodes(node):
            made = self._expressed(one, made)
        return made

    def _is_other(self, node: ast.expr) -> bool:
        """True for a datatype that no constructor makes here: MPI.INT."""
        return not self._own & set(ast.walk(node)) and self._program.is_datatype(node)

    def _holds(self, node: ast.expr) -> bool | None:
        """The truth of a condition. None: it is not known."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._holds(node.operand)
            return None if inner is None else not inner
        if isinstance(node, ast.BoolOp):
            known = [self._holds(one) for one in node.values]
            decides = isinstance(node.op, ast.Or)
            return decides if decides in known else None if None in known else not decides
        if ast.unparse(node) == "__name__ == '__main__'":
            return True
        if any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in ast.walk(node)):
            return None
        program, missing = self._program, []
        value = program.asked.tried(lambda: program.value(node, NUMBER), missing)
        self.deciding += [one for one in missing if NAME.fullmatch(one) and one not in self.deciding]
        return bool(value) if isinstance(value, (int, float)) else None


def _either(ends: list[Made | None]) -> Made | None:
    own = [one for one in ends if one is not None]
    return Made().union(*own) if own else None
