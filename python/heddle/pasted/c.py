"""Statements of C and C++."""

from __future__ import annotations

import ast
import operator
import re
from typing import NamedTuple

from heddle.pasted import structs
from heddle.pasted.asked import LIST, NUMBER, TYPE, TYPES, Asked, chosen, listed, split
from heddle.pasted.constructors import DEFAULT, DISTRIBUTIONS, ORDERS, TAKES, UNDEFINED, written
from heddle.pasted.names import Names, balanced
from heddle.problem import Problem

NUMBERS = r"(?:unsigned|signed|int|long|short|size_t|u?int\d+_t|MPI_Aint|MPI_Count|MPI_Datatype)"
CALL = re.compile(r"\bP?(MPI_Type_(\w+?)(_c)?)\s*\(")
NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.DOTALL)  # comments, what is quoted
CAST = re.compile(rf"\(\s*(?:const\s+)?{NUMBERS}(?:\s+{NUMBERS})*\s*(?:\[\w*\])?\s*\)(?=\s*[\w({{\-&])")
LEADING_CAST = re.compile(r"^\s*" + CAST.pattern)
SIZEOF = re.compile(r"\bsizeof\s*(?:\(\s*([\w\s*]+?)\s*\)|\*\s*(\w+))")
OFFSETOF = re.compile(r"\boffsetof\s*\(\s*([\w\s]+?)\s*,\s*(\w+)\s*\)")
ADDRESS = re.compile(
    r"\bP?MPI_Get_address\s*\(\s*&?\s*(\w+)((?:\[[^\]]*\]|->|\.|\w+)*)\s*,\s*&?\s*(\w+(?:\[[^\]]*\])?)\s*(?:,[^)]*)?\)", re.I
)
SHIFTED = re.compile(r"(\w+)\s*\+\s*(.+)", re.DOTALL)
SECTION = re.compile(r"(\w+)\[([^:\]]*):\]\s*(?:-(.+))?", re.DOTALL)
ALL = re.compile(r"_all\((.*)\)", re.DOTALL)  # of an array in Fortran
SUBTRACTED = "MPI_Aint_diff"
PLACEHOLDERS = {LIST: "1", TYPE: "MPI_INT", TYPES: "MPI_INT"}  # until all missing values are known
WITHOUT_A_TYPE = set(
    "commit free set_name size size_x get_name get_envelope get_contents get_extent get_true_extent get_extent_x "
    "get_true_extent_x set_attr get_attr delete_attr create_keyval free_keyval c2f f2c fromint toint get_value_index".split()
)
LONGEST = 1 << 20  # the grammar's, too
DEEPEST = 20  # of names that stand for names
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1),
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,  # Fortran
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


class Call(NamedTuple):
    at: int
    name: str
    constructor: str
    arguments: list

    @property
    def made(self) -> str:
        """The variable."""
        return self.arguments[-1].lstrip("&* ")

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments[:-1])}, ...)"


def described(text: str, asked: Asked, variable: str | None) -> str | None:
    """The datatype that the last constructor makes, or the last datatype in `variable`. None: the text is not C."""
    source = NO_CODE.sub(lambda found: " " * len(found[0]), text)
    calls = [
        Call(found.start(), found[1], found[2].removeprefix("create_"), split(balanced(source, found.end())) or [""])
        for found in CALL.finditer(source)
        if found[2] not in WITHOUT_A_TYPE
    ]
    if not calls or (len(calls) == 1 and not re.search("[&;]", source)):
        return None
    call = chosen([(each.made, each) for each in calls], variable, asked)
    return Source(source, calls, asked).made_by(call)


