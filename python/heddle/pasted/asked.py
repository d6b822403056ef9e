"""Values that a datatype needs and its text lacks. The names are collected, then the user is asked
for all of them at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from shlex import quote
from typing import TypeVar

from heddle.pasted.constructors import TAKES
from heddle.problem import Problem

Made = TypeVar("Made")
MOST_NAMES = 5
NAME = re.compile(r"(?i:(?!p?mpi_)[a-z_]\w*)")  # of a variable

NUMBER, LIST, TYPE, TYPES = "number", "list", "type", "types"
EXAMPLES = {NUMBER: "8", LIST: "[0, 5, 9]", TYPE: "MPI_DOUBLE", TYPES: "[MPI_DOUBLE, MPI_INT]"}
RANK = re.compile(r"(?i:(^|[._]|my|world)rank(\(\))?$|^me$)")  # rank, comm.rank, comm.Get_rank()
RANKS = re.compile(r"(?i:(^|[._]|comm|world)(size|nprocs?|num_?procs|n_?ranks|ranks)(\(\))?$)")
AT_RUN_TIME = " A running program shows its datatypes, each with its layout: HEDDLE_EXPLAIN=all heddle run -n 2 -- PROGRAM."


class Asked:
    def __init__(self, given: dict[str, str], by_rank: bool = False) -> None:
        """`by_rank`: `rank` and `ranks` may be values."""
        self._by_rank = by_rank
        self._given = {_key(name): value.strip() for name, value in given.items()}
        self._missing: dict[str, str] = {}
        self._computed: list[str] = []
        self._unread: dict[str, str] = {}  # constants, and their expressions
        self._call = ""
        self.names: list[str] = []  # of numbers and lists that have been asked for
        self.taken = ""  # the variable whose datatype is explained; "": --variable names it
        self.line: int | None = None  # of its constructor; None: not known
        self.others: list[str] = []  # variables of the text that may be explained instead

    def of(self, name: str, datatype: bool = False) -> str | None:
        """The value that the user has given to a name, perhaps of a datatype."""
        if NAME.fullmatch(name) and not datatype and name not in self.names:
            self.names.append(name)
        return self._given.get(_key(name))

    def miss(self, name: str, what: str, call: str, computed: bool = False, unread: str = "") -> None:
        """Notes a name without a value. `computed`: the text has statements that set it, for
        example in a loop. `unread`: the expression of a constant, which has other functions than
        those that the command knows."""
        name = name.strip()
        if unread:
            self._unread[name] = " ".join(unread.split())
        self._call = self._call or call
        if name not in self._missing:
            self._missing[name] = what
            self._computed += [name] if computed else []

    def state(self) -> tuple[dict[str, str], list[str], str]:
        """The names without a value so far, for restore()."""
        return dict(self._missing), list(self._computed), self._call

    def restore(self, state: tuple[dict[str, str], list[str], str]) -> None:
        missing, computed, self._call = state
        self._missing, self._computed = dict(missing), list(computed)

    def tried(self, computed: Callable[[], Made], missing: list[str] | None = None) -> Made | None:
        """The result. None: values are missing. `missing` gets their names instead of the user."""
        before = self.state()
        self.restore(({}, [], self._call))
        try:
            found = computed()
        except (ArithmeticError, ValueError, Problem):
            found = None
        names = list(self._missing)
        self.restore(before)
        if missing is not None:
            missing += names
        return None if names else found

    def which(self, variable: str, made: list[tuple[str, int]], deciding: list[str]) -> Problem:
        """The question for the datatype that branches of the text make. `made`: datatypes and their
        lines. `deciding`: names whose values choose the branch."""
        shown = _in_a_row([f"{text} (line {line})" for text, line in made[:MOST_NAMES]])
        example = next((text for text, _ in made if text.partition("(")[0] in TAKES), EXAMPLES[TYPE])
        choices = [f"Choose one, such as --define {quote(f'{variable}={example}')}"] if variable else []
        defined = " ".join(f"--define {name}={'0' if RANK.search(name) else '1'}" for name in deciding[:MOST_NAMES])
        choices += [f"{'or give' if choices else 'Give'} what decides, such as {defined}"] if defined else []
        said = f" {', '.join(choices)}." if choices else ""
        return Problem(
            f"which datatype is {variable or 'it'}? Branches of the text make different ones: {shown}.{said}{AT_RUN_TIME}"
            f"{self._instead()}",
            code=2,
        )

    @property
    def misses(self) -> bool:
        """True if a value is missing. Numbers that depend on it are placeholders."""
        return bool(self._missing)

    def raise_if_any(self) -> None:
        if not self._missing:
            return
        others = list(self._missing)[1:]
        shown = f"what {'are' if others else 'is'} {_in_a_row(list(self._missing))}?"
        options = " ".join(f"--define {quote(f'{name}={self._example(name, what)}')}" for name, what in self._missing.items())
        it = "them" if others else "it"
        # It does not help to paste statements that the text already has.
        paste = (
            "" if {*self._computed, *self._unread} >= set(self._missing) else f", or also paste the statements that set {it}"
        )
        raise Problem(
            f"{shown} {self._call} needs {it}, and the text does not say. Give the value{'s' if others else ''}, such as "
            f"{options}{paste}.{self._at_run_time()}{self._instead()}",
            code=2,
        )

    def note(self) -> str:
        """A line that names the explained datatype and the others of the text. "": there is only
        one, or --variable has chosen it."""
        if not self.taken or not self.others:
            return ""
        many = len(self.others) - MOST_NAMES
        others = ", ".join(self.others[:MOST_NAMES]) + (f" and {many} more" if many > 0 else "")
        line = f" (line {self.line})" if self.line else ""
        return f"{self.taken}{line}; other datatypes (--variable): {others}"

    def _example(self, name: str, what: str) -> str:
        """A value that is possible: of 8 ranks none is rank 8."""
        if what == NUMBER and RANK.search(name):
            return "rank" if self._by_rank else "0"
        if what == NUMBER and self._by_rank and RANKS.search(name):
            return "ranks"
        return EXAMPLES[what]

    def _at_run_time(self) -> str:
        unread = [f"{name} = {text}" for name, text in self._unread.items() if name in self._missing]
        reasons = f" The command cannot evaluate {_in_a_row(unread)}." if unread else ""
        if self._computed:
            reasons += (
                f" The program computes {_in_a_row(self._computed)} when it runs, and the command does not carry out the "
                "loops, branches and calls of a program."
            )
        return reasons and reasons + AT_RUN_TIME

    def _instead(self) -> str:
        return f" Other datatypes of the text: --variable {' or '.join(self.others[:MOST_NAMES])}." if self.others else ""


def chosen(made: list[tuple[str, Made]], variable: str | None, asked: Asked, lists: list[str] | None = None) -> Made:
    """The last datatype, or the last in `variable`. `made`: pairs of variable and datatype, in the
    order of the text. `lists`: further variables with datatypes."""
    names = list(dict.fromkeys([*(base(name) for name, _ in made if name), *(lists or [])]))
    if variable is None:
        asked.others = [name for name in names if name != base(made[-1][0])]
        asked.taken = made[-1][0] or "the last datatype"
        return made[-1][1]
    of_that_name = [one for name, one in made if variable in (name, base(name))]
    if not of_that_name and base(variable) != variable and base(variable) in names:
        raise not_known(variable)
    if not of_that_name:
        raise Problem(f"the text makes no datatype in {variable}. Its datatypes are: {', '.join(names)}.", code=2)
    return of_that_name[-1]


def not_known(element: str) -> Problem:
    return Problem(f"the text does not say which datatype {element} is.{AT_RUN_TIME}", code=2)


def comes_from(variable: str, function: str, names: list[str]) -> Problem:
    """The message for a datatype that a function of the program makes. `names`: variables with
    datatypes in that function."""
    shown = list(dict.fromkeys(filter(None, names)))[:MOST_NAMES]
    instead = (
        f"Name a datatype of the text: --variable {' or '.join(shown)}."
        if shown
        else "Without --variable, the command explains the last datatype that the text makes."
    )
    return Problem(f"{variable} comes from {function}(...), and the command cannot follow this call. {instead}", code=2)


def base(name: str) -> str:
    """The name of the array: send for send[other], and for Fortran's send(other)."""
    return re.split(r"[\[(]", name)[0].strip()


def listed(text: str) -> list[str]:
    """The elements of [0, 5, 9] or [0:12:4]. A range does not include its end."""
    elements = []
    for part in split(text.strip("[]{} ")):
        bounds = part.split(":")
        if len(bounds) in (2, 3) and all(bound.strip().lstrip("-").isdigit() for bound in bounds):
            elements += map(str, range(*map(int, bounds)))
        else:
            elements.append(part)
    return elements


def split(inside: str) -> list[str]:
    """Splits at commas outside brackets."""
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def _in_a_row(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _key(name: str) -> str:
    return "".join(name.replace("->", ".").split())
