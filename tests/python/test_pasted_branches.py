"""heddle explain asks which constructor of a branch makes a datatype, unless all make the same or
the condition is known."""

import pytest
from heddle.pasted import described
from heddle.problem import Problem

A, B = "MPI_Type_contiguous(3, MPI_LONG, &t);", "MPI_Type_contiguous(1, MPI_INT, &t);"
MADE_A, MADE_B = "contiguous(3, MPI_LONG)", "contiguous(1, MPI_INT)"
U = "MPI_Type_vector(2, 1, 2, t, &u);"
FA, FB = (one.replace("MPI", "call MPI", 1).replace("&t);", "t, ierr)").replace("LONG", "INTEGER8") for one in (A, B))
PA, PB = "MPI.LONG.Create_contiguous(3)", "MPI.INT.Create_contiguous(1)"
ASKED = [
    f"if (rank == 0) {A} else {B}",
    f"void f() {{ if (rank == 0) {{ {A} }} else {{ {B} }} {U} }}",
    f"switch (rank) {{ case 0: {A} break; default: {B} }}",
    f"#ifdef rank\n{A}\n#else\n{B}\n#endif\n",
    f"#if rank == 0\n{A}\n#elif rank == 1\n{U}\n#else\n{B}\n#endif\n{A.replace('&t', '&v')}{U}",
    f"void f() {{ {A} if (rank) {B} }}",
    f"void f() {{ if (rank) {{ {A} send(t); return; }} {B} }}",
    f"void f() {{ rank ? {A[:-1]} : {B} }}",
    f"if (rank) {A} else t = MPI_INT;",
    f"if (rank) {A} else t = make();",
    f"if (rank == 0) then\n{FA}\nelse if (rank == 1) then\n{FB}\nend if",
    f"select case (rank)\ncase (0)\n{FA}\ncase default\n{FB}\nend select",
    f"#ifdef rank\n{FA}\n#else\n{FB}\n#endif",
    f"t = {PA} if rank else {PB}",
    f"t = ({PA} if rank else {PB}).Commit()",
    f"t = {PA} if rank else MPI.INT",
    f"if rank == 0:\n    t = {PA}\nelse:\n    t = {PB}",
    f"if rank == 0:\n    t = {PA}\nelse:\n    t = MPI.INT",
    f"def t():\n    if rank == 0:\n        return {PA}\n    return {PB}",
    f"def f():\n    if rank:\n        t = {PA}\n        send(t)\n        return\n    t = {PB}",
    f"t = []\nif rank:\n    t.append({PA})\nelse:\n    t.append({PB})",
    f"match rank:\n    case 0:\n        t = {PA}\n    case _:\n        t = {PB}",
]


@pytest.mark.parametrize("text", ASKED)
def test_branches_are_asked_for(text):
    with pytest.raises(Problem, match=r"which datatype is t\? Branches of the text make different ones") as problem:
        described(text)
    assert "--define rank=0" in str(problem.value) or "match" in text
    assert described(text, {"t": "MPI_INT"}) in ("MPI_INT", "vector(2, 1, 2, MPI_INT)")


@pytest.mark.parametrize(
    ("text", "of_zero", "of_one"),
    [
        (ASKED[0], MADE_A, MADE_B),
        (ASKED[2], MADE_A, MADE_B),
        (ASKED[3], MADE_B, MADE_A),
        (ASKED[5], MADE_A, MADE_B),
        (ASKED[6], MADE_B, MADE_A),
        (ASKED[10], "contiguous(3, MPI_INTEGER8)", MADE_B),
        (ASKED[11], "contiguous(3, MPI_INTEGER8)", MADE_B),
        (ASKED[13], MADE_B, MADE_A),
        (ASKED[16], MADE_A, MADE_B),
        (ASKED[18], MADE_A, MADE_B),
    ],
)
def test_a_value_decides(text, of_zero, of_one):
    assert described(text, {"rank": "0"}) == of_zero
    assert described(text, {"rank": "1"}) == of_one


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"if (rank == 0) {A} else {A}", MADE_A),
        (f"int rank = 0; if (rank == 0) {A} else {B}", MADE_A),
        (f"#define BIG\n#ifdef BIG\n{A}\n#else\n{B}\n#endif\n", MADE_A),
        (f"#if 0\n{A}\n#else\n{B}\n#endif\n", MADE_B),
        (f"if (x) {A}", MADE_A),
        (f"for (int i = 0; i < 3; ++i) {{ {A} }}", MADE_A),
        (f"void f() {{ {A} if (err) {{ MPI_Abort(c, 1); }} {B} }}", MADE_B),
        (f"void f() {{ if (x) {{ {A} return; }} {B} {U} }}", f"vector(2, 1, 2, {MADE_B})"),
        (f"void f() {{ if (x) {{ {A} {U} }} else {{ {B.replace('&t', '&v')} }} }}", MADE_B),
        (f"if ((e = {A[:-1]}) != MPI_SUCCESS) exit(1);", MADE_A),
        (f"void f() {{ {A} }} void g() {{ {B} }}", MADE_B),
        (f"MPI_Datatype t = MPI_DATATYPE_NULL; if (x) {A}", MADE_A),
        (f"void f() {{ {A} t = MPI_INT; {U} }}", "vector(2, 1, 2, MPI_INT)"),
        (f"if (ierr /= 0) return\n{FB}\nif (x) {FB}", MADE_B),
        (f"t = {PA} if rank else {PA}", MADE_A),
        (f"rank = 0\nif rank == 0:\n    t = {PA}\nelse:\n    t = {PB}", MADE_A),
        (f"def f():\n    t = {PB}\n    if err:\n        raise Wrong", MADE_B),
        (f"t = None\nif x:\n    t = {PA}", MADE_A),
        (f"if __name__ == '__main__':\n    t = {PA}", MADE_A),
        (f"try:\n    t = {PA}\nexcept Exception:\n    t = None", MADE_A),
    ],
)
def test_branches_without_a_question(text, wanted):
    assert described(text) == wanted


def test_values_of_other_cases_are_asked_for():
    for text in (
        "switch (k) { case 1: n = 3; break; default: MPI_Type_contiguous(n, MPI_INT, &t); }",
        "select case (k)\ncase (1)\nn = 3\ncase default\ncall MPI_Type_contiguous(n, MPI_INT, t, ierr)\nend select",
    ):
        with pytest.raises(Problem, match=r"what is n\?"):
            described(text)


def test_lines_of_the_fixed_form():
    text = "      if (rank .eq. 0) then\n      call mpi_type_contiguous(3,\n     & MPI_REAL, t, e)\n      else\n"
    text += "      call mpi_type_contiguous(4, MPI_REAL, t, e)\n      end if\n"
    with pytest.raises(Problem, match=r"\(line 2\) and .* \(line 5\)"):
        described(text)


@pytest.mark.parametrize(("power", "wanted"), [("2**3**2", 512), ("2**3**1**2", 8), ("(2**3)**2", 64), ("2*3**2", 18)])
def test_powers_of_fortran(power, wanted):
    assert described(f"call MPI_Type_contiguous({power}, MPI_REAL, t, ierr)\n") == f"contiguous({wanted}, MPI_REAL)"
