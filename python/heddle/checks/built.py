"""Checks that the compiled part is there."""

from collections.abc import Iterator

from heddle import families, native
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
        native.ask("settings", "--json")
        yield good("heddle-tool", "answers")
    except (Problem, OSError, ValueError) as problem:
        yield bad("heddle-tool", str(problem).splitlines()[0].removesuffix(f" {native.MEND}"), native.MEND)
