"""heddle explain tells which of several datatypes it explains, and evaluates constants with
functions of the language."""

import re

import pytest
from heddle.pasted import described
from heddle.problem import Problem

SEVERAL = {
    "c": "MPI_Type_contiguous(3, MPI_INT, &row);\nMPI_Type_contiguous(4, MPI_INT, &column);\n"
    "MPI_Type_contiguous(5, MPI_INT, &face);",
    "f90": "call MPI_Type_contiguous(3, MPI_INTEGER, row, e)\ncall MPI_Type_contiguous(4, &\n MPI_INTEGER, column, e)\n"
    "call MPI_Type_contiguous(5, MPI_INTEGER, face, e)",
    "py": "row = MPI.INT.Create_contiguous(3)\ncolumn = MPI.INT.Create_contiguous(4)\nface = MPI.INT.Create_contiguous(5)",
}


@pytest.mark.parametrize("ending", SEVERAL)
def test_the_chosen_datatype_is_named(heddle, tmp_path, ending):
    (tmp_path / f"a.{ending}").write_text(SEVERAL[ending])
    line = 4 if ending == "f90" else 3
    done = heddle("explain", f"a.{ending}", cwd=tmp_path)
    assert done.stderr == f"heddle: face (line {line}); other datatypes (--variable): row, column\n", done
    assert heddle("explain", f"a.{ending}", "--variable", "row", cwd=tmp_path).stderr == ""


def test_a_single_datatype_is_not_named():
    notes = []
    described("MPI_Type_contiguous(3, MPI_INT, &row);", notes=notes)
    assert notes == []
    described("".join(f"MPI_Type_contiguous({i}, MPI_INT, &t{i});" for i in range(9)), notes=notes)
    assert notes == ["t8 (line 1); other datatypes (--variable): t0, t1, t2, t3, t4 and 3 more"]


CONSTANT = "integer, parameter :: ni = 30, nj = 17\ninteger, parameter :: nk = {}\n"
CONSTANT += "call MPI_Type_contiguous(nk, MPI_REAL, t, ierr)\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ni/3 + mod(nj,7)", 13),
        ("max(ni, nj, 4) - min(ni, nj)", 13),
        ("abs(nj - ni)", 13),
        ("20 + mod(-nj, 10)", 13),
        ("10 + modulo(-nj, 10)", 13),
    ],
)
def test_functions_of_fortran(text, wanted):
    assert described(CONSTANT.format(text)) == f"contiguous({wanted}, MPI_REAL)"


def test_functions_of_the_program_are_not_those_of_fortran():
    text = CONSTANT.format("3") + "n = mod(7, 4)\ncall MPI_Type_contiguous(n, MPI_REAL, t, ierr)\n"
    assert described(text) == "contiguous(3, MPI_REAL)"
    with pytest.raises(Problem, match=r"what is n\?"):
        described(text + "contains\ninteger function mod(a, b)\nmod = 9\nend function\n")


def test_a_constant_that_is_not_evaluated_is_told():
    with pytest.raises(Problem, match=re.escape("cannot evaluate nk = ibset(ni, 2).")) as problem:
        described(CONSTANT.format("ibset(ni, 2)"))
    assert "when it runs" not in str(problem.value)
    assert described("const int n = std::max(3, 8); MPI_Type_contiguous(n, MPI_INT, &t);") == "contiguous(8, MPI_INT)"
    with pytest.raises(Problem, match=r"what is n\?"):
        described("int n = max(3, 8); MPI_Type_contiguous(n, MPI_INT, &t);")
