"""Is the compiled part there, and does the environment make sense to it?"""

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
            yield (bad if essential else poor)(family.interposer, "not built", "make build")
    try:
        native.tool("settings", "--json")
        yield good("heddle-tool", "answers")
    except (Problem, OSError, ValueError) as problem:
        yield bad("heddle-tool", str(problem).splitlines()[0], "make build")


def environment() -> Iterator[Finding]:
    try:
        known = {row["name"] for row in native.tool("settings", "--json")}
    except (Problem, OSError, ValueError):
        return  # said above
    stray = sorted(name for name in os.environ if name.startswith("HEDDLE") and name not in known)
    if stray:
        yield poor("HEDDLE_ variables", f"{', '.join(stray)}: unknown, without effect", "`heddle env` lists those there are")
    else:
        set_now = sorted(name for name in os.environ if name in known)
        yield good("HEDDLE_ variables", ", ".join(f"{name}={os.environ[name]}" for name in set_now) or "none set")
    if os.environ.get(preload.VARIABLE):
        yield good(preload.VARIABLE, f"{os.environ[preload.VARIABLE]} (kept, before Heddle)")
