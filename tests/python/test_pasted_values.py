"""heddle explain reads values of C and Fortran: loops, jumps and branches make a value unknown;
implied loops, enums and sizeof are computed."""

import re

import pytest
from heddle.pasted import described
from heddle.problem import Problem

C = "MPI_Type_contiguous(n, MPI_INT, &t);"
FORTRAN = "\n      call MPI_Type_contiguous(n, MPI_REAL, t, ierr)\n"


@pytest.mark.parametrize(
    "text",
    [
        f"int n = 3; x ? (n = 7) : 0; {C}",
        f"int n = 3; x && (n = 7); {C}",
        f"int n = 3, *p = &n; *p = 7; {C}",
        f"int n = 3; int *p; p = &n; *p = 7; {C}",
        f"int n = 3; y = x ? (n = 7) : 0; {C}",
        f"int n = 3; auto f = [&] {{ n = 7; }}; f(); {C}",
        f"int n = 3; for (int i = 0; i < 9; ++i) {{ n = n + 1; {C} }}",
        f"int n = 3; while (x) {{ {C} n = 4; }}",
        f"void f() {{ int n = 1; again: n = n + 1; if (n < 9) goto again; {C} }}",
        f"void f() {{ int n = 1; if (x) goto end; n = 7; end: {C} }}",
        f"#ifdef BIG\n#define n 9\n#else\n#define n 3\n#endif\n{C}",
        f"#ifdef BIG\nint n = 9;\n#else\nint n = 3;\n#endif\n{C}",
        f"int n = 4;\n#ifdef BIG\nn = 9;\n#else\n{C}\n#endif\n",
        f"      n = 5\n      do 10 i = 1, 9\n      n = n + 1\n   10 continue{FORTRAN}",
        f"      n = 5\n      do 10, i = 1, 9\n   10 n = n + 1{FORTRAN}",
        f"      n = 5\n      do 10 i = 1, 9\n      do 10 j = 1, 9\n   10 n = n + 1{FORTRAN}",
        f"      n = 5\n      do 10 while (n < 9)\n      n = n + 1\n   10 end do{FORTRAN}",
        f" n = 5\n 10 n = n + 1\n if (n < 9) goto 10{FORTRAN}",
        f" n = 5\n if (m < 9) go to 10\n n = 2\n 10 continue{FORTRAN}",
    ],
)
def test_values_of_loops_and_branches_are_asked_for(text):
    with pytest.raises(Problem, match=r"what is n\?"):
        described(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"int n = 3; if ((n = 7)) y = 1; {C}", "contiguous(7, MPI_INT)"),
        (f"int n = 3; for (int i = 0; i < 9; ++i) {{ int n = 4; {C} }}", "contiguous(4, MPI_INT)"),
        (f"int n = 3; for (int i = 0; i < 9; ++i) {{ n = 4; {C} }}", "contiguous(4, MPI_INT)"),
        (f"void f() {{ int n = 1; if (x) goto end; n = 7; {C} end: ; }}", "contiguous(7, MPI_INT)"),
        (f"#ifndef n\n#define n 9\n#endif\n{C}", "contiguous(9, MPI_INT)"),
        (f"#ifdef BIG\nconst int n = 9;\n{C}\n#else\nint n = 3;\n#endif\n", "contiguous(9, MPI_INT)"),
        (f"      n = 5\n      do 10 i = 1, 9\n      m = n\n   10 continue{FORTRAN}", "contiguous(5, MPI_REAL)"),
        (f"      do 10 i = 1, 9\n   10 continue\n      n = 5{FORTRAN}", "contiguous(5, MPI_REAL)"),
        ("int n = 2, a[] = {n}; n = 5; MPI_Type_indexed(1, a, a, MPI_INT, &t);", "indexed([2], [2], MPI_INT)"),
        ("int n = 2, a[1]; a[0] = n; n = 5; MPI_Type_indexed(1, a, a, MPI_INT, &t);", "indexed([2], [2], MPI_INT)"),
        ("enum { W, S, E = 7, N }; MPI_Type_vector(S, W, N, MPI_INT, &t);", "vector(1, 0, 8, MPI_INT)"),
        (f"int a[] = {{0, 3, 9}}; int n = sizeof a / sizeof *a; {C}", "contiguous(3, MPI_INT)"),
        (f"int a[5]; int n = sizeof(a) / sizeof(a[0]); {C}", "contiguous(5, MPI_INT)"),
        (f"const int k = 3; double a[k][2]; int n = sizeof a; {C}", "contiguous(48, MPI_INT)"),
        (f"double *a[3]; int n = sizeof a + sizeof **a; {C}", "contiguous(32, MPI_INT)"),
        (f"typedef struct {{ int x, y; }} P; P s[10]; int n = sizeof(s); {C}", "contiguous(80, MPI_INT)"),
        (f"void f() {{ int a[3]; }} void g() {{ int a[4]; int n = sizeof a; {C} }} int a[5];", "contiguous(16, MPI_INT)"),
        (f"void f(double a[4]) {{ int n = sizeof a / sizeof *a; {C} }}", "contiguous(1, MPI_INT)"),
    ],
)
def test_values_that_are_known(text, wanted):
    assert described(text) == wanted


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        (f"int n = sizeof  a / sizeof *a; {C}", "sizeof a / sizeof *a"),
        ("MPI_Type_contiguous(2 * (sizeof a / sizeof *a), MPI_INT, &t);", "sizeof a / sizeof *a"),
        ("MPI_Type_contiguous(sizeof a, MPI_INT, &t);", "sizeof a"),
        ("void f() { { int a[3]; } int a[4]; MPI_Type_contiguous(sizeof a, MPI_INT, &t); }", "sizeof a"),
    ],
)
def test_sizes_that_are_not_known(text, asks):
    with pytest.raises(Problem, match=re.escape(f"what is {asks}?")):
        described(text)
    assert described(text, {asks: "3"}) in ("contiguous(3, MPI_INT)", "contiguous(6, MPI_INT)")


