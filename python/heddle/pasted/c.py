"""Statements of C and C++."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, NamedTuple

from heddle.pasted import structs
from heddle.pasted.arithmetic import ARITHMETIC, ARITY, FUNCTIONS, OWN
from heddle.pasted.asked import LIST, NAME, NUMBER, TYPE, TYPES, Asked, chosen, listed
from heddle.pasted.branches import Branches
from heddle.pasted.constructors import DEFAULT, DISTRIBUTIONS, ORDERS, TAKES, UNDEFINED, written
from heddle.pasted.functions import complain_if_called
from heddle.pasted.implied import IMPLIED, as_written, counted_out
from heddle.pasted.names import Names, base_of, key_of
from heddle.pasted.sizes import Sizes
from heddle.pasted.syntax import CPP, all_of, complain_if_open, expression, line_of, parsed, parts, text_of
from heddle.problem import Problem

if TYPE_CHECKING:
    from tree_sitter import Node

CONSTRUCTOR = re.compile(r"P?(MPI_Type_(\w+?)(?:_c)?)")
PLAIN_NUMBER = re.compile(r"0|[1-9]\d*")
# Of fortran.py: an array of equal elements, an array minus a number, and a section with an unknown
# beginning.
EVERY, MINUS, PART = "_every", "_minus", "_part"
PLACEHOLDERS = {LIST: "1", TYPE: "MPI_INT", TYPES: "MPI_INT"}  # until all missing values are known
WITHOUT_A_TYPE = set(
    "commit free set_name size size_x get_name get_envelope get_contents get_extent get_true_extent get_extent_x "
    "get_true_extent_x set_attr get_attr delete_attr create_keyval free_keyval c2f f2c fromint toint get_value_index".split()
)
LONGEST = 1 << 20  # the grammar's, too
DEEPEST = 20  # of names that stand for names
ARRAYS = ("identifier", "field_expression")


class Text(str):
    """An expression, and its place in the text."""

    at: int

    @classmethod
    def of(cls, text: str, at: int) -> Text:
        made = cls(text)
        made.at = at
        return made


class Call(NamedTuple):
    at: int
    line: int
    name: str
    constructor: str
    arguments: list

    @property
    def made(self) -> str:
        """The variable."""
        return self.arguments[-1].lstrip("&* ")

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(as_written, self.arguments[:-1]))}, ...)".replace(OWN, "")


def described(text: str, asked: Asked, variable: str | None) -> str | None:
    """The datatype that the last constructor makes, or the last datatype in `variable`. None: the
    text is not C."""
    if not CONSTRUCTOR.search(text):
        return None
    root = parsed(text, CPP)
    complain_if_open(root, CONSTRUCTOR)
    calls = list(filter(None, map(_call, all_of(root, "call_expression"))))
    if not calls or (len(calls) == 1 and not re.search("[&;]", text)):
        return None
    if variable:
        complain_if_called(root, variable, [(each.made, each.at) for each in calls])
    call = chosen([(each.made, each) for each in calls], variable, asked)
    return Source(root, calls, asked).made_in(call)


def _call(node: Node) -> Call | None:
    found = CONSTRUCTOR.fullmatch(text_of(node.child_by_field_name("function")))
    if not found or found[2] in WITHOUT_A_TYPE:
        return None
    given = [text_of(one) for one in parts(node.child_by_field_name("arguments"))]
    return Call(node.start_byte, line_of(node), found[1], found[2].removeprefix("create_"), given or [""])


class Source:
    """A program, and the datatypes that its constructors make."""

    def __init__(self, root: Node, calls: list[Call], asked: Asked) -> None:
        self.calls = calls
        self.asked = asked
        self.call = calls[-1]  # the constructor that is explained
        self.structs: structs.Known = {}
        self.sizes = Sizes(root)
        self.names = Names(root)
        self.structs = structs.declared(root, lambda length: self.number(length, 0))
        self.variables = structs.variables(root, self.structs)
        self.names = Names(root, self._place)
        self._deciding: list[str] = []  # names whose values choose a branch
        self._branches = Branches(root, {call.at: call.made for call in calls}, self._known, self.asked.of)

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
        taken: list = []
        many = 0
        for kind, argument in zip(takes, given):
            if kind == "#":
                many = self.number(argument, at)
                if not 0 <= many <= LONGEST:
                    raise Problem(f"{call}: lists of {many} elements; at most {LONGEST} can be explained.", code=2)
            elif kind == "n":
                taken.append(None if argument == UNDEFINED else str(self.number(argument, at)))
            elif kind == "l":
                elements = self.elements_of(argument, many, at)
                taken.append([None if one == DEFAULT else str(self.number(one, at)) for one in elements])
            elif kind == "T":
                taken.append([self.type_of(one, at) for one in self.elements_of(argument, many, at, TYPES)])
            elif kind == "t":
                taken.append(self.type_of(argument, at))
            elif kind == "d":
                taken.append([self.distribution(one, at) for one in self.elements_of(argument, many, at)])
            else:
                taken.append(ORDERS.get(self._text(argument, at), "C"))
        self.call = before
        return written(call.constructor, taken)

    def made_in(self, last: Call, before: int | None = None) -> str:
        """The datatype in a variable, whose last constructor is `last`. `before`: the place of its
        use; None: anywhere. The user is asked if branches make different datatypes."""
        reaching = self._branches.reaching(last.made, last.at, before)
        calls = [call for call in self.calls if call.at in reaching]
        assigned = [(Text.of(text, at), line) for at, (text, line) in self._branches.assigned.items() if at in reaching]
        if not calls and len(assigned) == 1 and before is not None:  # t = MPI_INT;
            return self.type_of(assigned[0][0], before)
        if not calls or (len(calls) == 1 and not assigned):
            only = (calls or [last])[0]
            self.asked.line = only.line if before is None else self.asked.line
            return self.made_by(only)
        if (given := self.asked.of(last.made, datatype=True)) is not None:
            return given
        made = [self.asked.tried(lambda call=call: self.made_by(call)) for call in calls]
        made += [self.asked.tried(lambda one=one: self.type_of(one, one.at)) for one, _ in assigned]
        if made[0] is not None and made.count(made[0]) == len(made):
            return made[0]
        if not assigned and len({(call.constructor, *map(str, call.arguments)) for call in calls}) == 1 and set(made) == {None}:
            return self.made_by(last)  # the values are missing
        written = [*((str(call), call.line) for call in calls), *assigned]
        shown = [(text or own, line) for text, (own, line) in zip(made, written)]
        raise self.asked.which(last.made, shown, [*self._deciding, *self._branches.macros])

    def _known(self, node: Node) -> int | None:
        """The value of a condition's part. None: it is not known."""
        missing: list[str] = []
        value = self.asked.tried(lambda: self._value(node, node.start_byte, 0), missing)
        self._deciding += [one for one in missing if NAME.fullmatch(one) and one[0] != "_" and one not in self._deciding]
        return value

    def type_of(self, argument: str, at: int) -> str:
        at = getattr(argument, "at", at)
        if (given := self.asked.of(argument, datatype=True)) is not None:
            return given
        name = self._text(argument, at)
        makers = [call for call in self.calls if call.made == name]
        if maker := next((call for call in reversed(makers) if call.at < at), None):
            return self.made_in(maker, at)
        if name.startswith("MPI_") or name in structs.PLAIN:
            return name
        self.asked.miss(argument, TYPE, str(self.call), self.names.sets(argument))
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
        if many == 0 and not self.asked.misses:
            return []
        node = _plain(expression(argument))
        name = as_written(_array_of(node) if node is not None else argument)
        if (given := self.asked.of(name)) is not None:
            return self._so_many(name, listed(given), many)
        if node is not None and node.type == "initializer_list" and (inside := self._counted(node, at)) is not None:
            return self._so_many(as_written(argument), inside, many)
        if node is not None and node.type == "pointer_expression" and many == 1:
            return [text_of(node)[1:].strip()]
        elements = None if node is None else self._elements(node, many, at)
        if elements is not None:
            return self._so_many(argument, elements, many)
        self.asked.miss(name or argument, what, str(self.call), self.names.sets(name))
        return [PLACEHOLDERS[what]] * many

    def _elements(self, node: Node, many: int, at: int) -> list[str] | None:
        """The elements of an array, of a + 2 or of &a[2]. An unknown element is ""; None: the array
        is not known."""
        if node.type in ARRAYS:
            return self._array(text_of(node), many, at)
        begin = "0"
        if node.type == "call_expression" and text_of(node.child_by_field_name("function")) == MINUS:
            array, less = parts(node.child_by_field_name("arguments"))
            elements = self._elements(_plain(array), many, at)
            return elements and [f"({self.number(one, at)}) - ({text_of(less)})" if one else "" for one in elements]
        if node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) == "+":
            array, begin = _plain(node.child_by_field_name("left")), text_of(node.child_by_field_name("right"))
        elif node.type == "pointer_expression" and node.child_by_field_name("argument").type == "subscript_expression":
            element = node.child_by_field_name("argument")
            array, begin = element.child_by_field_name("argument"), text_of(element.child_by_field_name("indices"))[1:-1]
        else:
            return None
        if array.type not in ARRAYS or self._array(text_of(array), 0, at) is None:
            return None
        first = self.number(begin, at)
        return (self._array(text_of(array), first + many, at) or [])[first:]

    def _array(self, name: str, many: int, at: int) -> list[str] | None:
        """The elements of an array, at least `many`. An unknown element is ""."""
        single = self.names.elements(name, at)
        whole = self.names.value(name, at)
        if single is None or not (single or whole):
            return None
        found: list[str] = []
        if whole:
            node = _plain(expression(whole.text))
            if node is None:
                return None
            if node.type == "call_expression" and text_of(node.child_by_field_name("function")) == EVERY:
                found = [Text.of(text_of(parts(node.child_by_field_name("arguments"))[0]), whole.at)] * many
            elif node.type == "initializer_list":
                inside = self._counted(node, whole.at)
                if inside is None:
                    return None
                found = inside * many if inside == ["0"] else inside  # = {0}
            else:
                return None
        found += [""] * (many - len(found))
        for index, value in single:
            if value.at > (whole.at if whole else -1):
                place = self.number(index, value.at)
                if place < 0:
                    self.asked.raise_if_any()
                    raise Problem(f"{name}[{index}] = {value.text}: the array has no element {place}.", code=2)
                if place < len(found):
                    found[place] = Text.of(value.text, value.at)
        return found

    def _counted(self, node: Node, at: int) -> list[str] | None:
        """The elements of a list, with the place where their names are evaluated. None: an implied
        loop needs functions."""
        elements = [text_of(one) for one in parts(node)]
        if IMPLIED in text_of(node):
            elements = counted_out(elements, lambda bound: self.number(bound, at))
            if not all(_is_arithmetic(expression(one)) for one in elements[:1]):
                return None
        return [Text.of(one, at) for one in elements]

    def _so_many(self, name: str, elements: list[str], many: int) -> list[str]:
        if len(elements) < many or "" in elements[:many]:
            raise Problem(f"{name} has {sum(map(bool, elements))} elements, and {many} are wanted.", code=2)
        return elements[:many]

    def number(self, text: str, at: int, depth: int = 0) -> int:
        """A number: the value of a C expression of numbers, names and operators."""
        at = getattr(text, "at", at)
        if (given := self.asked.of(text)) is not None and depth < DEEPEST:
            return self.number(given, at, depth + 1)
        if PLAIN_NUMBER.fullmatch(text):  # lists may have a million of them
            return int(text)
        node = expression(text)
        if node is None:
            self.asked.miss(text, NUMBER, str(self.call))
            return 1
        try:
            return self._value(node, at, depth)
        except (ArithmeticError, ValueError):
            self.asked.raise_if_any()
            raise Problem(f"how much is {text!r}? Write the number in its place.", code=2) from None

    def _value(self, node: Node, at: int, depth: int) -> int:
        node = _plain(node)
        kind = node.type
        if kind == "number_literal":
            return _literal(text_of(node))
        if kind == "initializer_list" and len(parts(node)) == 1:  # MPI_Aint{8}
            return self._value(parts(node)[0], at, depth)
        if kind == "unary_expression" and text_of(node)[0] in "+-":
            value = self._value(node.child_by_field_name("argument"), at, depth)
            return -value if text_of(node)[0] == "-" else value
        if _is_length(node) and self._measured(parts(node)[0], at) is None and depth < DEEPEST:
            return self._asked_for(" ".join(text_of(node).split()), at, depth)
        if kind == "binary_expression" and (does := ARITHMETIC.get(text_of(node.child_by_field_name("operator")))):
            return does(*(self._value(node.child_by_field_name(side), at, depth) for side in ("left", "right")))
        if kind == "call_expression" and (does := FUNCTIONS.get(text_of(node.child_by_field_name("function")))):
            given = parts(node.child_by_field_name("arguments"))
            if len(given) == ARITY.get(text_of(node.child_by_field_name("function")), max(len(given), 2)):
                return does(*(self._value(one, at, depth) for one in given))
        if (known := self._measured(node, at)) is not None:
            return known
        name = " ".join(text_of(node).split()) if kind == "sizeof_expression" else key_of(text_of(node))
        if (given := self.asked.of(name)) is not None and depth < DEEPEST:
            return self.number(given, at, depth + 1)
        if kind == "subscript_expression" and node.child_by_field_name("argument").type in ARRAYS and depth < DEEPEST:
            place = self._value(parts(node.child_by_field_name("indices"))[0], at, depth)
            elements = self._array(text_of(node.child_by_field_name("argument")), place + 1, at)
            if elements is not None and 0 <= place < len(elements) and _is_arithmetic(expression(elements[place])):
                return self.number(elements[place], at, depth + 1)
        unread = ""
        if kind in ARRAYS and depth < DEEPEST:
            value = self.names.value(text_of(node), at)
            if value and _is_arithmetic(expression(value.text)):
                return self.number(value.text, value.at, depth + 1)
            unread = value.text.replace(OWN, "") if value and value.constant else ""
        self.asked.miss(name, NUMBER, str(self.call), not unread and self.names.sets(base_of(node)), unread)
        return 1

    def _asked_for(self, text: str, at: int, depth: int) -> int:
        if (given := self.asked.of(text)) is not None:
            return self.number(given, at, depth + 1)
        self.asked.miss(text, NUMBER, str(self.call))
        return 1

    def _kind(self, name: str) -> type | None:
        return structs.of(name, self.structs)

    def _measured(self, node: Node, at: int) -> int | None:
        """The value of sizeof and offsetof."""
        if node.type == "sizeof_expression":
            kind, value = node.child_by_field_name("type"), _plain(node.child_by_field_name("value"))
            if value is not None and value.type != "identifier":
                return self.sizes.of(value, at, self._kind, lambda length: self.number(length, at))
            its = self._kind(text_of(kind or value))
            return ctypes.sizeof(its) if its else self.sizes.of(kind or value, at, self._kind, lambda one: self.number(one, at))
        if node.type == "offsetof_expression":
            kind = structs.of(text_of(node.child_by_field_name("type")), self.structs)
            return structs.offset(text_of(node.child_by_field_name("member")), kind) if kind else None
        return None

    def _place(self, node: Node) -> int | None:
        """The place of a member in a variable, such as x in &s[0].x. Only differences of places
        matter."""
        members = []
        node = _plain(node)
        inside = node.child_by_field_name("argument") if text_of(node).startswith("&") else None
        is_of_member = inside is not None and inside.type == "field_expression"
        while node.type not in ("identifier",):
            if node.type == "field_expression":
                members.append(text_of(node.child_by_field_name("field")))
            elif node.type == "subscript_expression":
                if text_of(node.child_by_field_name("indices"))[1:-1].strip() != "0":
                    return None
            elif node.type != "pointer_expression":
                return None
            node = _plain(node.child_by_field_name("argument"))
        kind = self.variables.get(text_of(node))
        if kind is None or len(members) > 1:
            return None
        if members and not is_of_member and structs.is_pointer(members[0], kind):  # the place is behind the pointer
            return None
        return structs.offset(members[0], kind) if members else 0


