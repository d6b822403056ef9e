"""Statements of C and C++."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator

from heddle.pasted import structs
from heddle.pasted.constructors import DEFAULT, DISTRIBUTIONS, ORDERS, TAKES, UNDEFINED, written
from heddle.problem import Problem

NUMBERS = r"(?:unsigned|signed|int|long|short|size_t|u?int\d+_t|MPI_Aint|MPI_Count|MPI_Datatype)"
CALL = re.compile(r"\bP?(MPI_Type_(\w+?)(_c)?)\s*\(")
DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)\s+(.+?)\s*$", re.MULTILINE)
DECLARED = re.compile(rf"\b(?:{NUMBERS}\s+)+([^;()]*=[^;]*);")
SET = re.compile(r"(?<![\w.>])(\w+)\s*\[\s*(\d+)\s*\]\s*=(?!=)\s*([^;{]+);")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
CAST = re.compile(rf"\(\s*(?:const\s+)?{NUMBERS}(?:\s+{NUMBERS})*\s*(?:\[\w*\])?\s*\)(?=\s*[\w({{\-&])")
LEADING_CAST = re.compile(r"^\s*" + CAST.pattern)
SIZEOF = re.compile(r"\bsizeof\s*\(\s*([\w\s*]+?)\s*\)")
OFFSETOF = re.compile(r"\boffsetof\s*\(\s*([\w\s]+?)\s*,\s*(\w+)\s*\)")
WITHOUT_A_TYPE = {"commit", "free", "set_name", "size", "get_extent", "get_true_extent", "get_name", "set_attr", "get_envelope"}
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


def described(text: str) -> str | None:
    """The datatype that the last constructor makes; None: these are no statements of C."""
    source = COMMENT.sub(" ", text)
    calls = [call for call in _calls(source) if call[1] not in WITHOUT_A_TYPE]
    if not calls or (len(calls) == 1 and "&" not in source):
        return None
    known = Source(source)
    last = ""
    for name, constructor, arguments in calls:
        *given, new = arguments or [""]
        last = known.one(name, constructor, given)
        known.made[new.lstrip("& ").strip()] = last
    return last


def _calls(source: str) -> Iterator[tuple[str, str, list[str]]]:
    for found in CALL.finditer(source):
        inside = _balanced(source, found.end())
        yield found[1], found[2].removeprefix("create_"), _split(inside)


def _balanced(source: str, begin: int) -> str:
    depth = 1
    for at in range(begin, len(source)):
        depth += (source[at] in "([{") - (source[at] in ")]}")
        if depth == 0:
            return source[begin:at]
    raise Problem(f"there is no ')' to {source[:begin].splitlines()[-1].strip()!r}. Paste the whole statement.", code=2)


def _split(inside: str) -> list[str]:
    """At commas that stand in no brackets."""
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


class Source:
    """What is known of a program's names."""

    def __init__(self, source: str) -> None:
        self.made: dict[str, str] = {}  # datatypes
        self.names: dict[str, str] = dict(DEFINED.findall(source))  # what they stand for: numbers, lists in braces
        for line in DECLARED.findall(source):
            for part in _split(line):
                left, equals, value = part.partition("=")
                if equals:
                    self.names[re.sub(r"\[.*", "", left).strip("* ").split()[-1]] = value.strip()
        elements: dict[str, dict[int, str]] = {}
        for name, place, value in SET.findall(source):
            elements.setdefault(name, {})[int(place)] = value.strip()
        self.elements = elements  # a[2] = 5;
        self.structs = structs.declared(source, self.number)

    def one(self, name: str, constructor: str, given: list[str]) -> str:
        takes = TAKES.get(constructor)
        call = f"{name}({', '.join(given)}, ...)"
        if takes is None:
            raise Problem(
                f"{call} is none of the constructors that can be pasted ({', '.join(TAKES)}). `heddle explain --help` shows "
                "how to write a datatype otherwise.",
                code=2,
            )
        if len(given) != len(takes):
            raise Problem(f"{call} has {len(given)} arguments before the new type; {constructor} takes {len(takes)}.", code=2)
        parts: list = []
        many = 0
        for kind, argument in zip(takes, given):
            if kind == "#":
                many = self.number(argument)
            elif kind == "n":
                parts.append(None if argument == UNDEFINED else str(self.number(argument)))
            elif kind == "l":
                parts.append([None if one == DEFAULT else str(self.number(one)) for one in self.elements_of(argument, many)])
            elif kind == "T":
                parts.append([self.type_of(one) for one in self.elements_of(argument, many)])
            elif kind == "t":
                parts.append(self.type_of(argument))
            elif kind == "d":
                parts.append([self.distribution(one) for one in self.elements_of(argument, many)])
            else:
                parts.append(ORDERS.get(self.names.get(argument, argument), "C"))
        return written(constructor, parts)

    def type_of(self, argument: str) -> str:
        argument = self.names.get(argument, argument)
        if argument in self.made:
            return self.made[argument]
        if argument.startswith("MPI_"):
            return argument
        raise Problem(f"what is {argument}? Paste the statement that makes it, too, or write an MPI_ type.", code=2)

    def distribution(self, argument: str) -> str:
        name = self.names.get(argument, argument)
        if name in DISTRIBUTIONS:
            return DISTRIBUTIONS[name]
        raise Problem(f"what is {argument}? A distribution is one of {', '.join(DISTRIBUTIONS)}.", code=2)

    def elements_of(self, argument: str, many: int) -> list[str]:
        text = LEADING_CAST.sub("", self.names.get(argument, argument)).strip()
        own = self.elements.get(argument, {})
        if text.startswith("&") and many == 1:
            return [text[1:]]
        parts = _split(text.strip("{} \n")) if text.startswith("{") else []
        if parts and len(parts) < many and not own and parts == ["0"]:
            parts *= many  # = {0}
        parts = [own.get(place, parts[place] if place < len(parts) else "") for place in range(max(many, len(parts)))]
        if not text.startswith("{") and not own:
            raise Problem(f"what is in {argument}? Paste its declaration, too: int {argument}[] = {{...}};", code=2)
        if "" in parts[:many]:
            raise Problem(f"{argument} has {sum(map(bool, parts))} elements, and {many} are wanted.", code=2)
        return parts[:many]

    def number(self, text: str, depth: int = 0) -> int:
        """A number, or what C makes of names and operators."""

        def value(node: ast.expr) -> int:
            if isinstance(node, ast.Constant) and isinstance(node.value, int):
                return node.value
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
                return -value(node.operand)
            if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
                return ARITHMETIC[type(node.op)](value(node.left), value(node.right))
            if isinstance(node, ast.Name) and node.id in self.names and depth < 20:
                return self.number(self.names[node.id], depth + 1)
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and depth < 20:
                place = value(node.slice)
                return self.number(self.elements_of(node.value.id, place + 1)[place], depth + 1)
            raise ValueError

        plain = CAST.sub("", OFFSETOF.sub(self._offset, SIZEOF.sub(self._size, text)))
        plain = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", plain).replace("/", "//")
        plain = re.sub(r"(?<![\w.])0([0-7]+)\b", r"0o\1", plain)
        try:
            return value(ast.parse(plain.strip(), mode="eval").body)
        except (ValueError, SyntaxError, ZeroDivisionError):
            raise Problem(
                f"how much is {text!r}? Write the number, or paste what says it (int {text} = ...; #define {text} ...).", code=2
            ) from None

    def _size(self, found: re.Match) -> str:
        import ctypes

        kind = structs.of(found[1], self.structs)
        return str(ctypes.sizeof(kind)) if kind else found[0]

    def _offset(self, found: re.Match) -> str:
        kind = structs.of(found[1], self.structs)
        place = structs.offset(found[2], kind) if kind else None
        return found[0] if place is None else str(place)