BLOCKS = "\ncall MPI_Type_create_indexed_block(4, 1, d, MPI_REAL, t, ierr)"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("integer d(4)\n n = 4\n d = [(i*7, i = 0, n-1)]\n n = 9" + BLOCKS, "0, 7, 14, 21"),
        ("integer d(4)\n d = (/ 1, (i*7, i = 0, 4, 2) /)" + BLOCKS, "1, 0, 14, 28"),
        ("integer :: d(4) = [integer(MPI_ADDRESS_KIND) :: (i*7, i = 3, 0, -1)]" + BLOCKS, "21, 14, 7, 0"),
        ("integer d(4)\n d = [((10*j + i, i = 1, 2), j = 1, 2)]" + BLOCKS, "11, 12, 21, 22"),
        ("integer d(4)\n d = [(i, 2*i, i = 1, 2)]" + BLOCKS, "1, 2, 2, 4"),
        ("integer b(4), d(4)\n b = [4, 3, 2, 1]\n d = [(b(i) + 1, i = 1, 4)]" + BLOCKS, "5, 4, 3, 2"),
    ],
)
def test_implied_loops(text, wanted):
    assert described(text) == f"indexed_block(1, [{wanted}], MPI_REAL)"


def test_implied_loops_that_need_values(heddle):
    with pytest.raises(Problem, match=r"what is n\?"):
        described("integer d(4)\n d = [(i*7, i = 0, n-1)]" + BLOCKS)
    with pytest.raises(Problem, match=r"what is d\?"):
        described("integer d(4)\n d = [(f(i), i = 1, 4)]" + BLOCKS)
    with pytest.raises(Problem, match="steps of 0"):
        described("integer d(4)\n d = [(i, i = 1, 4, 0)]" + BLOCKS)
    with pytest.raises(Problem, match="more than 1048576 elements"):
        described("integer d(4)\n d = [((i, i = 1, 2000), j = 1, 2000)]" + BLOCKS)
    text = "call MPI_Type_create_indexed_block(4, 1, [(f(i), i=1,4)], MPI_REAL, t, ierr)"
    with pytest.raises(Problem, match=re.escape("what is [(f(i), i = 1, 4)]?")):
        described(text)
    done = heddle("explain", text, "--define", "[(f(i), i = 1, 4)]=[0, 5, 9, 12]")
    assert done.returncode == 0 and done.stdout.startswith("indexed_block(1, [0, 5, 9, 12], real)"), done


