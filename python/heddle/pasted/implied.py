"""Implied loops of Fortran: [(7 * i, i = 0, 3)], which fortran.py writes as
{_implied(i, 0, 3, 1, 7 * i)}.

counted_out(["_implied(i, 0, 3, 1, 7 * i)", "5"], number)     # ["7 * (0)", "7 * (1)", "7 * (2)", "7 * (3)", "5"]
"""

from __future__ import annotations

import re
from collections.abc import Callable

from heddle.pasted.asked import split
from heddle.problem import Problem

IMPLIED = "_implied"
CALL = re.compile(rf"{IMPLIED}\(((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\)")  # with brackets three deep
LONGEST = 1 << 20


def as_written(text: str) -> str:
    """The loop as Fortran writes it."""
    found = CALL.search(text)
    if found is None:
        return text
    variable, first, last, step, *inside = split(found[1])
    loop = f"({', '.join(map(as_written, inside))}, {variable} = {first}, {last}{'' if step == '1' else f', {step}'})"
    whole = text[: found.start()] + loop + text[found.end() :]
    return f"[{whole[1:-1]}]" if whole.startswith("{") and whole.endswith("}") else whole


def counted_out(elements: list[str], number: Callable[[str], int]) -> list[str]:
    """The elements of an array. `number`: gives the value of a bound."""
    found: list[str] = []
    for element in elements:
        loop = CALL.fullmatch(element.strip())
        if loop is None:
            found.append(element)
            continue
        variable, *bounds = split(loop[1])[:4]
        first, last, step = map(number, bounds)
        if step == 0:
            raise Problem(f"an implied loop over {variable} has steps of 0.", code=2)
        inside = split(loop[1])[4:]
        numbers = range(first, last + (1 if step > 0 else -1), step)
        if len(found) + len(numbers) * len(inside) > LONGEST:
            raise Problem(f"an implied loop over {variable} makes more than {LONGEST} elements.", code=2)
        name = re.compile(rf"(?<![\w.]){re.escape(variable)}(?!\w)")
        found += counted_out([name.sub(f"({value})", one) for value in numbers for one in inside], number)
    return found
