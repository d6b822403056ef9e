"""Shortens names of functions for a line of a report. File and line beside the name tell overloads
apart.

brief("halo::exchange(int, double*) const")                    # "halo::exchange"
brief("a_library::of::meshes::Field<double, 3>::exchange_of_all_layers_at_once(double*)")
                                                               # "meshes::Field::exchange_of_all_layers_at_once"
"""

from __future__ import annotations

import re

LONGEST = 48
BEHIND = re.compile(r"(\s*(const|volatile|&|&&|\[clone [^\]]*\]))*$")


def brief(function: str) -> str:
    """A C++ name without parameters. If it is too long, also without template arguments, and then
    without its namespaces."""
    name = _without_parameters(function)
    if len(name) > LONGEST:
        name = _without_templates(name)
    while len(name) > LONGEST and "::" in name:
        name = name.partition("::")[2]
    return name


def _without_parameters(function: str) -> str:
    plain = BEHIND.sub("", function)
    depth = 0
    for at in range(len(plain) - 1, -1, -1) if plain.endswith(")") else ():
        depth += (plain[at] == ")") - (plain[at] == "(")
        if depth == 0:
            return function if at == 0 or plain[:at].endswith("operator") else plain[:at]
    return function


def _without_templates(name: str) -> str:
    if "operator" in name:  # operators may contain < or >
        return name
    kept, depth = "", 0
    for letter in name:
        depth += letter == "<"
        kept += letter if depth == 0 else ""
        depth -= letter == ">"
    return kept if depth == 0 else name
