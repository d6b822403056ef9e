"""heddle explain reads the source of datatypes in C, Fortran and Python."""

import re
import sys
import sysconfig

import pytest
from heddle import native
from heddle.pasted import described, syntax
from heddle.problem import Problem


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("MPI_Type_vector(128, 8, 4096, MPI_INT, &t)", "vector(128, 8, 4096, MPI_INT)"),
        ("  err = MPI_Type_vector (2*64, 8, 1 << 12, MPI_INT, &t);\n MPI_Type_commit(&t);", "vector(128, 8, 4096, MPI_INT)"),
        (
            "MPI_Type_contiguous(3, MPI_DOUBLE, &point);\nMPI_Type_vector(8, 1, 8, point, &column); // a column",
            "vector(8, 1, 8, contiguous(3, MPI_DOUBLE))",
        ),
        (
            "#define N 64\nconst int n = N/2, lens[2] = {1, n}; MPI_Aint at[] = {0, 8 * sizeof(double)};\n"
            "MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};\nMPI_Type_create_struct(2, lens, at, types, &t);",
            "struct([1, 32], [0, 64], [MPI_INT, MPI_DOUBLE])",
        ),
        (
            "int s[3]={8,8,8}, b[3]={8,8,1}, o[3]={0,0,7};"
            "MPI_Type_create_subarray(3, s, b, o, MPI_ORDER_FORTRAN, MPI_FLOAT, &f);",
            "subarray([8, 8, 8], [8, 8, 1], [0, 0, 7], MPI_FLOAT, order=F)",
        ),
        ("MPI_Type_indexed(2, (int[]){1, 2}, (int[]){0, 8}, MPI_INT, &t)", "indexed([1, 2], [0, 8], MPI_INT)"),
        ("MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)64, &t)", "resized(MPI_INT, 0, 64)"),
        ("MPI_Type_create_hvector_c(4, 1, 100L, MPI_INT, &t)", "hvector(4, 1, 100, MPI_INT)"),
        (
            "MPI_Type_create_darray(6, 4, 2, (int[]){8, 9}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},"
            "(int[]){MPI_DISTRIBUTE_DFLT_DARG, 2}, (int[]){2, 3}, MPI_ORDER_FORTRAN, MPI_DOUBLE, &t)",
            "darray(6, 4, [8, 9], [block, cyclic(2)], [2, 3], MPI_DOUBLE, order=F)",
        ),
        (
            "int how[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK}, own[2]; own[0] = MPI_DISTRIBUTE_DFLT_DARG; own[1] = 4;"
            "MPI_Type_create_darray(2, 1, 2, (int[]){3, 8}, how, own, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &t)",
            "darray(2, 1, [3, 8], [none, block(4)], [1, 2], MPI_INT, order=C)",
        ),
        ("MPI_Type_create_f90_real(15, 307, &r); MPI_Type_contiguous(3, r, &t)", "contiguous(3, real8)"),
        ("MPI_Type_create_f90_real(6, MPI_UNDEFINED, &r);", "real4"),
        ("MPI_Type_create_f90_complex(15, 307, &r);", "complex16"),
        ("MPI_Type_create_f90_integer(9, &r);", "integer4"),
        (
            "typedef struct { double x[3]; int id, n; char tag; } P;\n"
            "MPI_Aint at[] = {offsetof(P, x), offsetof(P, n), offsetof(P, tag)};"
            "MPI_Datatype of[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};"
            "MPI_Type_create_struct(3, (int[]){3, 1, 1}, at, of, &f); MPI_Type_create_resized(f, 0, sizeof(P), &t);",
            "resized(struct([3, 1, 1], [0, 28, 32], [MPI_DOUBLE, MPI_INT, MPI_CHAR]), 0, 40)",
        ),
        (
            "MPI_Type_create_hvector(4, 1, sizeof(int) - 4 + 3*sizeof(double complex), MPI_INT, &t)",
            "hvector(4, 1, 48, MPI_INT)",
        ),
        ("MPI_Type_vector(0x10u, 1, 010, MPI_INT, &t)", "vector(16, 1, 8, MPI_INT)"),
        ("int n[2]; n[0] = 2; n[1] = n[0] + 1; MPI_Type_vector(n[1], 1, 8, MPI_INT, &t)", "vector(3, 1, 8, MPI_INT)"),
        (
            "unsigned long at[2] = {0}; MPI_Type_create_hindexed_block(2, 1, at, MPI_INT, &t)",
            "hindexed_block(1, [0, 0], MPI_INT)",
        ),
        ("call MPI_Type_vector(3, 1, 8, MPI_DOUBLE_PRECISION, t, ierr)", "vector(3, 1, 8, MPI_DOUBLE_PRECISION)"),
        (
            "integer, parameter :: N = 4, lens(2) = [1, n]  ! two\n integer :: t, u\n"
            "call MPI_TYPE_INDEXED(2, Lens, (/0, 8/), MPI_REAL8, t)\n"
            "call mpi_type_create_resized(t, 0_MPI_ADDRESS_KIND, &\n  & 96_MPI_ADDRESS_KIND, u, ierror)\n"
            "call MPI_Type_commit(u)",
            "resized(indexed([1, 4], [0, 8], MPI_REAL8), 0, 96)",
        ),
        (
            "call MPI_Type_create_subarray(2, [8, 8], [2, 3], [0, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, t)",
            "subarray([8, 8], [2, 3], [0, 1], MPI_INTEGER, order=F)",
        ),
        ("t = MPI.DOUBLE.Create_vector(3, 1, 8).Commit()", "vector(3, 1, 8, MPI_DOUBLE)"),
        (
            "n = 4\nrow = MPI.INT.Create_contiguous(n)\nt = MPI.Datatype.Create_struct([1, 2], [0, 8 * n], [row, MPI.DOUBLE])",
            "struct([1, 2], [0, 32], [contiguous(4, MPI_INT), MPI_DOUBLE])",
        ),
        ("t = MPI.INT.Create_subarray([8] * 2, [2, 2], [0, 1])", "subarray([8, 8], [2, 2], [0, 1], MPI_INT, order=C)"),
        (
            "t = MPI.INT.Create_darray(4, 1, [8, 8], [MPI.DISTRIBUTE_CYCLIC] * 2, [2, MPI.DISTRIBUTE_DFLT_DARG], [2, 2],"
            " order=MPI.ORDER_F)",
            "darray(4, 1, [8, 8], [cyclic(2), cyclic], [2, 2], MPI_INT, order=F)",
        ),
        (  # a function that uses a value of main
            "static int n;\nstatic MPI_Datatype row(void) { MPI_Datatype t; MPI_Type_vector(n, 1, n + 2, MPI_INT, &t); }\n"
            'int main(void) { n = 8; printf("n = 9; MPI_Type_contiguous(1, MPI_INT, &t)"); /* n = 10; */ row(); }',
            "vector(8, 1, 10, MPI_INT)",
        ),
        (
            "int n = 2; MPI_Type_contiguous(n, MPI_INT, &t); n = 5; int a[1] = {1}; a[0] = 3;"
            "MPI_Type_indexed(1, a, &n, t, &u); a[0] = 4;",
            "indexed([3], [5], contiguous(2, MPI_INT))",
        ),
        (
            "if (big) { n = 9; MPI_Type_contiguous(n, MPI_INT, &t); }",
            "contiguous(9, MPI_INT)",
        ),
        ("box->n = 4; MPI_Type_contiguous(2 * box->n, MPI_INT, &t);", "contiguous(8, MPI_INT)"),
        (
            "int at[] = {0, 1, 5, 9}; MPI_Type_create_indexed_block(2, 1, at + 2, MPI_INT, &t);",
            "indexed_block(1, [5, 9], MPI_INT)",
        ),
        (
            "typedef struct { char c; double x[2]; } S; S s[10]; MPI_Aint a[2];\n"
            "MPI_Get_address(&s[0], &a[0]); MPI_Get_address(&s[0].x, &a[1]);\n"
            "MPI_Type_create_hindexed_block(1, 2, (MPI_Aint[]){MPI_Aint_diff(a[1], a[0])}, MPI_DOUBLE, &t);",
            "hindexed_block(2, [8], MPI_DOUBLE)",
        ),
        (
            "subroutine make(t)\n type(MPI_Datatype) :: t\n integer :: part(2), n(0:1), k = 3\n part = k + 1\n part(2) = 1\n"
            "n(0) = 7\n n(1) = 8\n call MPI_Type_create_subarray(2, n, part, [0, 0], MPI_ORDER_FORTRAN, MPI_REAL, t)\nend",
            "subarray([7, 8], [4, 1], [0, 0], MPI_REAL, order=F)",
        ),
        (
            "c     fixed form\n      integer n\n      parameter (n = 4)\n      call mpi_type_vector(n, 1,\n"
            "     &     2 * n, MPI_REAL,\n     1 t, ierr)\n",
            "vector(4, 1, 8, MPI_REAL)",
        ),
        ("call MPI_Type_vector(8, & \n     12, 64, & ! a comment\n     MPI_REAL, t, ierr)\n", "vector(8, 12, 64, MPI_REAL)"),
        ("call MPI_Type_vector(2**3, 1, 2 + 2**(-1), MPI_REAL, t, ierr)\n", "vector(8, 1, 2, MPI_REAL)"),
        ("def f():\n    n = 3\n    if n:\n        return MPI.INT.Create_contiguous(n).Commit()\n", "contiguous(3, MPI_INT)"),
        ("s = [1, 2]\ns[1] = 5\nt = MPI.INT.Create_indexed(s, [0, 9])", "indexed([1, 5], [0, 9], MPI_INT)"),
        ("row = MPI.DOUBLE\nt = MPI.INT.Create_hvector(2, 1, 3 * row.extent)", "hvector(2, 1, 24, MPI_INT)"),
        # A declaration in a block holds only there, and hides declarations around the block.
        ("int n = 3; { int n = 4; MPI_Type_contiguous(n, MPI_INT, &t); }", "contiguous(4, MPI_INT)"),
        ("int n = 3; { int n = 4; } MPI_Type_contiguous(n, MPI_INT, &t);", "contiguous(3, MPI_INT)"),
        ("int n = 3; MPI_Type_contiguous(n, MPI_INT, &t); for (int i = 0, n = 0; i < 3; ++n) ;", "contiguous(3, MPI_INT)"),
        (
            "{ MPI_Aint at[1] = {16}; MPI_Type_create_hindexed_block(1, 2, at, MPI_INT, &t); }\n"
            "for (int i = 0, at = 0; i < 9; ++i) at += i;",
            "hindexed_block(2, [16], MPI_INT)",
        ),
        ("vector(8, 1, 8, int)", None),
        ("MPI_Type_vector(8, 1, 8, MPI_INT)", None),  # not a statement: the new type is missing
    ],
)
def test_statements(text, wanted):
    assert described(text) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("MPI_Type_vector(n, 1, 8, MPI_INT, &t)", "what is n?"),
        ("MPI_Type_vector(1, 1, 8, column, &t)", "what is column"),
        ("MPI_Type_indexed(2, lens, places, MPI_INT, &t)", "what are lens and places?"),
        ("MPI_Type_indexed(3, (int[]){1, 2}, (int[]){0, 8}, MPI_INT, &t)", "has 2 elements, and 3 are wanted"),
        ("MPI_Type_vector(1, 8, MPI_INT, &t)", "vector takes 4"),
        ("MPI_Type_vector(1, 8, 9, MPI_INT, &t", "a ')' is missing"),
        ("int a[2] = {1, 1}; a[1 - 3] = 4; MPI_Type_indexed(2, a, a, MPI_INT, &t);", "no element -2"),
        ("MPI_Type_vector(&);", "vector takes 4"),
        ("MPI_Type_contiguous(MPI_Aint_diff(8), MPI_INT, &t);", "what is MPI_Aint_diff(8)?"),
        ("MPI_Type_indexed(1 << 40, a, b, MPI_INT, &t);", "at most 1048576"),
        ("MPI_Type_indexed(-1, a, b, MPI_INT, &t);", "lists of -1 elements"),
        ("call MPI_Type_vector(3, 1, 8, MPI_REAL, t", "a ')' is missing"),
        ("MPI_Type_match_size(1, 8, &t)", "none of the constructors"),
        (
            "MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){offsetof(Q, a)}, (MPI_Datatype[]){MPI_INT}, &t)",
            "offsetof(Q, a)",
        ),
        (f"MPI_Type_contiguous({'1 + ' * 5000}1, MPI_INT, &t);", "nested too deeply"),
        ("MPI_Type_create_f90_real(99, 9, &t)", "Fortran has no kind that large"),
        ("call MPI_Type_vector(n, 1, 8, MPI_REAL8, t)", "what is n?"),
        ("t = MPI.INT.Create_vector(n, 1, 8)", "what is n?"),
        ("t = MPI.INT.Create_vector(8, 1)", "2 arguments"),
        ("t = MPI.INT.Create_vector(8, 1, 2", "no statements of Python"),
        ("n = n\nt = MPI.INT.Create_contiguous(n)", "what is n?"),
        ("int n = n; MPI_Type_contiguous(n, MPI_INT, &t)", "what is n?"),
        ("MPI_Type_vector(n / ranks, 1, n, MPI_INT, &t)", "--define n=8 --define ranks=8"),
        ("int n = argc > 1 ? atoi(argv[1]) : 8, m = 2 * n; MPI_Type_contiguous(m, MPI_INT, &t);", "what is n?"),
        # A value that is set in several places is not guessed.
        ("int n = 3; if (rank == 0) n = 4; MPI_Type_contiguous(n, MPI_INT, &t);", "what is n?"),
        ("int n = 3; if (rank) m = 1; else n = 4; MPI_Type_contiguous(n, MPI_INT, &t);", "what is n?"),
        ("int n = 3; switch (rank) { case 3: n = 4; } MPI_Type_contiguous(n, MPI_INT, &t);", "what is n?"),
        ("int n = 3; n += k; MPI_Type_contiguous(n, MPI_INT, &t);", "what is n?"),
        ("int a[2] = {0}; for (int i = 0; i < 2; ++i) a[i] = i; MPI_Type_indexed(2, a, a, MPI_INT, &t);", "what is a?"),
        ("for (int i = 0; i < 2; ++i) MPI_Type_contiguous(i, MPI_INT, &t);", "what is i?"),
        ("int n = 0; MPI_Comm_size(MPI_COMM_WORLD, &n); MPI_Type_contiguous(n, MPI_INT, &t);", "what is n?"),
        ("int d[2] = {0, 0}; MPI_Dims_create(4, 2, d); MPI_Type_indexed(2, d, d, MPI_INT, &t);", "what is d?"),
        ("void f(int n) { MPI_Type_contiguous(n, MPI_INT, &t); } int main(void) { int n = 3; f(n); }", "what is n?"),
        ("int n = 0\n call MPI_Comm_size(c, n)\n call MPI_Type_contiguous(n, MPI_REAL, t)", "what is n?"),
        ("do n = 1, 3\n call MPI_Type_contiguous(n, MPI_REAL, t)\nend do", "what is n?"),
        ("integer :: a(2) = 1\n a(:) = 2\n call MPI_Type_indexed(2, a, a, MPI_REAL, t)", "what is a?"),
        ("n = 3\nif x:\n    n = 4\nt = MPI.INT.Create_contiguous(n)", "what is n?"),
        ("n = 3\ndef f(n):\n    return MPI.INT.Create_contiguous(n)", "what is n?"),
        ("a = [1]\na.append(2)\nt = MPI.INT.Create_indexed(a, a)", "what is a?"),
        ("t = [MPI.INT.Create_contiguous(n) for n in (1, 2)]", "what is n?"),
    ],
)
def test_mistakes_say_what_is_missing(text, words):
    with pytest.raises(Problem, match=re.escape(words)):
        described(text)