class Source:
    """A program, and the datatypes that its constructors make."""

    def __init__(self, source: str, calls: list[Call], asked: Asked) -> None:
        self.calls = calls
        self.asked = asked
        self.call = calls[-1]  # the constructor that is explained
        self.names = Names(source)
        self.structs = structs.declared(source, lambda length: self.number(length, 0))
        self.variables = structs.variables(source, self.structs)
        self.names = Names(ADDRESS.sub(self._place, source)) if ADDRESS.search(source) else self.names

    def made_by(self, call: Call) -> str:
        takes = TAKES.get(call.constructor)
        if takes is None:
            raise Problem(
                f"{call} is none of the constructors that you can paste ({', '.join(TAKES)}). `heddle explain --help` shows "
                "another way to write a datatype.",
                code=2,
            )
        given = call.arguments[:-1]
        if len(given) != len(takes):
            raise Problem(
                f"{call} has {len(given)} arguments before the new type; {call.constructor} takes {len(takes)}.", code=2
            )
        before, self.call = self.call, call
        at = call.at
        parts: list = []
        many = 0
        for kind, argument in zip(takes, given):
            if kind == "#":
                many = self.number(argument, at)
                if not 0 <= many <= LONGEST:
                    raise Problem(f"{call}: lists of {many} elements; at most {LONGEST} can be explained.", code=2)
            elif kind == "n":
                parts.append(None if argument == UNDEFINED else str(self.number(argument, at)))
            elif kind == "l":
                elements = self.elements_of(argument, many, at)
                parts.append([None if one == DEFAULT else str(self.number(one, at)) for one in elements])
            elif kind == "T":
                parts.append([self.type_of(one, at) for one in self.elements_of(argument, many, at, TYPES)])
            elif kind == "t":
                parts.append(self.type_of(argument, at))
            elif kind == "d":
                parts.append([self.distribution(one, at) for one in self.elements_of(argument, many, at)])
            else:
                parts.append(ORDERS.get(self._text(argument, at), "C"))
        self.call = before
        return written(call.constructor, parts)

    def type_of(self, argument: str, at: int) -> str:
        if (given := self.asked.of(argument)) is not None:
            return given
        argument = self._text(argument, at)
        makers = [call for call in self.calls if call.made == argument]
        if maker := next((call for call in reversed(makers) if call.at < at), None):
            return self.made_by(maker)
        if argument.startswith("MPI_") or argument in structs.PLAIN:
            return argument
        self.asked.miss(argument, TYPE, str(self.call))
        return PLACEHOLDERS[TYPE]

    def distribution(self, argument: str, at: int) -> str:
        name = self._text(argument, at)
        if name in DISTRIBUTIONS:
            return DISTRIBUTIONS[name]
        self.asked.raise_if_any()
        raise Problem(f"what is {argument}? A distribution is one of {', '.join(DISTRIBUTIONS)}.", code=2)

    def _text(self, argument: str, at: int) -> str:
        value = self.names.value(argument, at)
        return value.text if value else argument

    def elements_of(self, argument: str, many: int, at: int, what: str = LIST) -> list[str]:
        text = LEADING_CAST.sub("", argument).strip()
        name = next(iter(re.findall(r"^&?\s*([A-Za-z_][\w.]*)", text)), "")
        if (given := self.asked.of(name)) is not None:
            return self._so_many(name, listed(given), many)
        if text.startswith("{"):
            return self._so_many(argument, split(text.strip("{} \n")), many)
        if text.startswith("&") and many == 1:
            return [text[1:].strip()]
        if (found := SHIFTED.fullmatch(text)) and self._array(found[1], 0, at) is not None:
            begin = self.number(found[2], at)
            return self._so_many(argument, (self._array(found[1], begin + many, at) or [])[begin:], many)
        if (found := SECTION.fullmatch(text)) and self._array(found[1], 0, at) is not None:
            begin = self.number(found[2] or "0", at)
            parts = (self._array(found[1], begin + many, at) or [])[begin:]
            return self._so_many(argument, [f"({part}) - ({found[3]})" if found[3] else part for part in parts], many)
        if (parts := self._array(text, many, at)) is not None:
            return self._so_many(argument, parts, many)
        self.asked.miss(name or argument, what, str(self.call))
        return [PLACEHOLDERS[what]] * many

    def _array(self, name: str, many: int, at: int) -> list[str] | None:
        """The elements of an array, at least `many`. An unknown element is ""."""
        single = self.names.elements(name, at)
        whole = self.names.value(name, at)
        if single is None or not (single or whole):
            return None
        parts: list[str] = []
        if whole:
            text = LEADING_CAST.sub("", whole.text).strip()
            if found := ALL.fullmatch(text):
                parts = [found[1]] * many
            elif text.startswith("{"):
                parts = split(text.strip("{} \n"))
                parts = parts * many if parts == ["0"] else parts  # = {0}
            else:
                return None
        parts += [""] * (many - len(parts))
        for index, value in single:
            if value.at > (whole.at if whole else -1):
                place = self.number(index, value.at)
                if place < 0:
                    self.asked.raise_if_any()
                    raise Problem(f"{name}[{index}] = {value.text}: the array has no element {place}.", code=2)
                if place < len(parts):
                    parts[place] = value.text
        return parts

    def _so_many(self, name: str, parts: list[str], many: int) -> list[str]:
        if len(parts) < many or "" in parts[:many]:
            raise Problem(f"{name} has {sum(map(bool, parts))} elements, and {many} are wanted.", code=2)
        return parts[:many]

    def number(self, text: str, at: int, depth: int = 0) -> int:
        """A number: the value of a C expression of numbers, names and operators."""
        if (given := self.asked.of(text)) is not None and depth < DEEPEST:
            return self.number(given, at, depth + 1)
        tree = self._expression(text)
        if tree is None:
            self.asked.miss(text, NUMBER, str(self.call))
            return 1
        try:
            return self._value(tree, at, depth)
        except (ZeroDivisionError, OverflowError):
            self.asked.raise_if_any()
            raise Problem(f"how much is {text!r}? Write the number in its place.", code=2) from None

    def _value(self, node: ast.expr, at: int, depth: int) -> int:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, at, depth)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.BinOp):
            return ARITHMETIC[type(node.op)](self._value(node.left, at, depth), self._value(node.right, at, depth))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == SUBTRACTED and len(node.args) == 2:
            return self._value(node.args[0], at, depth) - self._value(node.args[1], at, depth)
        name = ast.unparse(node)
        if (given := self.asked.of(name)) is not None and depth < DEEPEST:
            return self.number(given, at, depth + 1)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and depth < DEEPEST:
            place = self._value(node.slice, at, depth)
            parts = self._array(node.value.id, place + 1, at)
            if parts is not None and 0 <= place < len(parts) and parts[place] and self._expression(parts[place]):
                return self.number(parts[place], at, depth + 1)
        if isinstance(node, (ast.Name, ast.Attribute)) and depth < DEEPEST:
            value = self.names.value(name, at)
            tree = self._expression(value.text) if value else None
            if tree is not None and not _asks_others(tree):
                return self.number(value.text, value.at, depth + 1)
        self.asked.miss(name, NUMBER, str(self.call))
        return 1

    def _expression(self, text: str) -> ast.expr | None:
        """The parsed text. None: it is not arithmetic of numbers and names."""
        plain = CAST.sub("", OFFSETOF.sub(self._offset, SIZEOF.sub(self._size, text)))
        plain = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", plain).replace("/", "//").replace("->", ".")
        plain = re.sub(r"(?<![\w.])0([0-7]+)\b", r"0o\1", plain)
        try:
            tree = ast.parse(plain.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return None
        return tree if _is_arithmetic(tree) else None

    def _size(self, found: re.Match) -> str:
        import ctypes

        name = found[1] or found[2]
        kind = structs.of(name, self.structs) or self.variables.get(name)
        return str(ctypes.sizeof(kind)) if kind else f"sizeof({''.join(name.split())})"

    def _offset(self, found: re.Match) -> str:
        kind = structs.of(found[1], self.structs)
        place = structs.offset(found[2], kind) if kind else None
        return f"offsetof({''.join(found[1].split())}, {found[2]})" if place is None else str(place)

    def _place(self, found: re.Match) -> str:
        """MPI_Get_address as an assignment. The address counts from the beginning of the variable: only differences matter."""
        kind = self.variables.get(found[1])
        member = re.fullmatch(r"(?:\[0\])?(?:(?:\.|->)(\w+)(?:\[0\])*)?", found[2])
        place = None
        if kind and member:
            place = structs.offset(member[1], kind) if member[1] else 0
        return found[0] if place is None else f"{found[3]} = {place}".ljust(len(found[0]))  # keeps the places behind it


def _is_arithmetic(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and _is_arithmetic(node.operand)
    if isinstance(node, ast.BinOp):
        return type(node.op) in ARITHMETIC and _is_arithmetic(node.left) and _is_arithmetic(node.right)
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))


def _asks_others(tree: ast.expr) -> bool:
    """Whether an expression calls a function, other than sizeof and offsetof. Then the user is asked for the variable: its name
    is easier to give than the call."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func) not in ("sizeof", "offsetof", SUBTRACTED) for call in calls)