def test_members_of_a_struct_that_may_have_changed_are_asked_for():
    with pytest.raises(Problem, match=r"what is box\.n\?"):
        described("box.n = 3; fill(&box); MPI_Type_contiguous(box.n, MPI_INT, &t);")


ARRAY = " MPI_Type_create_indexed_block(2, 1, d, MPI_INT, &t);"


@pytest.mark.parametrize("text", ["shift(d);", "int *e = d; e[0] = 7;", "int *e; e = d; e[0] = 7;"])
def test_arrays_that_may_have_changed_are_asked_for(text):
    with pytest.raises(Problem, match=r"what is d\?"):
        described(f"int d[] = {{0, 3}}; {text}{ARRAY}")


@pytest.mark.parametrize("text", ['printf("%d", d[0]);', "show(d);", "MPI_Send(d, 2, MPI_INT, 1, 0, comm);", "shift(d[0]);"])
def test_arrays_that_are_only_read_are_known(text):
    text = f"void show(const int *a); void f() {{ int d[] = {{0, 3}}; {text}{ARRAY} }}"
    assert described(text) == "indexed_block(1, [0, 3], MPI_INT)"


def test_arrays_of_labelled_loops_are_asked_for():
    text = "integer d(4)\n do 10 i = 1, 4\n d(i) = i\n 10 continue" + BLOCKS
    with pytest.raises(Problem, match=r"what is d\?"):
        described(text)


def test_statements_that_are_there_are_not_asked_for():
    loop = "int at[8]; for (int i = 0; i < 8; ++i) at[i] = i * i; MPI_Type_create_indexed_block(8, 1, at, MPI_INT, &t);"
    with pytest.raises(Problem, match="does not carry out the loops, branches and calls") as problem:
        described(loop)
    assert "also paste" not in str(problem.value)
    with pytest.raises(Problem, match="or also paste the statements that set it"):
        described("MPI_Type_contiguous(n, MPI_INT, &t);")


@pytest.mark.parametrize(
    "text",
    [
        "MPI_Datatype box(int n) { MPI_Datatype t; MPI_Type_contiguous(n, MPI_INT, &t); return t; }\n"
        "int main() { MPI_Datatype ghost = box(3); }",
        "void box(int n, MPI_Datatype* t) { MPI_Type_contiguous(n, MPI_INT, t); }\n"
        "int main() { MPI_Datatype ghost; box(3, &ghost); }",
        "subroutine box(n, t)\n call MPI_Type_contiguous(n, MPI_REAL, t, e)\nend subroutine\n"
        "program main\n call box(3, ghost)\nend program",
    ],
)
def test_datatypes_that_functions_make(text):
    with pytest.raises(Problem, match=r"ghost comes from box\(\.\.\.\), .*--variable t\."):
        described(text, variable="ghost")


def test_a_folder_is_told(heddle, tmp_path):
    (tmp_path / "src").mkdir()
    done = heddle("explain", "src", cwd=tmp_path)
    assert done.returncode == 2 and "src is a folder. Name a source file in it, such as src/halo.c." in done.stderr, done
    (tmp_path / "src" / "face.f90").touch()
    done = heddle("explain", tmp_path / "src")
    assert done.returncode == 2 and f"such as {tmp_path}/src/face.f90." in done.stderr, done


def test_a_name_like_that_of_a_file_is_none_of_a_datatype(heddle, tmp_path):
    (tmp_path / "halo.py").touch()
    for words, said in (
        (("halo.pyx",), "there is no file halo.pyx. Did you mean halo.py?"),
        (("--window", "src/halo"), "there is no file src/halo."),
        (("--file-view", "halo.cu"), "there is no file halo.cu."),
        (("int", "--to", "a.f03"), "there is no file a.f03."),
        (("MPI.INT",), "expected a type, found 'MPI'"),
    ):
        done = heddle("explain", *words, cwd=tmp_path)
        assert done.returncode == 2 and said in done.stderr, done
