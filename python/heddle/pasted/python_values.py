"""Values of Python's expressions: numbers, lists, and names for them. Nothing is run."""

from __future__ import annotations

import ast
import operator

from heddle.pasted.asked import LIST, NUMBER, TYPE, TYPES, Asked, listed
from heddle.pasted.python_effects import ARRAY, ELEMENT
from heddle.pasted.python_names import COMPREHENSIONS, Names, names

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}
OF_ELEMENTS = (ast.Add, ast.Sub, ast.Mult)  # of NumPy's arrays
PLACEHOLDERS = {NUMBER: 1, LIST: [1], TYPE: "MPI_INT", TYPES: ["MPI_INT"]}
SAYABLE = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.Name, ast.Attribute, ast.Subscript)
SAYABLE += (ast.ListComp, ast.GeneratorExp, ast.Compare, ast.Slice)
LISTING = ("range", "list", "tuple", "len", "max", "min", "sum", "int")  # functions of Python
OF_NUMPY = ("array", "asarray", "arange")
FILLED = ("zeros", "ones", "empty", "full")  # arrays of a shape
INTEGERS = ("int", "i", "i4", "i8", "l", "q", "intc", "intp", "int32", "int64")
COMPARISONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
DEEPEST = 50
LONGEST = 1 << 16  # numbers of a list
LARGEST = 1 << 64  # a number beyond this is not computed
REAL = (int, float)


class Array(list):
    """An array of NumPy: its arithmetic is that of its elements."""