def _plain(node: Node | None) -> Node | None:
    """The expression without casts and brackets around it; the list of (int[]){1, 2}; the array of
    array.data()."""
    while node is not None:
        if node.type in ("cast_expression", "compound_literal_expression", "parenthesized_expression"):
            inner = node.child_by_field_name("value") or parts(node)[0]
        else:
            inner = _converted(node) if node.type == "call_expression" else None
        if inner is None:
            return node
        node = inner
    return None


def _is_length(node: Node) -> bool:
    """True for sizeof a / sizeof a[0]."""
    sides = [node.child_by_field_name(side) for side in ("left", "right")] if node.type == "binary_expression" else []
    is_quotient = sides and text_of(node.child_by_field_name("operator")) == "/"
    return bool(is_quotient) and all(one.type == "sizeof_expression" for one in sides)


def _converted(node: Node) -> Node | None:
    """The value in (MPI_Aint)(n), static_cast<int>(n) and array.data(), which the grammar takes for
    calls."""
    called, given = node.child_by_field_name("function"), parts(node.child_by_field_name("arguments"))
    if called.type == "field_expression" and not given and text_of(called.child_by_field_name("field")) == "data":
        return called.child_by_field_name("argument")
    is_cast = called.type == "parenthesized_expression" or text_of(called).startswith("static_cast<")
    return given[0] if len(given) == 1 and (is_cast or text_of(called) in structs.PLAIN) else None


