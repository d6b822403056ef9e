"""Turns the return address of a call in a loaded file into function and line.

    shown = places([Place("/home/me/app", "0x1189", "")])        # {Place(...): "exchange (halo.c:42)"}
    missing(shown)                                               # "": all have a line; otherwise why not, and what to do

addr2line finds them if there is debug information. Otherwise the text has the exported symbol, or
module+offset. Places of Python programs have their line already. If Heddle has not found the caller
of a binding (Fortran, mpi4py), the text names the binding.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from heddle import elf
from heddle.foreign import clean

from .functions import brief

BINDINGS = (
    (re.compile(r"libmpi(fort|f08|_mpifh|_usempi\w*|f90|f77|chf90)"), "Fortran binding"),
    (re.compile(r"^MPI\.(cpython|abi3|.*\.so)|mpi4py"), "mpi4py"),
    (re.compile(r"^_?julia|MPIPreferences"), "Julia"),
)
INTERPRETER = re.compile(r"(lib)?python[\d.]*[dmt]*(\.so\b|$)")
SECONDS = 20  # so long may the look-up in one file take
TOOLS = ("addr2line", "eu-addr2line")
NAMED = 3  # so many files without lines are named
LINE = re.compile(r":\d+\)?$")


@dataclass(frozen=True)
class Place:
    """The return address of a call."""

    module: str = ""
    offset: str = ""
    symbol: str = ""
    line: str = ""  # of a Python program. Then the module is its file, and the symbol its function
    no_line: str = ""  # why a call of mpi4py has no line of the Python program, if Heddle knows
    build_id: str = ""  # of the module, when the program ran

    @property
    def plain(self) -> str:
        if not self.module:
            return ""
        name = Path(self.module).name
        if self.line:
            return f"{self.symbol} ({name}:{self.line})" if self.symbol else f"{name}:{self.line}"
        if self.at_the_end:
            return "the end of Python (mpi4py)"
        for pattern, who in BINDINGS:
            if pattern.search(name):
                return f"{name} ({who})"
        return f"{self.symbol} ({name}+{self.offset})" if self.symbol else f"{name}+{self.offset}"

    @property
    def at_the_end(self) -> bool:
        """Python itself makes the call. mpi4py registers such calls by Py_AtExit, and jumps from
        there to MPI_Finalize, so that the return address is in the interpreter."""
        return self.no_line == ENDED or (not self.line and INTERPRETER.match(Path(self.module).name) is not None)

    @property
    def is_stale(self) -> bool:
        """The module has been built again since the program ran, so the offset means another
        place there."""
        if not self.build_id or not Path(self.module).is_file():
            return False
        return _build_id(self.module) not in ("", self.build_id)

    @property
    def in_binding(self) -> bool:
        return not self.line and (self.at_the_end or any(pattern.search(Path(self.module).name) for pattern, _ in BINDINGS))


NOWHERE = Place()
ENDED = "Python has ended"  # src/report/python_line.cpp; mpi4py then calls MPI_Finalize


def places(wanted: Iterable[Place]) -> dict[Place, str]:
    """The text for each place."""
    shown = {place: place.plain for place in wanted}
    by_module: dict[str, list[Place]] = {}
    for place in shown:
        if place.module and not (place.line or place.in_binding or place.is_stale):
            by_module.setdefault(place.module, []).append(place)
    for module, its in by_module.items():
        for place, (function, line) in zip(its, _look_up(module, its)):
            if line:
                shown[place] = f"{brief(function)} ({line})" if function else line
            elif function:
                shown[place] = f"{function} ({Path(module).name}+{place.offset})"
    return dict(zip(shown, map(clean, _demangled(list(shown.values())))))  # symbols may have any name


def missing(shown: dict[Place, str]) -> str:
    """Why some places have no line, and how to get one. Empty: all have a line."""
    without = {place.module for place, text in shown.items() if place.module and not (place.in_binding or LINE.search(text))}
    if without and not _tool():
        return "Calls have no file and line: neither addr2line nor eu-addr2line is on the PATH (apt-get install elfutils)."
    gone = {module for module in without if not Path(module).is_file()}
    changed = {place.module for place in shown if place.module in without and place.is_stale}
    lost = {place.no_line for place in shown if place.no_line not in ("", ENDED)}
    said = []
    if lost:
        said.append(f"Calls through mpi4py have no file and line: {' and '.join(sorted(map(clean, lost)))}.")
    if changed:
        said.append(f"Calls from {_names(changed)} have no file and line: the file has been built again since the run.")
    if plain := without - gone - changed:
        said.append(f"Calls from {_names(plain)} have no file and line: there is no debug information (compile with -g).")
    if gone:
        said.append(f"Calls from {_names(gone)} have no file and line: the file is not where it was when the program ran.")
    return " ".join(said)


@functools.cache
def _build_id(module: str) -> str:
    return elf.build_id(Path(module))


def _names(modules: set[str]) -> str:
    names = sorted({clean(Path(module).name) for module in modules})
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join(names[:NAMED] + more)


def _tool() -> str | None:
    return next(filter(None, map(shutil.which, TOOLS)), None)


def _demangled(names: list[str]) -> list[str]:
    """Demangles C++ names that addr2line has not looked up."""
    tool = shutil.which("c++filt")
    if not tool or not any(name.startswith("_Z") for name in names):
        return names
    try:
        done = subprocess.run([tool], input="\n".join(names), capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return names
    lines = done.stdout.splitlines()
    return lines if len(lines) == len(names) else names


def _look_up(module: str, its: list[Place]) -> list[tuple[str, str]]:
    """Function and file:line of each place; "": not known."""
    nothing = [("", "")] * len(its)
    tool = _tool()
    if not tool or not Path(module).is_file():
        return nothing
    try:  # a return address is behind the call: the byte before it belongs to the call
        addresses = [hex(max(0, int(place.offset, 16) - 1)) for place in its]
        # addr2line answers the first question about an inlined Fortran function by the name of the
        # outer function, and later ones by its own. So it gets each address twice, and the second
        # answer counts.
        twice = [address for address in addresses for _ in range(2)]
        done = subprocess.run(
            [tool, "-f", "-C", "-e", module, *twice], capture_output=True, text=True, timeout=SECONDS, check=True
        )
    except (ValueError, OSError, subprocess.SubprocessError):
        return nothing
    lines = done.stdout.splitlines()
    if len(lines) != 4 * len(its):
        return nothing
    return [(_known(function), _short(line)) for function, line in zip(lines[2::4], lines[3::4])]


def _known(function: str) -> str:
    """The function: exchange in elfutils' "exchange inlined at /src/halo.c:6:23 in main"."""
    return "" if function.startswith("?") else function.partition(" inlined at ")[0]


def _short(line: str) -> str:
    """file.c:42 in "/src/file.c:42 (discriminator 3)", and in elfutils' "/src/file.c:42:7", which
    also has the column."""
    found = re.match(r"([^?].*?):0*([1-9]\d*)(:\d+)?( \(.*)?$", line)
    return f"{Path(found[1]).name}:{found[2]}" if found else ""