class Values:
    def __init__(self, tree: ast.Module, asked: Asked) -> None:
        self.asked = asked
        self.call = ""
        self.names = Names(tree)
        self.running: dict[ast.AST, dict[str, object]] = {}  # comprehensions and functions: values of their variables
        self._fixed_shapes = not any(
            isinstance(node, ast.Attribute) and (node.attr == "resize" or (node.attr == "shape" and _is_set(node)))
            for node in ast.walk(tree)
        )

    def value(self, node: ast.expr, want: str, depth: int = 0) -> object:
        """A number, a list of numbers, or the text of a datatype."""
        if isinstance(node, ast.Constant) and isinstance(node.value, REAL):
            return int(node.value) if isinstance(node.value, bool) else node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return self._elements(node, TYPE if want == TYPES else NUMBER, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._number(node.operand, depth)
        if isinstance(node, ast.Name):
            for around in self.names.chain(node):
                if node.id in (values := self.running.get(around, {})):
                    its = values[node.id]
                    return self.value(its, want, depth + 1) if isinstance(its, ast.expr) else its
        name = ast.unparse(node)
        if (given := self.asked.of(name, want in (TYPE, TYPES))) is not None:
            return _given(given, want)
        if isinstance(node, ast.BinOp):
            return self._combined(node, want, depth)
        if (made := self.datatype(node, depth)) is not None:
            return made
        if isinstance(node, (ast.Name, ast.Attribute)) and depth < DEEPEST:
            its = self.names.binding(name, node)
            if its and its.value is not None and (self.is_datatype(its.value) or self._is_sayable(its.value)):
                return self._with_changes(name, node, its.target, self.value(its.value, want, depth + 1), want)
        for found in (self._listed, self._part_of, self._shape_of, self._truth):
            if (its := found(node, depth)) is not None:
                return its
        self._miss(node, want, self.names.is_set(name))
        return PLACEHOLDERS[want]

    def known(self, node: ast.expr, want: str) -> object:
        """The value, whose names the user may still be asked for. None: it is no expression of
        known form."""
        return self.value(node, want) if self._is_sayable(node) else None

    def datatype(self, node: ast.expr, depth: int) -> object:
        """The text of a datatype that an expression makes or names. None: it does not."""
        raise NotImplementedError

    def is_datatype(self, node: ast.AST | None, depth: int = 0) -> bool:
        raise NotImplementedError

    def _miss(self, node: ast.expr, want: str, computed: bool = False) -> None:
        """Asks for an expression. If it has the variable of a comprehension, it asks for all of the
        comprehension."""
        for around in self.names.chain(node):
            if isinstance(around, COMPREHENSIONS) and not names(node).isdisjoint(self.running.get(around, {})):
                node, want, computed = around, LIST, True
        if not isinstance(node, COMPREHENSIONS) or not self.asked.misses:
            self.asked.miss(ast.unparse(node), want, self.call, computed)

    def _elements(self, node: ast.List | ast.Tuple, want: str, depth: int) -> list:
        found: list = []
        for one in node.elts:
            its = self.value(one.value if isinstance(one, ast.Starred) else one, want, depth)
            found += its if isinstance(one, ast.Starred) and isinstance(its, list) else [its]
        return found

    def _is_sayable(self, node: ast.expr, depth: int = 0) -> bool:
        """The expression may have a value here. Its names may still be unknown numbers."""
        expressions = [one for one in ast.walk(node) if isinstance(one, ast.expr)]
        over = [one.iter for each in expressions if isinstance(each, COMPREHENSIONS) for one in each.generators]
        if any(map(self._is_array, expressions)) and any(isinstance(one, ast.BinOp) for one in expressions):
            return False
        skipped = {inside for one in expressions if self._is_array(one) for inside in ast.walk(one.func)}
        skipped |= {inside for one in expressions if self._is_array(one) for word in one.keywords for inside in ast.walk(word)}
        return all(self._may_be_known(one, depth) for one in expressions if one not in skipped) and all(
            self._is_list(one, depth) for one in over
        )

    def _may_be_known(self, node: ast.expr, depth: int) -> bool:
        if isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(node.value, (ast.Name, ast.Attribute)):
            return self._shape(node.value) is not None
        if isinstance(node, ast.Call) and _is_listing(node) and node.func.id == "int":
            return not any(isinstance(one, (ast.Attribute, ast.Subscript)) for one in ast.walk(node))
        if isinstance(node, ast.Call) and _is_listing(node) and node.func.id == "sum":
            return all(self._is_list(one, depth) for one in node.args)
        return isinstance(node, SAYABLE) or _is_listing(node) or self._is_array(node)

    def _is_array(self, node: ast.AST) -> bool:
        """True for np.array(...) of integers and the like."""
        if not isinstance(node, ast.Call) or not self.names.effects.is_numpy(node.func) or node.func.attr not in OF_NUMPY:
            return False
        kinds = [*(one.value for one in node.keywords), *(node.args[1:] if node.func.attr != "arange" else ())]
        words = all(one.arg == "dtype" for one in node.keywords)
        return words and len(kinds) < 2 and all(_last_word(one) in INTEGERS for one in kinds)

    def _is_list(self, node: ast.expr, depth: int) -> bool:
        """False also for a list that is not known."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return True
        name = ast.unparse(node)
        its = self.names.definition(name, node) if depth < DEEPEST else None
        known = self.asked.of(name) is not None or self._is_a_variable(node)
        return known or (its is not None and self._is_sayable(its, depth + 1))

    def _is_a_variable(self, node: ast.expr) -> bool:
        """True: a name that a comprehension around it sets, or a parameter with a value."""
        around = self.names.chain(node)
        if any(ast.unparse(node) in self.running.get(one, {}) for one in around):
            return True
        made = [one for one in around if isinstance(one, COMPREHENSIONS)]
        return any(ast.unparse(node) in names(one.target) for each in made for one in each.generators)

    def _listed(self, node: ast.expr, depth: int) -> object:
        """The value of a comprehension, of range(), list(), len(), np.array() and the like. None:
        it is none of these, or too long."""
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and self._is_sayable(node):
            found: list = []
            return found if self._run(node, node.generators, found, depth) else None
        if self._is_array(node):
            return self._array(node, depth)
        if not _is_listing(node) or not self._is_sayable(node):
            return None
        given = [self.value(one, NUMBER, depth) for one in node.args]
        name = node.func.id
        if name == "range":
            return _range(given, list)
        if name in ("max", "min", "sum"):
            among = given[0] if len(given) == 1 and isinstance(given[0], list) else given
            known = all(isinstance(one, REAL) for one in among) and (among is not given if name == "sum" else among)
            return {"max": max, "min": min, "sum": sum}[name](among) if known else None
        if name == "int":
            return int(given[0]) if len(given) == 1 and isinstance(given[0], REAL) else None
        if len(given) == 1 and isinstance(given[0], list):
            return len(given[0]) if name == "len" else list(given[0])
        return None

    def _array(self, node: ast.Call, depth: int) -> Array | None:
        given = [self.value(one, NUMBER, depth) for one in node.args]
        if node.func.attr == "arange":
            return _range(given, Array)
        its = given[0] if given and isinstance(given[0], list) else None
        return None if its is None or any(isinstance(one, (float, list)) for one in its) else Array(its)

    def _shape(self, node: ast.expr) -> ast.expr | None:
        """The shape in the call that made an array."""
        its = self.names.definition(ast.unparse(node), node) if self._fixed_shapes else None
        if not isinstance(its, ast.Call) or not self.names.effects.is_numpy(its.func) or its.func.attr not in FILLED:
            return None
        said = [*its.args[:1], *(one.value for one in its.keywords if one.arg == "shape")]
        return said[0] if said else None

    def _shape_of(self, node: ast.expr, depth: int) -> list | None:
        if not isinstance(node, ast.Attribute) or node.attr != "shape":
            return None
        its = self._shape(node.value)
        if its is None or not self._is_sayable(its):
            return None
        shape = self.value(its, NUMBER, depth + 1)
        return shape if isinstance(shape, list) else [shape]

    def _part_of(self, node: ast.expr, depth: int) -> object:
        """The value of d[1] or d[1:], if d is known."""
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, (ast.Name, ast.Attribute)):
            return None
        its = self.names.definition(ast.unparse(node.value), node.value)
        is_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and self._shape(node.value.value)
        if not is_shape and (its is None or not self._is_sayable(its)) and not self._is_a_variable(node.value):
            return None
        index = node.slice
        bounds = [index.lower, index.upper, index.step] if isinstance(index, ast.Slice) else [index]
        at = [None if one is None else self.value(one, NUMBER, depth) for one in bounds]
        whole = self.value(node.value, LIST, depth + 1)
        if not isinstance(whole, list) or not all(one is None or isinstance(one, int) for one in at):
            return None
        if not isinstance(index, ast.Slice):
            return whole[at[0]] if -len(whole) <= at[0] < len(whole) else None
        return type(whole)(whole[slice(*at)]) if at[2] != 0 else None

    def _truth(self, node: ast.expr, depth: int) -> int | None:
        known = self._holds(node, depth) if isinstance(node, ast.Compare) else None
        return None if known is None else int(known)

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
        if not all(isinstance(one, REAL) for one in sides) or not all(type(one) in COMPARISONS for one in condition.ops):
            return None
        return all(COMPARISONS[type(one)](*pair) for one, pair in zip(condition.ops, zip(sides, sides[1:])))

    def _with_changes(self, name: str, use: ast.AST, made: ast.AST, value: object, want: str) -> object:
        """The list after assignments such as a[2] = 5. The user is asked for it after other
        changes."""
        its = self.names.definition(name, use)
        nested = isinstance(value, list) and any(isinstance(one, list) for one in value)
        if not isinstance(value, list) or (_is_fixed(its) and not nested):
            return value
        value = type(value)(value)
        for change in self.names.changes(name, use, made):
            if (change.effect == ELEMENT and not nested) or (change.effect == ARRAY and not isinstance(value, Array)):
                continue
            known = change.certain and change.value is not None and isinstance(change.at, ast.Subscript)
            place = self._number(change.at.slice, 0) if known and not isinstance(change.at.slice, ast.Slice) else None
            if place is None:
                self.asked.miss(name, LIST if want == NUMBER else want, self.call, True)
            elif -len(value) <= place < len(value):
                value[place] = self.value(change.value, TYPE if want == TYPES else NUMBER)
        return value

    def _combined(self, node: ast.BinOp, want: str, depth: int) -> object:
        left, right = self.value(node.left, NUMBER, depth), self.value(node.right, NUMBER, depth)
        if isinstance(left, Array) or isinstance(right, Array):
            return self._of_elements(node, left, right, want)
        if isinstance(left, list) or isinstance(right, list):
            if isinstance(node.op, ast.Mult) and (isinstance(left, int) or isinstance(right, int)):
                return left * right
            if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
                return left + right
        elif type(node.op) in OPERATORS and isinstance(left, REAL) and isinstance(right, REAL):
            try:
                return self._bounded(OPERATORS[type(node.op)], left, right)
            except (ArithmeticError, ValueError, TypeError):
                pass
        self._miss(node, want)
        return PLACEHOLDERS[want]

    def _bounded(self, does: object, left: float, right: float) -> float:
        if does in (operator.pow, operator.lshift) and abs(right) > 64:
            raise OverflowError
        made = does(left, right)
        if isinstance(made, complex) or abs(made) > LARGEST:
            raise OverflowError
        return made

    def _of_elements(self, node: ast.BinOp, left: object, right: object, want: str) -> object:
        many = max(len(one) for one in (left, right) if isinstance(one, list))
        sides = [one if isinstance(one, list) else [one] * many for one in (left, right)]
        numbers = all(isinstance(one, int) for side in sides for one in side)
        if type(node.op) in OF_ELEMENTS and numbers and len(sides[0]) == len(sides[1]):
            return Array(map(OPERATORS[type(node.op)], *sides))
        self._miss(node, want)
        return PLACEHOLDERS[want]

    def _number(self, node: ast.expr, depth: int) -> float:
        value = self.value(node, NUMBER, depth)
        if not isinstance(value, REAL):
            self._miss(node, NUMBER)
        return value if isinstance(value, REAL) else 1


def _range(given: list, kind: type) -> list | None:
    if not 1 <= len(given) <= 3 or not all(isinstance(one, int) for one in given):
        return None
    numbers = range(*given) if len(given) < 3 or given[2] else range(0)
    return kind(numbers) if len(numbers) <= LONGEST else None


def _given(text: str, want: str) -> object:
    if want in (LIST, TYPES) or text.startswith("["):
        return [_given(one, NUMBER) for one in listed(text)]
    try:
        return int(text, 0)
    except ValueError:
        return text


def _is_set(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_fixed(node: ast.expr | None) -> bool:
    """True for a tuple: its elements do not change."""
    return isinstance(node, ast.Tuple) or (isinstance(node, ast.Call) and _is_listing(node) and node.func.id == "tuple")


def _is_listing(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LISTING and not node.keywords


def _last_word(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node).rpartition(".")[2]