def test_explained(heddle):
    done = heddle("explain", "MPI_Type_contiguous(3, MPI_DOUBLE, &p);\nMPI_Type_vector(8, 1, 8, p, &t);")
    assert done.returncode == 0 and "loop 8 × 192 B { block 24 }" in done.stdout, done


def test_values_of_names(heddle):
    made = "MPI_Type_vector(n, 1, box->stride, point, &t);"
    done = heddle("explain", made, "-D", "n=2*4", "-D", "box->stride=n", "-D", "point=contiguous(3, double)")
    assert done.returncode == 0 and "loop 8 × 192 B { block 24 }" in done.stdout, done
    for words, said in (
        (("vector(n, 1, n, int)", "-D", "n=8"), "put the values into it"),
        ((made, "-D", "n"), "is not NAME=VALUE"),
        (("--group", "0:8", "-D", "n=8"), "stands alone"),
    ):
        wrong = heddle("explain", *words)
        assert wrong.returncode == 2 and said in wrong.stderr, wrong


SEVERAL = {
    "c": "MPI_Type_contiguous(3, MPI_INT, &one);\nMPI_Type_contiguous(4, MPI_INT, &many[i]);\n"
    "MPI_Type_vector(n, 1, 8, one, &last);",
    "f90": "call MPI_Type_contiguous(3, MPI_INT, One, e)\ncall MPI_Type_contiguous(4, MPI_INT, many(i), e)\n"
    "call MPI_Type_vector(n, 1, 8, one, last, e)",
    "py": "one = MPI.INT.Create_contiguous(3).Commit()\nmany = [MPI.INT.Create_contiguous(4) for i in range(3)]\n"
    "last = one.Create_vector(n, 1, 8)",
}


