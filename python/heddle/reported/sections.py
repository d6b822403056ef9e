"""Array sections in Fortran. The compiler may copy a section with holes before a call. The copies
are outside MPI, so no row has them.

about_sections(found, where)    # a sentence; "": no call is from Fortran, or none can have such a section
"""

from __future__ import annotations

import re

from . import Found, Site
from .layouts import MOST_PIECES, read

SOURCE = re.compile(r"\.(f|for|ftn|f90|f95|f03|f08):\d+\)?$", re.IGNORECASE)
NO_BUFFER = re.compile(
    r"MPI_(I?barrier|Init(_thread)?|Finalize|(Wait|Test)(all|any|some)?|Comm_\w+|I?m?probe|"
    r"File_(open|close|sync|set_\w+|preallocate|delete)|"
    r"Win_(free|fence|start|complete|post|wait|test|(un)?lock\w*|flush\w*))",
    re.IGNORECASE,
)
# Calls in which a rank has as many elements in each buffer as the report counts.
ONE_COUNT = re.compile(r"MPI_(I?[sbr]?send|I?recv|Sendrecv(_replace)?|I?bcast|I?(all)?reduce)(_c)?", re.IGNORECASE)
SIZES = {"INTEGER": 4, "REAL": 4, "LOGICAL": 4, "COMPLEX": 8, "DOUBLE_PRECISION": 8, "DOUBLE_COMPLEX": 16}
SIZED = re.compile(r"MPI_(INTEGER|REAL|LOGICAL|COMPLEX)(\d+)$")  # MPI_REAL8


def about_sections(found: Found, where: dict) -> str:
    fortran = [one for one in found.sites if SOURCE.search(where.get(one.place, ""))]
    rows = [] if fortran else [row for row in found.rows if SOURCE.search(where.get(row.place, ""))]
    if not rows and all(NO_BUFFER.fullmatch(one.name) or _one_element(one) for one in fortran):
        return ""
    return (
        "The Fortran compiler copies an array section with holes, such as a(1:n:2), before the call, unless "
        "MPI_SUBARRAYS_SUPPORTED of mpi_f08 is .true. No row here has the time of such copies; a datatype avoids them."
    )


def _one_element(one: Site) -> bool:
    """No call has more than an element of its datatype. One element is no section with holes."""
    size = _size(one)
    return bool(size and one.sizes and ONE_COUNT.fullmatch(one.name)) and max(one.sizes) <= size


def _size(one: Site) -> int:
    """Bytes of an element. 0: not known."""
    if one.datatype_name:
        sized = SIZED.match(one.datatype_name)
        return int(sized[2]) if sized else SIZES.get(one.datatype_name.removeprefix("MPI_"), 0)
    layout = read(one.datatype)
    if not layout or not layout.node.whole:
        return 0
    return round(sum(length * weight for _, length, weight in layout.pieces(MOST_PIECES)))
