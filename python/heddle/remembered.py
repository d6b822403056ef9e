"""Facts about files, kept between runs: asking mpiexec, ldd or mpi4py takes longer than a short
job.

    banner = fact("mpiexec --version", [path], lambda: Found(ask(path)))

A fact holds while its context is the same and all files that it depends on are unchanged (size,
times, inode). A fact is not kept if one of them has just changed. The facts are in one JSON file of
the user's, HEDDLE_CACHE or ~/.cache/heddle/found.json. A file that cannot be read, or that others
may write, counts as empty. Every `heddle run` imports this module, so it imports nothing that takes
long.

    note_files()                  # from now on, each file that an answer rests on is noted
    rests_on(path)                # an answer depends on this file, or on its absence
    files = rested_on()           # {path: signature}

heddle.lines remembers a whole command by these files.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import time
from collections import namedtuple
from collections.abc import Callable, Iterable

VARIABLE = "HEDDLE_CACHE"
_KEPT = 256  # facts; the oldest are dropped
_VERSION = 3
# A file that changed later than this before the start may change again with the same time, on file
# systems that count seconds.
_SETTLED_NS = 10**9

_began = time.time_ns()
_noted: dict[str, list[int] | None] | None = None
_doubtful = False

# The answer of find(): a value that fits into JSON, and further files that the value depends on.
# None: these are not known, and the value is not kept.
Found = namedtuple("Found", "value files", defaults=((),))


def fact(kind: str, files: Iterable[str | os.PathLike], find: Callable[[], Found], context: Iterable[str] = ()):
    """The value that `find` returns, now or in an earlier run. None is not kept."""
    files = [_absolute(file) for file in files]
    key = "\n".join([kind, *files, *context])
    notes = _notes()
    known = notes.get(key)
    if known and known["rests on"] == _signatures(known["rests on"]):
        rests_on(*known["rests on"])
        return known["value"]
    before = _signatures(files)
    value, further = find()
    if value is None or further is None:
        doubt()
        return value
    signatures = _signatures(map(_absolute, further)) | before
    rests_on(*signatures)
    notes.pop(key, None)
    if _settled(signatures):
        notes[key] = {"value": value, "rests on": signatures}
        _keep(notes)
    return value


def note_files() -> None:
    global _noted
    _noted = {}


def rests_on(*files: str | os.PathLike) -> None:
    """Notes files on which the command of this process depends."""
    if _noted is not None:
        for file in map(_absolute, files):
            if file not in _noted:
                _noted[file] = _signature(file)


def doubt() -> None:
    """The command of this process depends on more than files and on the variables that
    src/command/context.cpp counts."""
    global _doubtful
    _doubtful = True


def rested_on() -> dict[str, str] | None:
    """The noted files and the modules of Heddle, with the signatures that
    src/command/known_lines.hpp describes. None: another process of the same files may find another
    command."""
    rests_on(*(module.__file__ for name, module in sys.modules.items() if name.startswith("heddle.") and module.__file__))
    if _noted is None or _doubtful or not _settled(_noted):
        return None
    return {file: " ".join(map(str, each)) if each else "-" for file, each in _noted.items()}


def _settled(signatures: dict[str, list[int] | None]) -> bool:
    """True: these files will show by their signatures that they have changed again."""
    return all(each is None or each[-1] <= _began - _SETTLED_NS for each in signatures.values())


def variables(*names: str) -> list[str]:
    """These environment variables, as context."""
    return [f"{name}={os.environ[name]}" for name in names if name in os.environ]


def folders(*names: str) -> list[str]:
    """The folders that these variables list, as files that a fact depends on. A new file in a
    folder changes its time."""
    return [folder for name in names for folder in os.environ.get(name, "").split(":") if folder]


def _absolute(file: str | os.PathLike) -> str:
    """The path with `..` as the kernel reads it, through links."""
    try:
        return os.fspath(file) if os.path.isabs(file) else os.path.join(os.getcwd(), file)
    except FileNotFoundError:  # somebody has removed the folder
        doubt()
        return os.fspath(file)


def _signatures(files: Iterable[str]) -> dict[str, list[int] | None]:
    return {file: _signature(file) for file in files}


def _signature(file: str) -> list[int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns]


def _path() -> str | None:
    asked = os.environ.get(VARIABLE, "")
    if asked == "off":
        return None
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return asked or os.path.join(home, "heddle", "found.json")


def _notes() -> dict:
    path = _path()
    if path is None:
        return {}
    try:
        notes = json.loads(own_file(path))
        facts = notes["facts"] if notes["version"] == _VERSION else {}
        sound = all(set(each) == {"value", "rests on"} and isinstance(each["rests on"], dict) for each in facts.values())
        return facts if sound else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def own_file(path: str) -> bytes:
    """The content of a file that belongs to this user. OSError: there is none, or it is a pipe, or
    others may write it."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.geteuid() or not stat.S_ISREG(status.st_mode) or status.st_mode & 0o022:
            raise PermissionError(path)
        return file.read()


def _keep(facts: dict) -> None:
    """Writes the whole file or nothing, even if other processes write it. A read-only home is no
    problem."""
    path = _path()
    if path is None:
        return
    fresh = f"{path}.{os.getpid()}"
    newest = dict(list(facts.items())[-_KEPT:])
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({"version": _VERSION, "facts": newest}, file)
        os.replace(fresh, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