@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL.keys())
def test_one_of_several(text):
    assert described(text, variable="one") == "contiguous(3, MPI_INT)"
    assert described(text, variable="many") == "contiguous(4, MPI_INT)"
    assert described(text, {"n": "2"}, "last") == described(text, {"n": "2"}) == "vector(2, 1, 8, contiguous(3, MPI_INT))"
    with pytest.raises(Problem, match=r"what is n\?.*--variable one or many\."):
        described(text)
    with pytest.raises(Problem, match=r"in none\. Its datatypes are: one, many, last\."):
        described(text, variable="none")


@pytest.mark.parametrize(
    "text",
    [
        "int at[8]; for (int i = 0; i < 8; ++i) at[i] = i * i; MPI_Type_create_indexed_block(8, 1, at, MPI_INT, &t);",
        "integer at(8)\n do i = 1, 8\n at(i) = i * i\n end do\n call MPI_Type_create_indexed_block(8, 1, at, MPI_REAL, t, e)",
        "at = []\nfor i in range(8):\n    at.append(i * i)\nt = MPI.INT.Create_indexed_block(1, at)",
        "at = np.arange(8) ** 2\nt = MPI.INT.Create_indexed_block(1, at)",
    ],
)
def test_values_of_the_run(text):
    """Only the run has the elements of such an array. The text names it, and the way to see its
    datatype."""
    with pytest.raises(
        Problem, match=r"what is at\?.*computes at when it runs.*each with its layout: HEDDLE_EXPLAIN=all"
    ) as problem:
        described(text)
    assert "what is" not in str(problem.value)[8:]
    with pytest.raises(Problem) as problem:
        described("MPI_Type_vector(n, 1, 8, MPI_INT, &t)")
    assert "HEDDLE_EXPLAIN" not in str(problem.value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("std::array<int, 2> at{3, 9}; MPI_Type_create_indexed_block(2, 1, at.data(), MPI_INT, &t);", "[3, 9], MPI_INT"),
        ("enum { rows = 4 }; f(&rows); MPI_Type_contiguous(static_cast<int>(rows), MPI_INT, &t);", "contiguous(4, MPI_INT)"),
        ("namespace a { constexpr int n = 3; void f() { MPI_Type_contiguous(n, MPI_INT, &t); } }", "contiguous(3, MPI_INT)"),
        ("int a[] = {1, 2, 5}; MPI_Type_create_indexed_block(2, 1, &a[1], MPI_INT, &t);", "[2, 5], MPI_INT"),
        ("MPI_Type_create_struct(0, (int *) 0, (MPI_Aint *) 0, types, &t);", "struct([], [], [])"),
        (
            "lens(1) = 2\n lens(2) = 3**2\n call MPI_Type_indexed(2, lens, lens, MPI_REAL, t)",
            "indexed([2, 9], [2, 9], MPI_REAL)",
        ),
        (
            "integer :: at(3)\n at = [2, 4, 9]\n if (me == 0) then ! a comment\n print *, 'call mpi_type_x('\n end if\n"
            "call MPI_Type_create_indexed_block(2, 1, at(2:) - at(1), MPI_REAL, t)",
            "[2, 7], MPI_REAL",
        ),
    ],
)
def test_the_whole_language(text, wanted):
    assert described(text).endswith(wanted + ")" if wanted.startswith("[") else wanted)


