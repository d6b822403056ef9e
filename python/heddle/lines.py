"""Lines of `heddle run` whose command is known. The program `heddle` (src/command/) starts them
without Python.

    take_over()                         # a line comes from that program
    keep(words, command)                # the next time it executes this command by itself

The program names a file and a context by two variables. A file holds the lines of one context.
src/command/known_lines.hpp shows its form. A line holds while all files that the command rests on
are unchanged (heddle.remembered).
"""

from __future__ import annotations

import binascii
import contextlib
import os
import re
import sys
from collections.abc import Sequence

from heddle import remembered
from heddle.preload import VARIABLE, WITH_MEANING

_FORM = b"heddle lines 1"
_KEPT = 32  # lines of a file; the oldest are dropped
_FILES = 64
_NAME = re.compile(r"[0-9a-f]{16}(\.\d+)?")  # of a file in the folder; other files there are the user's
_MOST = 4 << 20  # bytes of a file. The program reads a few more.

_file = _context = ""


def take_over() -> None:
    """Takes the two variables of the program out of the environment."""
    global _file, _context
    _file, _context = (os.environ.pop(name, "") for name in ("_HEDDLE_LINES", "_HEDDLE_CONTEXT"))
    if _file and _context:
        remembered.note_files()


def keep(words: Sequence[str], command) -> None:
    """Remembers the command (heddle.launch.Command) of this process's line, whose program or
    launcher is `words`."""
    line = _line(words, command) if _file and _context else None
    if line is None:
        return
    begin = line[: 2 + int(line[0])]
    others = [other for other in _lines() if other[: len(begin)] != begin]
    lines = [line, *others[: _KEPT - 1]]
    texts = [os.fsencode(_context), b"%d" % len(lines)]
    for one in lines:
        texts += [b"%d" % len(one), *one]
    rest = b"".join(text + b"\0" for text in [*texts, b"end"])
    data = b"\0".join([_FORM, _checksum(rest), rest])
    if len(data) <= _MOST:
        _write(data)


def _line(words: Sequence[str], command) -> list[bytes] | None:
    """The texts of a line. None: the command may be another one next time."""
    rests_on = remembered.rested_on()
    said = sys.argv[2:]
    if rests_on is None or said[len(said) - len(words) :] != list(words):
        return None
    # The report's file is checked at each start. The places of HEDDLE_EXPLAIN are in files that may
    # be named by any word.
    if os.environ.get("HEDDLE_EXPLAIN") or os.environ.get("HEDDLE_REPORT"):
        return None
    environment = dict(command.environment)
    preload = environment.pop(VARIABLE, None)
    if environment != {name: value for name, value in os.environ.items() if name != VARIABLE}:
        return None
    further = [] if command.decided is None else list(words[command.decided :])
    is_open = command.decided is not None and not WITH_MEANING.intersection(further)
    further = further if is_open else []
    arguments = list(command.words[: len(command.words) - len(further)])
    if [*arguments, *further] != list(command.words):
        return None
    texts = [*_counted(said[: len(said) - len(further)]), "open" if is_open else "closed", *_counted(sorted(WITH_MEANING))]
    texts += [str(len(rests_on)), *(text for each in rests_on.items() for text in each)]
    texts += [*_counted([] if preload is None else [preload]), str(command.file), *_counted(arguments)]
    return [os.fsencode(text) for text in texts]


def _counted(texts: Sequence[str]) -> list[str]:
    """The texts with their number before them."""
    return [str(len(texts)), *texts]


def _checksum(data: bytes) -> bytes:
    return b"%d" % binascii.crc32(data)


def _lines() -> list[list[bytes]]:
    """The lines that the file has."""
    try:
        form, checksum, rest = remembered.own_file(_file).split(b"\0", 2)
        texts = rest.split(b"\0")
        if form != _FORM or checksum != _checksum(rest) or texts[0] != os.fsencode(_context):
            return []
        lines, place = [], 2
        for _ in range(int(texts[1])):
            begin, place = place + 1, place + 1 + int(texts[place])
            lines.append(texts[begin:place])
        return lines if place == len(texts) - 2 else []
    except (OSError, ValueError, IndexError):
        return []


def _write(data: bytes) -> None:
    """Writes the whole file or nothing, even if other processes write it. A read-only home is no
    problem."""
    folder = os.path.dirname(_file)
    fresh = f"{_file}.{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.stat(folder).st_uid != os.geteuid():
            return
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        os.replace(fresh, _file)
        with os.scandir(folder) as entries:
            ours = (entry for entry in entries if _NAME.fullmatch(entry.name))
            newest = sorted(ours, key=lambda entry: -entry.stat(follow_symlinks=False).st_mtime_ns)
        for entry in newest[_FILES:]:
            os.unlink(entry.path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
