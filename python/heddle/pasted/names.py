"""The names of a C program: where each name gets a value, and whether this value is certain.

names = Names("int n = 8; for (int i = 0; i < n; ++i) a[i] = 1; MPI_Type_vector(n, ...)")
names.value("n", at)       # Value(at=4, text="8"): its value at the call, which stands at `at`
names.value("i", at)       # None: not known, or not constant
names.elements("a", at)    # None; else [("2", Value), ...] of a[2] = 5;

A name is known if the last assignment before the call gives its value literally. It is not known if that assignment stands in
a branch or loop without the call, or if a loop, an increment or a function that takes its address changes the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from heddle.problem import Problem

DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)[ \t]+(.+?)\s*$", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
TARGET = re.compile(r"(?<![\w.>\])])([A-Za-z_]\w*(?:(?:\.|->)\w+)*)\s*((?:\[[^\]=;]*\]\s*)*)((?:[-+*/%&|^]|<<|>>)?)=(?!=)")
STEPPED = re.compile(r"(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--)")
CALL = re.compile(r"\b(\w+)\s*\(([^;{}]*?)\)")  # arguments without their own brackets are enough here
BY_ADDRESS = re.compile(r"(?:^|[(,])\s*&\s*(\w+)\s*(?=[,)]|\[|$)")
MAKES = re.compile(r"(?i:p?mpi_type_(?!size|get|match))|sizeof|offsetof")  # these change no numbers
# These functions fill arrays, which are handed over without an ampersand.
FILLS = re.compile(r"(?i:mpi_(?:dims_create|cart_(?:coords|get)|bcast|graph_get|type_get_contents))|s?scanf|memcpy|memset")
FUNCTION = re.compile(r"\b(?!if\b|for\b|while\b|switch\b|return\b)\w+\s*\(([^(){};]*)\)\s*(?:const\s*)?\{")
CONTROL = re.compile(r"\b(?:(for|while|if|switch)\s*\(|(?:else|do)\b)")
LOOP_VARIABLE = re.compile(r"(\w+)\s*(?:=|:(?!:))")
DECLARATION = re.compile(r"\s*(?!(?:else|do|return|case|goto)\b)(?:\w+[\s*&]+)+\w")


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
    def __init__(self, source: str) -> None:
        self._defined = dict(DEFINED.findall(source))
        source = DIRECTIVE.sub(lambda found: " " * len(found[0]), source)
        self._source = source
        self._functions = [
            Function(found.end(), _end(source, found.end() - 1), frozenset(_last_words(found[1])))
            for found in FUNCTION.finditer(source)
        ]
        self._regions: list[tuple[int, int]] = []  # of branches and loops
        self._blocks = _blocks(source)  # a name declared in a block is known only there
        self._values: dict[str, list[Value]] = {}
        heads = []
        for found in CONTROL.finditer(source):
            self._regions.append((found.start(), _statement_end(source, found.start())))
            if found[1] == "for":
                heads.append((found.end(), _end(source, found.end() - 1)))
                self._blocks.append(self._regions[-1])
        for found in TARGET.finditer(source):
            self._add(found[1], self._assigned(found, any(begin <= found.start() < end for begin, end in heads)))
        for begin, end in heads:  # for (int one : list)
            if found := LOOP_VARIABLE.search(source, begin, end):
                self._add(found[1], Value(found.start(), "", changes=True))
        for found in STEPPED.finditer(source):
            self._add(found[1] or found[2], Value(found.start(), "", changes=True))
        for found in CALL.finditer(source):
            if MAKES.match(found[1]):
                continue
            taken = re.findall(r"\w+", found[2]) if FILLS.fullmatch(found[1]) else BY_ADDRESS.findall(found[2])
            for name in taken:
                self._add(name, Value(found.start(), "", changes=True))

    def value(self, name: str, at: int) -> Value | None:
        if name in self._defined:
            return Value(at, self._defined[name])
        found = self._visible(name, at)
        values = [one for one in found if not one.index]
        return values[-1] if values and self._holds(name, values[-1], found, at) else None

    def elements(self, name: str, at: int) -> list[tuple[str, Value]] | None:
        """The elements that are set one by one, in this order. None: some are not known."""
        found = self._visible(name, at)
        single = [one for one in found if one.index]
        if not all(self._holds(name, one, found, at) for one in single):
            return None
        return [(one.index, one) for one in single]

    def _holds(self, name: str, value: Value, found: list[Value], at: int) -> bool:
        if any(one.changes for one in found) and not value.constant:
            return False
        if self._function(value.at) != self._function(at):  # it is not known when that function is called
            return len({one.text for one in found if one.index == value.index}) == 1
        return all(begin <= at < end for begin, end in self._regions if begin <= value.at < end)

    def _visible(self, name: str, at: int) -> list[Value]:
        here = self._function(at)
        found = self._values.get(name.replace("->", "."), [])
        scopes = [self._scope(one.at) for one in found if one.declared]
        found = [one for one in found if _innermost(scopes, one.at) == _innermost(scopes, at)]
        own = [one for one in found if self._function(one.at) == here and (one.at < at or one.changes)]
        if own or (here and name in here.parameters):
            return own
        return [one for one in found if self._function(one.at) != here and not (self._function(one.at) and one.declared)]

    def _scope(self, at: int) -> tuple[int, int]:
        return _innermost(self._blocks, at) or (0, len(self._source))

    def _function(self, at: int) -> Function | None:
        return next((one for one in self._functions if one.begin <= at < one.end), None)

    def _assigned(self, found: re.Match, in_head: bool) -> Value:
        index = found[2].strip()
        inside = index[1:-1].strip() if index.endswith("]") else ""  # int n[] = {...};
        begin = _statement_begin(self._source, found.start())
        declared = DECLARATION.match(self._source, begin, found.end(1)) is not None
        return Value(
            found.start(),
            _until(self._source, found.end()).strip(),
            "" if declared else inside,
            changes=bool(found[3]) or in_head,
            declared=declared,
            constant=declared and "const" in self._source[begin : found.start()].split(),
        )

    def _add(self, name: str, value: Value) -> None:
        values = self._values.setdefault(name.replace("->", "."), [])
        values.append(value)
        values.sort(key=lambda one: one.at)


def balanced(source: str, begin: int) -> str:
    """The text from `begin` to the bracket that closes it."""
    depth = 1
    for at in range(begin, len(source)):
        depth += (source[at] in "([{") - (source[at] in ")]}")
        if depth == 0:
            return source[begin:at]
    raise Problem(f"a ')' is missing after {source[:begin].splitlines()[-1].strip()!r}. Paste the whole statement.", code=2)


def _blocks(source: str) -> list[tuple[int, int]]:
    """The ranges between curly brackets."""
    found, open_ = [], []
    for bracket in re.finditer(r"[{}]", source):
        if bracket[0] == "{":
            open_.append(bracket.start())
        elif open_:
            found.append((open_.pop(), bracket.end()))
    return found


def _innermost(regions: list[tuple[int, int]], at: int) -> tuple[int, int] | None:
    around = (one for one in regions if one[0] <= at < one[1])
    return min(around, key=lambda one: one[1] - one[0], default=None)


def _end(source: str, bracket: int) -> int:
    try:
        return bracket + 2 + len(balanced(source, bracket + 1))
    except Problem:
        return len(source)


def _until(source: str, begin: int) -> str:
    """The text up to the comma, semicolon or bracket that ends a value."""
    depth = 0
    for at in range(begin, len(source)):
        depth += (source[at] in "([{") - (source[at] in ")]}")
        if depth < 0 or (depth == 0 and source[at] in ",;"):
            return source[begin:at]
    return source[begin:]


def _statement_begin(source: str, at: int) -> int:
    while at > 0:
        char = source[at - 1]
        if char in ")]}":
            before = _begin(source, at - 1)
            if char == "}" and source[:before].rstrip()[-1:] not in ("=", ",", "{", ")", "]"):  # a block, not a list
                return at
            at = before
        elif char in ";([{":
            return at
        else:
            at -= 1
    return 0


def _begin(source: str, bracket: int) -> int:
    depth = 0
    for at in range(bracket, -1, -1):
        depth += (source[at] in ")]}") - (source[at] in "([{")
        if depth == 0:
            return at
    return 0


def _statement_end(source: str, begin: int) -> int:
    while True:
        begin += len(source[begin:]) - len(source[begin:].lstrip())
        if found := CONTROL.match(source, begin):
            begin = _end(source, found.end() - 1) if found[1] else found.end()
        elif source[begin : begin + 1] == "{":
            return _end(source, begin)
        else:
            return begin + len(re.match(r"[^;]*;?", source[begin:])[0])


def _last_words(parameters: str) -> Iterator[str]:
    for one in parameters.split(","):
        words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", one))
        if words:
            yield words[-1]
