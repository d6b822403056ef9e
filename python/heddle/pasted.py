"""Datatypes as a C program makes them, for `heddle explain`: from its statements to the text that heddle-tool reads.

described("MPI_Type_vector(128, 8, 4096, MPI_INT, &t)")            # "vector(128, 8, 4096, MPI_INT)"
described('''
    int n = 64, lengths[2] = {1, 3};
    MPI_Type_contiguous(3, MPI_DOUBLE, &point);
    MPI_Type_vector(n, 1, n, point, &column);
''')                                                               # "vector(64, 1, 64, contiguous(3, MPI_DOUBLE))": the last
described("vector(8, 1, 8, int)")                                  # None: no statement of C
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator

from heddle.problem import Problem

CALL = re.compile(r"\bP?MPI_Type_(\w+?)(_c)?\s*\(")
DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)\s+(.+?)\s*$", re.MULTILINE)
DECLARED = re.compile(r"\b(?:int|long|size_t|MPI_Aint|MPI_Count|MPI_Datatype)\s+([^;()]*=[^;]*);")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
CAST = re.compile(r"\(\s*(?:const\s+)?(?:int|long|size_t|MPI_Aint|MPI_Count|MPI_Datatype)\s*(?:\[\w*\])?\s*\)")
WITHOUT_A_TYPE = {"commit", "free", "set_name", "size", "get_extent", "get_true_extent", "get_name", "set_attr", "get_envelope"}
SIZES = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8, "size_t": 8, "MPI_Aint": 8, "MPI_Count": 8}
ORDER = {"MPI_ORDER_C": "C", "MPI_ORDER_FORTRAN": "F"}
# What the constructors take, before the new type: n a number, l a list of so many, t a type, T a list of types, o an order.
TAKES = {
    "contiguous": "nt",
    "vector": "nnnt",
    "hvector": "nnnt",
    "indexed": "#llt",
    "hindexed": "#llt",
    "indexed_block": "#nlt",
    "hindexed_block": "#nlt",
    "struct": "#llT",
    "subarray": "#lllot",
    "resized": "tnn",
    "dup": "t",
}
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
}


def described(text: str) -> str | None:
    """The datatype that the last constructor makes; None: these are no statements of C."""
    source = COMMENT.sub(" ", text)
    calls = [call for call in _calls(source) if call[0] not in WITHOUT_A_TYPE]
    if not calls or (len(calls) == 1 and "&" not in source):
        return None
    names = _names(source)
    made: dict[str, str] = {}
    last = ""
    for constructor, arguments in calls:
        *given, new = arguments
        last = _one(constructor, given, names, made)
        made[new.lstrip("& ").strip()] = last
    return last


def _calls(source: str) -> Iterator[tuple[str, list[str]]]:
    for found in CALL.finditer(source):
        inside = _balanced(source, found.end())
        yield found[1].removeprefix("create_"), _split(inside)


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


def _names(source: str) -> dict[str, str]:
    """Of #define and of declarations with a value: numbers and lists."""
    names = {name: value for name, value in DEFINED.findall(source)}
    for line in DECLARED.findall(source):
        for part in _split(line):
            left, equals, value = part.partition("=")
            if equals:
                names[re.sub(r"\[.*", "", left).strip("* ").split()[-1]] = value.strip()
    return names


def _one(constructor: str, given: list[str], names: dict[str, str], made: dict[str, str]) -> str:
    takes = TAKES.get(constructor)
    call = f"MPI_Type_{constructor}({', '.join(given)}, ...)"
    if takes is None:
        raise Problem(
            f"{call} is none of the constructors that can be pasted ({', '.join(TAKES)}). `heddle explain --help` shows how to "
            "write a datatype otherwise.",
            code=2,
        )
    if len(given) != len(takes):
        raise Problem(f"{call} has {len(given)} arguments before the new type; {constructor} takes {len(takes)}.", code=2)
    parts, many, order = [], 0, ""
    for kind, argument in zip(takes, given):
        if kind == "#":
            many = _number(argument, names)
        elif kind == "n":
            parts.append(str(_number(argument, names)))
        elif kind == "l":
            parts.append(f"[{', '.join(str(_number(one, names)) for one in _list(argument, names, many))}]")
        elif kind == "T":
            parts.append(f"[{', '.join(_type(one, made) for one in _list(argument, names, many))}]")
        elif kind == "t":
            parts.append(_type(argument, made))
        else:
            order = f", order={ORDER.get(argument, 'C')}"
    return f"{constructor}({', '.join(parts)}{order})"


def _type(argument: str, made: dict[str, str]) -> str:
    if argument in made:
        return made[argument]
    if argument.startswith("MPI_"):
        return argument
    raise Problem(f"what is {argument}? Paste the statement that makes it, too, or write an MPI_ type.", code=2)


def _list(argument: str, names: dict[str, str], many: int) -> list[str]:
    text = CAST.sub("", names.get(argument, argument)).strip()
    if text.startswith("&") and many == 1:
        return [text[1:]]
    if not text.startswith("{"):
        raise Problem(f"what is in {argument}? Paste its declaration, too: int {argument}[] = {{...}};", code=2)
    parts = _split(text.strip("{} \n"))
    if len(parts) < many:
        raise Problem(f"{argument} has {len(parts)} elements, and {many} are wanted.", code=2)
    return parts[:many]


def _number(text: str, names: dict[str, str], depth: int = 0) -> int:
    """A number, or what C makes of names and operators."""

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return ARITHMETIC[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Name) and node.id in names and depth < 20:
            return _number(names[node.id], names, depth + 1)
        raise ValueError

    plain = re.sub(r"\bsizeof\s*\(\s*(\w+)\s*\)", lambda found: str(SIZES.get(found[1], found[0])), CAST.sub("", text))
    plain = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", plain).replace("/", "//")
    try:
        return value(ast.parse(plain.strip(), mode="eval").body)
    except (ValueError, SyntaxError, ZeroDivisionError):
        raise Problem(
            f"how much is {text!r}? Write the number, or paste what says it (int {text} = ...; #define {text} ...).", code=2
        ) from None
