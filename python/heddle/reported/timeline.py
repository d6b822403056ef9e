"""Adds the line of the program to each call of a timeline (HEDDLE_TRACE), after the run. While the
program runs, the library writes only module and offset.

    name_lines(Path("trace.json"))       # "from":"app+0x1234" becomes "from":"app+0x1234","line":"exchange (halo.c:42)"

The library writes each event in a line of its own, and the path of each module in an event called
heddle_module.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from heddle import written

from .lines import LINE, Place, places

VARIABLE = "HEDDLE_TRACE"
LARGEST = 1 << 30  # bytes of a file: more would take minutes
RANK = re.compile(r'"pid":(\d+)')
FROM = re.compile(r'"from":("(?:[^"\\]|\\.)*\+(0x[0-9a-f]+)")')
Call = tuple[str, str]  # the rank, and module+offset as JSON


def name_lines(file: Path) -> None:
    """The timeline stays as it is if the file cannot be read or written, or no line is known."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        target = written.followed(file)
        about = target.lstat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            return
        lines = _lines(target)
        if lines:
            _write(target, about, lines)


def _events(file: Path) -> Iterator[str]:
    with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as events:
        yield from events


def _call(event: str) -> Call | None:
    rank, place = RANK.search(event), FROM.search(event)
    return (rank[1], place[1]) if rank and place else None


def _lines(file: Path) -> dict[Call, str]:
    """The line of each call, as JSON."""
    modules: dict[Call, str] = {}
    calls: dict[Call, str] = {}  # the offset
    for event in _events(file):
        if event.startswith('{"name":"heddle_module"'):
            about = json.loads(event.rstrip(",\n"))
            modules[str(about["pid"]), about["args"]["file"]] = str(about["args"]["path"])
        elif (call := _call(event)) and call not in calls:
            calls[call] = json.loads(call[1]).rpartition("+")[2]
    wanted = {}
    for (rank, place), offset in calls.items():
        module = modules.get((rank, json.loads(place).rpartition("+")[0]))
        if module:
            wanted[rank, place] = Place(module, offset)
    shown = places(wanted.values())
    return {call: json.dumps(shown[place]) for call, place in wanted.items() if LINE.search(shown[place])}


def _write(file: Path, old: os.stat_result, lines: dict[Call, str]) -> None:
    with written.replacing(file, old) as out:
        for event in _events(file):
            call = _call(event)
            line = lines.get(call, "") if call else ""
            end = FROM.search(event).end() if line else 0
            text = f'{event[:end]},"line":{line}{event[end:]}' if line else event
            out.write(text.encode("utf-8", "surrogateescape"))
