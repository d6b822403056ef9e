"""Turns the statements by which a program makes a datatype into text for heddle-tool
(`heddle explain`).

described("MPI_Type_vector(128, 8, 4096, MPI_INT, &t)")            # "vector(128, 8, 4096, MPI_INT)"
described('''
    int n = 64, lengths[2] = {1, 3};
    MPI_Type_contiguous(3, MPI_DOUBLE, &point);
    MPI_Type_vector(n, 1, n, point, &column);
''')                                                               # "vector(64, 1, 64, contiguous(3, MPI_DOUBLE))": the last
described("call MPI_Type_vector(3, 1, 8, MPI_REAL8, t, ierr)")      # Fortran
described("t = MPI.DOUBLE.Create_vector(3, 1, 8)")                  # mpi4py
described("MPI_Type_vector(n, 1, n, MPI_INT, &t)", {"n": "8"})      # without {"n": "8"} a Problem asks for n
described(program, variable="face")                                 # the datatype in face, instead of the last
described("vector(8, 1, 8, int)")                                  # None: no statements

The text may be a whole program: all other statements are skipped.
"""

from __future__ import annotations

import re

from heddle.pasted import c, fortran, python
from heddle.pasted.asked import MOST_NAMES, Asked
from heddle.problem import Problem


def described(
    text: str,
    given: dict[str, str] | None = None,
    variable: str | None = None,
    names: list[str] | None = None,
    by_rank: bool = False,
    notes: list[str] | None = None,
) -> str | None:
    """The datatype that the last constructor makes, or the last datatype in `variable`. None: the
    text has no statements. `given`: values of names. `names`: gets the names that the datatype
    needs. `by_rank`: `rank` and `ranks` may be values (heddle explain --file-view). `notes`: gets a
    line that tells which of several datatypes this is."""
    is_fortran = _is_fortran(text)
    asked = Asked({(name.lower() if is_fortran else name): value for name, value in (given or {}).items()}, by_rank)
    try:
        if python.is_python(text):
            found = python.described(text, asked, variable)
        elif is_fortran:
            found = c.described(fortran.as_c(text), asked, variable and variable.lower())
        else:
            found = c.described(text, asked, variable)
    except RecursionError:
        raise Problem("an expression of the text is nested too deeply. Give its value by --define.", code=2) from None
    except Problem:
        asked.raise_if_any()  # the missing value is the cause of the error
        raise
    asked.raise_if_any()
    if names is not None:
        names += [name for name in asked.names if name not in names]
    if notes is not None and (note := asked.note()):
        notes.append(note)
    return found


def check_names(given: dict[str, str], texts: list[str], names: list[str]) -> None:
    """Complains about a name with a value that no text has. `names`: the names that the datatypes
    need."""
    for name in given:
        if not any(_has(text, name) for text in texts):
            has = f"; it has {', '.join(names[:MOST_NAMES])}" if names else ""
            raise Problem(f"the text has no {name.strip()}{has}.", code=2)


def _has(text: str, name: str) -> bool:
    """True: the text has all words of the name. Fortran does not distinguish cases."""
    either = str.lower if _is_fortran(text) else str
    return set(re.findall(r"\w+", either(name))).issubset(re.findall(r"\w+", either(text)))


def _is_fortran(text: str) -> bool:
    return not python.is_python(text) and fortran.is_fortran(text)
