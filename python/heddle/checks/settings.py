"""Checks the settings: what the environment and files of settings say, and the files that they
name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from heddle import native, preload, settings, written
from heddle.checks import Finding, good, poor
from heddle.problem import Problem

# A complaint of heddle-tool (src/settings), and its mend. "{0}" and others are the groups. The
# first that matches counts; a line of a file begins with its place.
_PLACE = r"(.+?:\d+): "
_MENDS = (
    (
        r"the settings in (.*) are not used: .*\(Permission denied\)",
        "let its users read it: chmod a+r {0}, and a+x its folders",
    ),
    (r"the settings in (.*) are not used: .*\(No such file", "correct HEDDLE_CONFIG, or unset it"),
    (r"the settings in (.*) are not used: .*\(Is a directory", "HEDDLE_CONFIG must name a file, not a folder"),
    (r"the settings in (.*) are not used: .*\(File too large", "a file of settings has at most 64 KiB: name the right one"),
    (r"the settings in (.*) are not used", "check that this shows it: cat {0}"),
    (_PLACE + r".* is not NAME=VALUE", "write NAME=VALUE in that line, or a # before it"),
    (_PLACE + r"(HEDDLE_\w+) is read from the environment alone", "delete that line, and set {1} in the environment"),
    (_PLACE + r"no variable is called .*; did you mean (\w+)", "write {1} in that line, or delete it"),
    (_PLACE + r"no variable is called", "delete that line; `heddle env` lists the variables there are"),
    (_PLACE + r"(HEDDLE_\w+)=.* Allowed: ", "write an allowed value in that line, or delete it"),
    (r"no variable is called (\S+);.* Did you mean (\w+)", "set {1} instead, and unset {0}"),
    (r"no variable is called (\S+);", "unset {0}; `heddle env` lists the variables there are"),
    (r"(HEDDLE_\w+)=.* Allowed: ", "set {0} to an allowed value, or unset it"),
)


def mend(complaint: str) -> str:
    """The mend for a complaint about settings. For an unknown complaint, the command that shows all
    settings with their places."""
    for pattern, text in _MENDS:
        if found := re.match(pattern, complaint):
            return text.format(*found.groups())
    return "`heddle env` shows every setting and its place"


def _where(row: dict) -> str:
    """The file that sets a variable."""
    return "" if row["from"] == "environment" else f" ({row['from']})"


def environment() -> Iterator[Finding]:
    try:
        rows, complaints = native.ask("settings", "--json")
    except (Problem, OSError, ValueError):
        return  # built.libraries reports it
    for complaint in complaints.splitlines():
        seen = complaint.removeprefix("heddle: ")
        yield poor("HEDDLE_ variables", seen, mend(seen))
    if not complaints:
        set_now = [f"{row['name']}={row['value']}{_where(row)}" for row in rows if row["value"] is not None]
        yield good("HEDDLE_ variables", ", ".join(set_now) or "none set")
    for row in rows:
        if row["name"] in settings.OUTPUTS and row["value"] is not None:
            yield from _written(row)
    off = next((row for row in rows if row["name"] == "HEDDLE" and row["value"] == "off"), None)
    if off:
        switch = "delete that line, or set HEDDLE=on" if _where(off) else "unset HEDDLE"
        yield poor("Heddle", f"off: HEDDLE=off{_where(off)}; every call goes straight to the MPI library", switch)
    if os.environ.get(preload.VARIABLE):
        yield good(preload.VARIABLE, f"{os.environ[preload.VARIABLE]} (kept, before Heddle)")


def _written(row: dict) -> Iterator[Finding]:
    """A warning if the file of HEDDLE_REPORT or HEDDLE_TRACE could not be written on this machine.
    Only the ranks know a folder whose name has a %."""
    file = Path(row["value"]).absolute()
    if "%" in str(file.parent) or not (why := written.why_not(file)):
        return
    folder = why.removeprefix("there is no folder ")
    make = f"mkdir -p {folder}, or name a file elsewhere" if folder != why else "name a file where you may write"
    yield poor(row["name"], f"{settings.OUTPUTS[row['name']]} cannot be written to {file}{_where(row)}: {why}", make)
