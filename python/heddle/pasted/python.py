"""Statements of mpi4py: `t = MPI.DOUBLE.Create_vector(3, 1, 8)`. It understands numbers, lists,
names, comprehensions over numbers and lists, and functions that return a datatype. It runs nothing.
"""

from __future__ import annotations

import ast
import re
import textwrap

from heddle.pasted import python_lists
from heddle.pasted.asked import LIST, NUMBER, TYPE, TYPES, Asked, base, chosen, comes_from
from heddle.pasted.constructors import DEFAULT, DISTRIBUTIONS, ORDERS, TAKES, written
from heddle.pasted.python_branches import Branches
from heddle.pasted.python_imports import IMPORT, with_mpi
from heddle.pasted.python_names import GROWS
from heddle.pasted.python_values import DEEPEST, Values
from heddle.problem import Problem

CREATED = re.compile(r"\.\s*(?:Create_\w+|Dup)\s*\(")
WITHOUT_A_TYPE = ("Commit", "Set_name")
NO_DATATYPE = re.compile(r"COMM_|GROUP_|INFO_|OP_NULL|ORDER_|DISTRIBUTE_|IN_PLACE|BOTTOM|UNDEFINED")
PARAMETERS = {  # mpi4py's names for the arguments
    "contiguous": "count",
    "vector": "count blocklength stride",
    "hvector": "count blocklength stride",
    "indexed": "blocklengths displacements",
    "hindexed": "blocklengths displacements",
    "indexed_block": "blocklength displacements",
    "hindexed_block": "blocklength displacements",
    "struct": "blocklengths displacements datatypes",
    "subarray": "sizes subsizes starts order",
    "darray": "size rank gsizes distribs dargs psizes order",
    "resized": "lb extent",
    "dup": "",
    "f90_real": "p r",
    "f90_complex": "p r",
    "f90_integer": "r",
}


def is_python(text: str) -> bool:
    return IMPORT.search(text) is not None or ("MPI." in text and CREATED.search(text) is not None)


def described(text: str, asked: Asked, variable: str | None) -> str:
    try:
        tree = with_mpi(_parsed(text))
    except SyntaxError as error:
        raise Problem(f"these are no statements of Python: {error.msg} in line {error.lineno}.", code=2) from None
    program = Program(tree, asked)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and program.constructor_of(node)]
    if not calls:
        raise Problem("no statement here makes a datatype. `heddle explain --help` has examples.", code=2)
    calls.sort(key=lambda call: (call.end_lineno, call.end_col_offset))
    made = [(program.variable_of(call), call) for call in calls]
    is_made = variable is None or any(variable in (name, base(name)) for name, _ in made)
    is_element = any(name == variable != base(name) for name, _ in made)  # the text writes it so
    own = [call for name, call in made if variable is not None and variable in (name, base(name))]
    if own and len(program.reaching(own[-1], calls)) > 1:
        return program.made_in(own[-1], calls)
    if variable is not None and not is_element and (found := python_lists.stored(program, variable)) is not None:
        return found
    if not is_made and (found := program.stored_in(variable, calls)) is not None:
        return found
    return program.made_in(chosen(made, variable, asked, python_lists.listed(program)), calls)


def _parsed(text: str) -> ast.Module:
    """Parses lines, which may be cut out of their blocks."""
    try:
        return ast.parse(textwrap.dedent(text))
    except SyntaxError as error:
        try:
            return ast.parse(re.sub(r"(?m)^\s+", "", text))
        except SyntaxError:
            raise error from None


