"""Hints beside a name that does not exist: the name that may be meant, and the names that exist.

near.closest("SCHEMA", ["SCHEME", "ISA"])   # "SCHEME"
near.closest("teapot", ["SCHEME", "ISA"])   # ""
near.meant("SCHEMA", ["SCHEME", "ISA"])     # " Did you mean SCHEME?"
near.program("./minee")                     # "there is no program ./minee: did you mean ./mine?"
near.no_executable("mine.py")               # "mine.py is not an executable file (start it with its interpreter: ...)."
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from heddle.problem import Problem

MOST = 6  # names in a message
COMPILERS = {(".c",): "mpicc", (".cc", ".cpp", ".cxx"): "mpicxx", (".f", ".F", ".f90", ".F90", ".f08"): "mpif90"}
PATH_OR = " Name a program elsewhere by its path, such as ./app."


class NoProgram(Problem):
    """No program has this name. The search for similar names runs only when this is printed: often
    the word is no mistake."""

    def __init__(self, word: str) -> None:
        super().__init__(word, code=127)

    def __str__(self) -> str:
        return program(self.args[0])


def closest(word: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, sorted(set(names)), 1, 0.7)), "")


def meant(word: str, names: Iterable[str]) -> str:
    found = closest(word, names)
    return f" Did you mean {found}?" if found else ""


def file(path: Path) -> str:
    """A hint for a missing file: a file of the same kind beside it that may be meant. "": there is
    none, or the file exists."""
    if path.exists():
        return ""
    found = closest(path.stem, (entry.stem for entry in _entries(path.parent) if entry.suffix == path.suffix))
    return f" Did you mean {path.with_name(found + path.suffix)}?" if found else ""


def program(word: str) -> str:
    if "/" in word:
        return f"there is no program {word}: {_in_folder(Path(word))}"
    if Path(word).is_file() and os.access(word, os.X_OK):
        return f"there is no program {word} on the PATH. A file of that name is here: write ./{word}."
    if Path(word).is_file():
        return no_executable(word)
    if word.endswith(".json"):
        return f"there is no program {word}. To show a report, or to compare two reports, use `heddle report`."
    others = {entry.name for folder in os.environ.get("PATH", "").split(":") if folder for entry in _entries(Path(folder))}
    return f"there is no program {word} on the PATH.{_launchers(word) or _here(word) or meant(word, others) or PATH_OR}"


def no_executable(word: str) -> str:
    """The message for a file that exists but cannot be started."""
    path = Path(word)
    compiler = next((name for endings, name in COMPILERS.items() if path.suffix in endings), "")
    mend = "chmod +x, or start it with its interpreter"
    if path.is_dir():
        mend = "it is a folder"
    elif path.suffix == ".py":
        mend = f"start it with its interpreter: python {word}"
    elif compiler:
        mend = f"compile it first: {compiler} -g -O2 {word} -o {path.with_suffix('')}"
    return f"{word} is not an executable file ({mend})."


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _in_folder(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} either."
    programs = [entry.name for entry in _entries(path.parent) if entry.is_file() and os.access(entry, os.X_OK)]
    before = f"{path.parent}/"
    if found := closest(path.name, programs):
        return f"did you mean {before}{found}?"
    if not programs:
        return f"no file in {before} can be executed. Compile it first, such as mpicc -g -O2 {path.name}.c -o {path.name}."
    more = ", …" if len(programs) > MOST else ""
    return f"the programs in {before} are: {', '.join(sorted(programs)[:MOST])}{more}."


def _here(word: str) -> str:
    found = closest(word, (entry.name for entry in _entries(Path()) if entry.is_file() and os.access(entry, os.X_OK)))
    return f" Did you mean ./{found}?" if found else ""


def _launchers(word: str) -> str:
    """A hint for a missing launcher: the MPIs of this machine. "": the word is no launcher of an
    MPI."""
    if word not in ("mpiexec", "mpirun", "orterun", "prterun", "mpiexec.hydra"):
        return ""
    from heddle import installations, native

    found = installations.find()
    if not found:
        return f" There is no MPI either: {native.MEND_MPI}; `heddle mpi` lists the MPIs that Heddle finds."
    names = ", ".join(f"{mpi.name} ({mpi.mpiexec})" for mpi in found)
    return (
        f" The MPIs of this machine are {names}. Let Heddle start it (heddle run --mpi {found[0].name} -n 4 -- ./app), "
        f"or name the launcher by its path (heddle run -- {shlex.quote(str(found[0].mpiexec))} -n 4 ./app)."
    )
