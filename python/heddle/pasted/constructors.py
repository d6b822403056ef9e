"""MPI's constructors of datatypes, and their form in the grammar of heddle-tool
(src/layout/grammar.hpp)."""

from __future__ import annotations

# Their arguments before the new type. n: a number. #: the length of the lists. l: a list of
# numbers. t: a type. T: a list of types. d: a list of distributions. o: an order.
TAKES = {
    "contiguous": "nt",
    "vector": "nnnt",
    "hvector": "nnnt",
    "indexed": "#llt",
    "hindexed": "#llt",
    "indexed_block": "#nlt",
    "hindexed_block": "#nlt",
    "struct": "#llT",
    "subarray": "#lllot",
    "darray": "nn#ldllot",
    "resized": "tnn",
    "dup": "t",
    "f90_real": "nn",
    "f90_complex": "nn",
    "f90_integer": "n",
}
ORDERS = {"MPI_ORDER_C": "C", "MPI_ORDER_FORTRAN": "F", "MPI_ORDER_F": "F"}  # the last is mpi4py's
DISTRIBUTIONS = {"MPI_DISTRIBUTE_BLOCK": "block", "MPI_DISTRIBUTE_CYCLIC": "cyclic", "MPI_DISTRIBUTE_NONE": "none"}
DEFAULT = "MPI_DISTRIBUTE_DFLT_DARG"  # an argument of a distribution
UNDEFINED = "MPI_UNDEFINED"  # digits, or a range, of a Fortran type

# Digits, powers of ten, bytes: the kinds that Fortran compilers have where real(8) is a double.
REALS = ((6, 37, 4), (15, 307, 8), (33, 4931, 16))
INTEGERS = ((2, 1), (4, 2), (9, 4), (18, 8))


def written(constructor: str, parts: list) -> str:
    """A constructor in the grammar. `parts`: the arguments by TAKES without '#', texts or lists of
    texts. None: the default."""
    if constructor.startswith("f90_"):
        return _of_fortran(constructor, parts)
    kinds = TAKES[constructor].replace("#", "")
    order = ""
    shown = []
    for place, (kind, part) in enumerate(zip(kinds, parts)):
        if kind == "o":
            order = f", order={part}"
        elif kind == "d":
            own = parts[place + 1]
            shown.append(f"[{', '.join(_distributed(name, size) for name, size in zip(part, own))}]")
        elif isinstance(part, list):
            if kinds[place - 1 : place] != "d":  # a distribution is written with its argument
                shown.append(f"[{', '.join(part)}]")
        else:
            shown.append(part)
    return f"{constructor}({', '.join(shown)}{order})"


def _distributed(name: str, size: str | None) -> str:
    return name if size is None or name == "none" else f"{name}({size})"


def _of_fortran(constructor: str, parts: list) -> str:
    """The smallest kind that has so many digits, and such a range (MPI-5.0 §19.1.9)."""
    if constructor == "f90_integer":
        size = next((size for digits, size in INTEGERS if int(parts[0]) <= digits), None)
        return f"integer{size}" if size else _none(constructor, parts)
    digits, powers = (-1 if part is None else int(part) for part in parts)
    size = next((size for most, range_, size in REALS if digits <= most and powers <= range_), None)
    if size is None:
        return _none(constructor, parts)
    return f"real{size}" if constructor == "f90_real" else f"complex{2 * size}"


def _none(constructor: str, parts: list) -> str:
    from heddle.problem import Problem

    raise Problem(f"MPI_Type_create_{constructor}({', '.join(map(str, parts))}): Fortran has no kind that large.", code=2)