def test_without_the_parser(monkeypatch):
    syntax._parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with pytest.raises(Problem, match="pip install tree-sitter"):
        described("MPI_Type_contiguous(3, MPI_INT, &t);")
    assert described("vector(8, 1, 8, int)") is None
    assert described("t = MPI.INT.Create_contiguous(3)") == "contiguous(3, MPI_INT)"


def test_the_mend_fits_the_python(monkeypatch, tmp_path):
    """Debian's Python is closed for pip, outside of environments."""
    assert native.install("a", "b") == "python3 -m pip install a b"
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    assert native.install("a") == "python3 -m pip install a"
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    there = "~/.local/heddle-python"
    made = f"python3 -m venv {there} && {there}/bin/pip install a b && export HEDDLE_PYTHON={there}/bin/python"
    assert native.install("a", "b") == made


@pytest.mark.parametrize(
    ("text", "defined", "said"),
    [
        ("int N = 64; MPI_Type_vector(N, 1, N, MPI_INT, &column);", ("M=8",), "the text has no M; it has N."),
        ("int N = 64; MPI_Type_vector(N, 1, N, MPI_INT, &column);", ("n=8",), "the text has no n; it has N."),
        ("int N = 64, k; MPI_Type_vector(N, 1, N, MPI_INT, &column);", ("k=8", "N=8"), ""),
        ("MPI_Type_vector(box->n, 1, 9, mine, &t);", ("box.n=8", "mine=MPI_INT"), ""),
        ("MPI_Type_contiguous(3, MPI_INT, &t);", ("n=8",), "the text has no n."),
        ("integer :: n\ncall MPI_Type_vector(n, 1, 9, MPI_INTEGER, t, error)", ("N=8",), ""),
        ("integer :: n\ncall MPI_Type_vector(n, 1, 9, MPI_INTEGER, t, error)", ("n=8", "M=8"), "the text has no M; it has n."),
        ("n = 8\nt = MPI.INT.Create_vector(n, 1, 9)", ("m=8",), "the text has no m; it has n."),
    ],
)
def test_a_value_for_a_name_that_the_text_has_not(heddle, text, defined, said):
    done = heddle("explain", text, *(f"--define={one}" for one in defined))
    assert (done.returncode, done.stderr) == ((2, f"heddle: {said}\n") if said else (0, "")), done
