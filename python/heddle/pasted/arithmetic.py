"""Operators and functions of integers that c.py evaluates. fortran.py writes Fortran's as calls."""

from __future__ import annotations

import operator

ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1),
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def _power(base: int, exponent: int) -> int:
    """Fortran's power of integers. The quotient of a negative exponent is cut to an integer."""
    if abs(base) > 1:
        if exponent > 62:
            raise OverflowError(f"{base}**{exponent}")
        return base**exponent if exponent >= 0 else 0
    if base == 0:
        return 0**exponent
    return base ** (exponent % 2)


OWN = "_of_fortran_"  # begins the names that fortran.py gives to Fortran's own functions
FUNCTIONS = {
    "MPI_Aint_diff": operator.sub,
    "MPI_Aint_add": operator.add,
    "_power": _power,
    "std::min": min,
    "std::max": max,
    f"{OWN}min": min,
    f"{OWN}max": max,
    f"{OWN}mod": ARITHMETIC["%"],
    f"{OWN}modulo": operator.mod,
    f"{OWN}abs": abs,
}
ARITY = {"MPI_Aint_diff": 2, "MPI_Aint_add": 2, "_power": 2, f"{OWN}mod": 2, f"{OWN}modulo": 2, f"{OWN}abs": 1}  # others: any
ARITY |= {"std::min": 2, "std::max": 2}
