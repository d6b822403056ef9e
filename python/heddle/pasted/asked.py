"""What a text does not say of a datatype: the names are collected, and asked for all at once."""

from __future__ import annotations

from shlex import quote

from heddle.problem import Problem

NUMBER, LIST, TYPE, TYPES = "number", "list", "type", "types"
EXAMPLES = {NUMBER: "8", LIST: "[0, 5, 9]", TYPE: "MPI_DOUBLE", TYPES: "[MPI_DOUBLE, MPI_INT]"}


class Asked:
    def __init__(self, given: dict[str, str]) -> None:
        self._given = {_key(name): value.strip() for name, value in given.items()}
        self._missing: dict[str, str] = {}
        self._call = ""

    def of(self, name: str) -> str | None:
        """What the user says that it is."""
        return self._given.get(_key(name))

    def miss(self, name: str, what: str, call: str) -> None:
        self._missing.setdefault(name.strip(), what)
        self._call = self._call or call

    def raise_if_any(self) -> None:
        if not self._missing:
            return
        *others, last = self._missing
        shown = f"what are {', '.join(others)} and {last}?" if others else f"what is {last}?"
        options = " ".join(f"--define {quote(f'{name}={EXAMPLES[what]}')}" for name, what in self._missing.items())
        raise Problem(
            f"{shown} {self._call} needs {'them' if others else 'it'}, and the text does not say. Say it yourself, such as "
            f"{options}, or paste what says it, too.",
            code=2,
        )


def listed(text: str) -> list[str]:
    """The elements of [0, 5, 9] or [0:12:4], whose ranges end before their end."""
    elements = []
    for part in split(text.strip("[]{} ")):
        bounds = part.split(":")
        if len(bounds) in (2, 3) and all(bound.strip().lstrip("-").isdigit() for bound in bounds):
            elements += map(str, range(*map(int, bounds)))
        else:
            elements.append(part)
    return elements


def split(inside: str) -> list[str]:
    """At commas that stand in no brackets."""
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def _key(name: str) -> str:
    return "".join(name.replace("->", ".").split())
