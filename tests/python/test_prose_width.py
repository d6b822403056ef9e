"""Lines of prose stay within 100 columns: comments on lines of their own, docstrings and Markdown.

A line of a comment or docstring is no prose if it is indented by two more columns, or if two spaces
stand between its words: then it is a use, a table or a picture. In Markdown, fences, tables, links
alone and pictures are no prose.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import CHECKOUT

WIDTH = 100  # columns
C_LIKE = (".cpp", ".hpp", ".h", ".c", ".pml")
HASH_LIKE = (".sh", ".cmake", ".toml", ".yml", ".yaml", ".in", ".clang-tidy", ".csv")
HASH_NAMES = ("CMakeLists.txt", "Makefile", "rules", ".clang-tidy")
DIRECTIVE = re.compile(r"NOLINT|noqa|shellcheck |clang-format |fmt: |type: ignore|ruff: ")
Line = tuple[int, str, str]  # number, whole line, its prose


def is_prose(body: str) -> bool:
    """`body`: the text of a line without marker, and without the one space after the marker."""
    words = re.sub(r"^@t?param \S+ ", "", body.strip())
    if body.startswith("  ") and not re.match(r" {1,4}- ", body):
        return False
    return " " in words and not re.search(r"\S {2,}\S", words) and not DIRECTIVE.match(words)


def commented(lines: list[str], marker: str) -> Iterator[Line]:
    """Comments from `marker` to the end of the line."""
    for number, line in enumerate(lines, 1):
        if found := re.match(rf"\s*(?:{marker})(?!!) ?(.*)$", line):
            yield number, line, found[1]


def in_blocks(lines: list[str]) -> Iterator[Line]:
    """Comments between /* and */ that begin a line."""
    inside = False
    for number, line in enumerate(lines, 1):
        begins = not inside and re.match(r"\s*/\*", line)
        if inside or begins:
            body = re.sub(r"^\s*(?:/\*+|\*(?!/))? ?", "", line)
            yield number, line, re.sub(r"\s*\*/\s*$", "", body)
        inside = (inside or bool(begins)) and "*/" not in line


def in_docstrings(text: str, lines: list[str]) -> Iterator[Line]:
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if ast.get_docstring(node, clean=False) is None:
            continue
        string = node.body[0]
        for number in range(string.lineno, (string.end_lineno or string.lineno) + 1):
            line = lines[number - 1]
            body = line[string.col_offset :] if line[: string.col_offset].isspace() or not string.col_offset else line.strip()
            # A list is indented by two columns, a use by four.
            yield number, line, re.sub(r"^ {2}(?! )", "", body)


def in_python(text: str, lines: list[str]) -> Iterator[Line]:
    yield from in_docstrings(text, lines)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number, column = token.start
        if token.type == tokenize.COMMENT and not lines[number - 1][:column].strip():
            yield number, lines[number - 1], re.sub(r"^#!?:? ?", "", token.string)


def in_markdown(lines: list[str]) -> Iterator[Line]:
    fence = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        elif (
            not fence
            and not re.match(r"\s*(?:\||!\[|<)", line)
            and not re.fullmatch(r"\s*(?:- )?\[[^\]]*\]\(\S*\)[.,;]?", line)
        ):
            yield number, line, re.sub(r"^\s*(?:[-*] |\d+\. )?", "", line)


def prose(path: Path, text: str) -> Iterator[Line]:
    lines = text.splitlines()
    first = lines[0] if lines and lines[0].startswith("#!") else ""
    if path.suffix in C_LIKE:
        yield from commented(lines, "///?<?")
        yield from in_blocks(lines)
    elif path.suffix == ".f90":
        yield from commented(lines, "!")
    elif path.suffix == ".md":
        yield from in_markdown(lines)
    elif path.suffix == ".py" or "python" in first:
        yield from in_python(text, lines)
    elif path.suffix in HASH_LIKE or path.name in HASH_NAMES or first:
        yield from commented(lines, "#")


def too_long(path: Path, text: str) -> list[str]:
    """A row for each line of prose that is too long."""
    found = {number: line for number, line, body in prose(path, text) if len(line) > WIDTH and is_prose(body)}
    return [f"{path}:{number}: {len(line)} columns: {line.strip()[:60]} ..." for number, line in sorted(found.items())]


def files() -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.split("\n")
    return [Path(name) for name in names if name and (CHECKOUT / name).is_file()]


def test_lines_of_prose_have_at_most_100_columns():
    rows = []
    for path in files():
        try:
            rows += too_long(path, (CHECKOUT / path).read_text())
        except UnicodeDecodeError:
            continue
    advice = (
        f"{len(rows)} lines of prose have more than {WIDTH} columns. Break them, or indent by two columns what is no prose:"
    )
    assert not rows, "\n".join([advice, *rows])


LONG = "word " * 25 + "end"


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.cpp", f"// {LONG}\nint x;\n"),
        ("a.hpp", f"  /// {LONG}\n"),
        ("a.c", f"/* Short.\n * {LONG} */\n"),
        ("a.f90", f"! {LONG}\n"),
        ("a.py", f'def f():\n    """{LONG}"""\n'),
        ("b.py", f'"""Short.\n\n- {LONG}\n"""\n'),
        ("c.py", f"# {LONG}\nx = 1\n"),
        ("tool", f"#!/bin/sh\n# {LONG}\n"),
        ("CMakeLists.txt", f"# {LONG}\n"),
        ("a.md", f"Short.\n\n- {LONG}\n"),
    ],
)
def test_a_long_line_is_found(name, text):
    assert len(too_long(Path(name), text)) == 1


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.cpp", f"//   {LONG}\nint x = 1;  // {LONG}\n"),
        ("b.cpp", f"// name            {LONG}\n"),
        ("a.py", f'x = "# {LONG}"\n'),
        ("b.py", f'"""Short.\n\nf(1)        # {LONG}\n    {LONG}\n"""\n'),
        ("a.md", f"| {LONG} |\n```\n{LONG}\n```\n![{LONG}](x.svg)\n[{LONG}](x.md)\n"),
        ("a.sh", f"echo {LONG}\n"),
    ],
)
def test_uses_tables_and_pictures_may_be_longer(name, text):
    assert too_long(Path(name), text) == []
