"""Checks that the compiled part is there, and that it understands the environment."""

import os
from collections.abc import Iterator

from heddle import families, native, preload
from heddle.checks import Finding, bad, good, poor
from heddle.problem import Problem


def libraries() -> Iterator[Finding]:
    for family in families.ALL:
        essential = family is not families.ABI
        try:
            native.interposer(family)
            yield good(family.interposer, f"for {family.title}")
        except Problem:
            yield (bad if essential else poor)(family.interposer, "missing", native.MEND)
    try:
        native.tool("settings", "--json")
        yield good("heddle-tool", "answers")
    except (Problem, OSError, ValueError) as problem:
        yield bad("heddle-tool", str(problem).splitlines()[0].removesuffix(f" {native.MEND}"), native.MEND)


def _where(row: dict) -> str:
    """The file that sets a variable."""
    return "" if row["from"] == "environment" else f" ({row['from']})"


def environment() -> Iterator[Finding]:
    try:
        rows, complaints = native.ask("settings", "--json")
    except (Problem, OSError, ValueError):
        return  # reported above
    for complaint in complaints.splitlines():
        yield poor("HEDDLE_ variables", complaint.removeprefix("heddle: "), "`heddle env` lists those there are")
    if not complaints:
        set_now = [f"{row['name']}={row['value']}{_where(row)}" for row in rows if row["value"] is not None]
        yield good("HEDDLE_ variables", ", ".join(set_now) or "none set")
    off = next((row for row in rows if row["name"] == "HEDDLE" and row["value"] == "off"), None)
    if off:
        mend = "delete that line, or set HEDDLE=on" if _where(off) else "unset HEDDLE"
        yield poor("Heddle", f"off: HEDDLE=off{_where(off)}; every call goes straight to the MPI library", mend)
    if os.environ.get(preload.VARIABLE):
        yield good(preload.VARIABLE, f"{os.environ[preload.VARIABLE]} (kept, before Heddle)")
