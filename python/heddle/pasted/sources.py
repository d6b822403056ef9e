"""Names of files in place of a datatype: which are sources of programs, and why another is none.

no_source("a.out")          # "a.out is a program; HEDDLE_EXPLAIN=all heddle run ..."
no_source("crash.pyx")      # "there is no file crash.pyx."
no_source("vector(3, 1")    # ""
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

SOURCES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".f90", ".F90", ".f08", ".f", ".F", ".py")
# halo.pyx, src/halo, but not MPI.INT
LIKE_A_FILE = re.compile(r"(?!MPI\.)[^\s()\[\]{},;=*:&]*(/[^\s()\[\]{},;=*:&]*|\w\.([a-z][\w+]{0,5}|C|F\d*|H))")


def no_source(word: str) -> str:
    """The message for a file that is no source of a program. "": the word is no name of a
    file."""
    from heddle import elf
    from heddle.foreign import json_of

    file = Path(word)
    try:
        if word and file.is_dir():
            return f"{word} is a folder. Name a source file in it, such as {_first_source(file)}."
        if not word or word.endswith(SOURCES):
            return ""
        if not file.exists():
            return f"there is no file {word}.{_meant(file)}" if LIKE_A_FILE.fullmatch(word) else ""
        if not file.is_file():
            return ""
    except (OSError, ValueError):  # the word is too long for a name
        return ""
    if elf.is_elf(file):
        start = word if "/" in word else f"./{word}"
        command = f"HEDDLE_EXPLAIN=all heddle run -n 2 -- {shlex.quote(start)}"
        return f"{word} is a program; {command} explains the datatypes of a running program."
    try:
        found = json_of(file)
    except (OSError, ValueError):
        found = None
    if isinstance(found, dict) and "heddle_report" in found:
        return f"{word} is a report; heddle report {shlex.quote(word)} shows it."
    if isinstance(found, dict) and "traceEvents" in found:
        return f"{word} is a timeline; open it in Perfetto (https://ui.perfetto.dev)."
    return f"{word} is a file, but no source of a program that heddle explain reads ({', '.join(SOURCES)})."


def _first_source(folder: Path) -> Path:
    """A source file in a folder, or the name that it might have."""
    found = sorted(one for one in folder.iterdir() if one.name.endswith(SOURCES))
    return found[0] if found else folder / "halo.c"


def _meant(file: Path) -> str:
    """A hint: a source file beside a missing file, with a similar name."""
    from heddle import near

    try:
        names = [one.name for one in file.parent.iterdir() if one.name.endswith(SOURCES)]
    except OSError:
        return ""
    found = near.closest(file.name, names)
    return f" Did you mean {file.with_name(found)}?" if found else ""