def _array_of(node: Node) -> str:
    """The name of the array of which an expression takes elements."""
    if node.type == "binary_expression":
        return _array_of(_plain(node.child_by_field_name("left")))
    if node.type == "call_expression" and text_of(node.child_by_field_name("function")) in (MINUS, PART):
        return _array_of(_plain(parts(node.child_by_field_name("arguments"))[0]))
    return base_of(node)


def _literal(text: str) -> int:
    digits = re.sub(r"[uUlL]+$|'", "", text)
    if re.fullmatch(r"0[0-7]+", digits):
        return int(digits, 8)
    return int(digits, 0)


def _is_arithmetic(node: Node | None) -> bool:
    """True if an expression has only numbers, names and operators. If it calls a function, the user
    is asked for the variable: its name is easier to give than the call."""
    node = _plain(node)
    if node is None:
        return False
    if node.type in ("number_literal", "sizeof_expression", "offsetof_expression", "subscript_expression", *ARRAYS):
        return True
    if node.type == "binary_expression":
        sides = (node.child_by_field_name(side) for side in ("left", "right"))
        return text_of(node.child_by_field_name("operator")) in ARITHMETIC and all(map(_is_arithmetic, sides))
    if node.type == "call_expression" and text_of(node.child_by_field_name("function")) in FUNCTIONS:
        return all(map(_is_arithmetic, parts(node.child_by_field_name("arguments"))))
    return node.type == "unary_expression" and _is_arithmetic(node.child_by_field_name("argument"))
