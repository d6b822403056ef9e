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

from heddle.pasted import c, fortran, python
from heddle.pasted.asked import Asked
from heddle.problem import Problem


def described(text: str, given: dict[str, str] | None = None, variable: str | None = None) -> str | None:
    """The datatype that the last constructor makes, or the last datatype in `variable`. None: the
    text has no statements. `given`: values of names."""
    asked = Asked(given or {})
    try:
        if python.is_python(text):
            found = python.described(text, asked, variable)
        elif fortran.is_fortran(text):
            found = c.described(fortran.as_c(text), asked, variable and variable.lower())
        else:
            found = c.described(text, asked, variable)
    except RecursionError:
        raise Problem("an expression of the text is nested too deeply. Give its value by --define.", code=2) from None
    except Problem:
        asked.raise_if_any()  # the missing value is the cause of the error
        raise
    asked.raise_if_any()
    return found
