"""Files that the settings name. Some variables come from files of settings
(src/settings/files.hpp), and then a fault would show only after the run.

    check_outputs(["./app"])          # warns if a file of settings names a report that cannot be written

heddle-tool reads the files. It is asked only if a file names one of these variables, because every
`heddle run` comes here.
"""

from __future__ import annotations

import os
import sys

from heddle import native, remembered
from heddle.problem import Problem

OUTPUTS = {"HEDDLE_REPORT": "the report", "HEDDLE_TRACE": "the timeline"}
SITE = "/etc/heddle/heddle.conf"
_LARGEST = 64 << 10  # bytes; the library reads no larger file


def files() -> list[str]:
    """The paths where files of settings are looked for, by the rule of src/settings/files.cpp."""
    named, config, home = (os.environ.get(name, "") for name in ("HEDDLE_CONFIG", "XDG_CONFIG_HOME", "HOME"))
    if named == "none":
        return []
    if named:
        return [named, SITE]
    if config.startswith("/"):
        return [f"{config}/heddle/heddle.conf", SITE]
    return [f"{home}/.config/heddle/heddle.conf", SITE] if home.startswith("/") else [SITE]


def outputs_of_files() -> list[dict]:
    """The rows of `heddle env` for the files that files of settings ask for."""
    remembered.rests_on(*files())
    if not any(name in text for text in map(_text, files()) for name in OUTPUTS):
        return []
    remembered.doubt()  # the place is checked at each start
    try:
        rows = native.ask("settings", "--json")[0]
    except (Problem, OSError, ValueError):  # `heddle doctor` tells it; the program runs without heddle-tool, too
        return []
    return [row for row in rows if row["name"] in OUTPUTS and row["value"] is not None and row["from"] != "environment"]


def _text(file: str) -> str:
    """The text of a file; empty: it is none, or cannot be read, which the first rank says."""
    try:
        with open(file, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as opened:
            return opened.read(_LARGEST + 1).decode("utf-8", "replace")
    except OSError:
        return ""


def check_outputs(words: list[str], has_report: bool = False) -> None:
    """Warns if a file of settings asks for a file that cannot be written. A setting of the site
    must not stop programs. A fault in the environment does, because it is the user's own
    (heddle.reported.afterwards). As there, nothing is checked under a launcher.
    `has_report`: the report goes to the place of --report instead."""
    from heddle import launch

    if launch.is_launcher(words[0]):
        return
    for row in outputs_of_files():
        from heddle.reported.afterwards import VARIABLE, check_writable

        if has_report and row["name"] == VARIABLE:
            continue
        try:
            check_writable(row["value"], words, f"{OUTPUTS[row['name']]} of {row['name']} ({row['from']})")
        except Problem as problem:
            print(f"heddle: {problem} Correct that line, or run without it: {row['name']}= heddle run ...", file=sys.stderr)
