"""Facts about files, kept between runs: asking mpiexec, ldd or mpi4py takes longer than a short job.

    banner = fact("mpiexec --version", [path], lambda: Found(ask(path)))

A fact holds while its context is the same and all files that it depends on are unchanged (size, time, inode). The facts are in
one JSON file of the user's, HEDDLE_CACHE or ~/.cache/heddle/found.json. A file that cannot be read, or belongs to another user,
counts as empty. Every `heddle run` imports this module, so it imports nothing that takes long.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import namedtuple
from collections.abc import Callable, Iterable

VARIABLE = "HEDDLE_CACHE"
_KEPT = 256  # facts; the oldest are dropped
_VERSION = 2

# The answer of find(): a value that fits into JSON, and further files that the value depends on.
Found = namedtuple("Found", "value files", defaults=((),))


def fact(kind: str, files: Iterable[str | os.PathLike], find: Callable[[], Found], context: Iterable[str] = ()):
    """The value that `find` returns, now or in an earlier run. None is not kept."""
    files = [os.path.abspath(file) for file in files]
    key = "\n".join([kind, *files, *context])
    notes = _notes()
    known = notes.get(key)
    if known and known["rests on"] == _signatures(known["rests on"]):
        return known["value"]
    value, further = find()
    if value is not None:
        notes.pop(key, None)
        notes[key] = {"value": value, "rests on": _signatures(dict.fromkeys([*files, *map(os.path.abspath, further)]))}
        _keep(notes)
    return value


def variables(*names: str) -> list[str]:
    """These environment variables, as context."""
    return [f"{name}={os.environ[name]}" for name in names if name in os.environ]


def folders(*names: str) -> list[str]:
    """The folders that these variables list, as files that a fact depends on. A new file in a folder changes its time."""
    return [folder for name in names for folder in os.environ.get(name, "").split(":") if folder]


def _signatures(files: Iterable[str]) -> dict[str, list[int] | None]:
    return {file: _signature(file) for file in files}


def _signature(file: str) -> list[int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size, status.st_ino]


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
        with open(path, encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return {}
            notes = json.load(file)
        facts = notes["facts"] if notes["version"] == _VERSION else {}
        sound = all(set(each) == {"value", "rests on"} and isinstance(each["rests on"], dict) for each in facts.values())
        return facts if sound else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _keep(facts: dict) -> None:
    """Writes the whole file or nothing, even if other processes write it. A read-only home is no problem."""
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