class Program(Values):
    """A program, and the datatypes that its constructors make."""

    def __init__(self, tree: ast.Module, asked: Asked) -> None:
        super().__init__(tree, asked)
        self._branches = Branches(self)
        self._functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]

    def constructor_of(self, call: ast.Call) -> str:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if method == "Dup" and self.is_datatype(call.func.value):
            return "dup"
        name = method[len("Create_") :].lower()
        return name if method.startswith("Create_") and name in TAKES else ""

    def is_datatype(self, node: ast.AST | None, depth: int = 0) -> bool:
        if isinstance(node, ast.Name) and depth < DEEPEST:
            if self.asked.of(node.id, datatype=True) is not None:
                return True
            for around in self.names.chain(node):
                if node.id in (values := self.running.get(around, {})):
                    return isinstance(values[node.id], ast.expr) and self.is_datatype(values[node.id], depth + 1)
            return self.is_datatype(self.names.definition(node.id, node), depth + 1)
        if isinstance(node, ast.Attribute):
            return ast.unparse(node.value) == "MPI" and node.attr.isupper() and not NO_DATATYPE.match(node.attr)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in WITHOUT_A_TYPE:
                return self.is_datatype(node.func.value, depth)
            return bool(self.constructor_of(node))
        return isinstance(node, ast.Call) and depth < DEEPEST and self._returned(node, depth + 1) is not None

    def datatype(self, node: ast.expr, depth: int) -> object:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in WITHOUT_A_TYPE:
                return self.value(node.func.value, TYPE, depth)
            return self.made_by(node) if self.constructor_of(node) else None
        if isinstance(node, ast.Call) and depth < DEEPEST:
            return self._called(node, depth)
        if isinstance(node, ast.Attribute):
            if ast.unparse(node.value) == "MPI":
                return "MPI_" + node.attr
            if node.attr in ("size", "extent") and self.is_datatype(node.value):
                return _measured(str(self.value(node.value, TYPE, depth)))[node.attr]
        return None

    def variable_of(self, call: ast.Call) -> str:
        """The variable to which the call is assigned, alone or in a list; "": none."""
        inside = call
        for around in self.names.chain(call):
            if isinstance(around, ast.Assign):
                return ast.unparse(around.targets[0])
            if isinstance(around, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
                return ast.unparse(around.target)
            if isinstance(around, ast.Call) and inside in around.args and _grown(around):  # halos.append(...)
                return ast.unparse(around.func.value)
            inside = around
        return ""

    def stored_in(self, variable: str, calls: list[ast.Call]) -> str | None:
        """The datatype in a variable that no constructor sets directly. None: the text sets no such
        variable."""
        its = self.names.last(variable)
        if its is None or its.value is None:
            return None
        if self.is_datatype(its.value):
            self.call = ast.unparse(its.value)
            return str(self.value(its.value, TYPE))
        if not isinstance(its.value, ast.Call):
            return None
        name = ast.unparse(its.value.func)
        inside = [one for one in calls if any(getattr(around, "name", "") == name for around in self.names.chain(one))]
        raise comes_from(variable, name, list(map(self.variable_of, inside)) or list(map(self.variable_of, calls)))

    def _returned(self, call: ast.Call, depth: int = 0) -> tuple[ast.FunctionDef, ast.expr, dict[str, object]] | None:
        """The function of a call, the datatype that it returns, and the values of its parameters.
        None: it returns no datatype, or it changes a parameter."""
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        found = [one for one in self._functions if one.name == name]
        if len(found) != 1 or found[0].decorator_list or not self.names.is_set_once(name):
            return None
        its = found[0].args
        returns = [one for one in ast.walk(found[0]) if isinstance(one, ast.Return)]
        plain = not (its.vararg or its.kwarg or its.kwonlyargs or its.posonlyargs)
        words = {one.arg: one.value for one in call.keywords}
        if len(returns) != 1 or not plain or None in words or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        parameters = [one.arg for one in its.args]
        given = dict(zip(parameters[len(parameters) - len(its.defaults) :], its.defaults))
        given.update(zip(parameters, call.args))
        given.update(words)
        if set(given) != set(parameters) or not all(self.names.is_kept(one, found[0]) for one in parameters):
            return None
        before = self.running.get(found[0])
        if before is not None:  # it calls itself
            return None
        self.running[found[0]] = given
        try:
            return (found[0], returns[0].value, given) if self.is_datatype(returns[0].value, depth) else None
        finally:
            del self.running[found[0]]

    def _called(self, call: ast.Call, depth: int) -> object:
        found = self._returned(call, depth)
        if found is None:
            return None
        function, made, given = found
        self.running[function] = given
        try:
            return self.value(made, TYPE, depth + 1)
        finally:
            del self.running[function]

    def made_by(self, call: ast.Call) -> str:
        constructor = self.constructor_of(call)
        before, self.call = self.call, ast.unparse(call)
        kinds = TAKES[constructor].replace("#", "")
        own = kinds.find("t")  # the datatype, before the dot
        wanted = [{"l": LIST, "d": LIST, "T": TYPES, "t": TYPE}.get(kind, NUMBER) for kind in kinds]
        of_arguments = wanted[:own] + wanted[own + 1 :] if own >= 0 else wanted
        nodes = self._arguments(call, constructor)
        given = [self.value(one, want) for one, want in zip(nodes, of_arguments)]
        if "o" in kinds and len(given) == len(of_arguments) - 1:
            given.append("MPI_ORDER_C")
        if own >= 0:
            given.insert(own, self.value(call.func.value, TYPE))
        made = written(constructor, [self._part(kind, one) for kind, one in zip(kinds, given)])
        self.call = before
        return made

    def reaching(self, last: ast.Call, calls: list[ast.Call]) -> list[ast.expr]:
        """The constructors that may have set the variable of `last`, in branches."""
        name, statement = self.variable_of(last), self._statement(last)
        same = [one for one in calls if self.variable_of(one) == name]
        if not name:  # a function may return one datatype or the other
            returned = isinstance(statement, ast.Return)
            same = [one for one in same if self._statement(one) is statement or (returned and self._is_returned(one))]
        outer = [one for one in same if not any(around in same for around in self.names.chain(one))]
        return self._branches.reaching(outer, last, name)

    def made_in(self, last: ast.Call, calls: list[ast.Call]) -> str:
        """The datatype in the variable of `last`. The user is asked if branches make different
        datatypes."""
        found = self.reaching(last, calls)
        if found == [last] or (len(found) == 1 and found[0] in calls):
            self.asked.line = found[0].lineno
            return self.made_by(found[0])
        scope = self.names.scope(last)
        name = self.variable_of(last) or (scope.name if self._is_returned(last) else "")
        if name and (given := self.asked.of(name, datatype=True)) is not None:
            return given
        made = [self.asked.tried(lambda one=one: str(self.value(one, TYPE))) for one in found]
        if made[0] is not None and made.count(made[0]) == len(made):
            return made[0]
        if len(set(map(ast.unparse, found))) == 1 and set(made) == {None}:
            return self.made_by(last)  # the values are missing
        shown = [(text or ast.unparse(one), one.lineno) for text, one in zip(made, found)]
        raise self.asked.which(name, shown, self._branches.deciding)

    def _statement(self, node: ast.AST) -> ast.stmt:
        return next(one for one in self.names.chain(node) if isinstance(one, ast.stmt))

    def _is_returned(self, call: ast.Call) -> bool:
        return isinstance(self._statement(call), ast.Return)

    def _arguments(self, call: ast.Call, constructor: str) -> list[ast.expr]:
        """The arguments in their order, with and without names."""
        names = PARAMETERS[constructor].split()
        if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
            self.asked.raise_if_any()
            raise Problem(f"write the arguments of {self.call} one by one, without * and **.", code=2)
        given = dict(zip(names, call.args))
        many = len(call.args) + len(call.keywords)
        for one in call.keywords:
            if one.arg not in names or one.arg in given:
                wrong = f"has {one.arg} twice" if one.arg in names else f"has no argument {one.arg}"
                raise Problem(f"{self.call}: {call.func.attr} {wrong}; it takes {', '.join(names)}.", code=2)
            given[one.arg] = one.value
        if many > len(names) or any(name not in given for name in names if name != "order"):
            raise Problem(f"{self.call} has {many} arguments; {len(names)} are needed.", code=2)
        return [given[name] for name in names if name in given]

    def _part(self, kind: str, value: object) -> object:
        is_list = kind in "ldT"
        if is_list != isinstance(value, list) or (kind == "n" and not isinstance(value, (int, float, str))):
            self.asked.raise_if_any()
            raise Problem(
                f"what does {self.call!r} make? It has lists in place of numbers, or numbers in place of lists.", code=2
            )
        if kind in "nl" and (broken := [one for one in (value if is_list else [value]) if isinstance(one, float)]):
            self.asked.raise_if_any()
            raise Problem(
                f"{self.call} needs integers, and {broken[0]} is a float, as / and 1e3 make it. mpi4py does not take floats: "
                "write int(...) or // in the program.",
                code=2,
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


def _measured(datatype: str) -> dict:
    from heddle import native

    return native.tool("explain", "--segments", "0", "--entries", "0", "--json", "--", datatype)


def _grown(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in GROWS
