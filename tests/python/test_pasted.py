"""heddle explain reads datatypes as programs make them, in C, Fortran and Python."""

import pytest
from heddle.pasted import described
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
        ("vector(8, 1, 8, int)", None),
        ("MPI_Type_vector(8, 1, 8, MPI_INT)", None),  # the text of before
    ],
)
def test_statements(text, wanted):
    assert described(text) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("MPI_Type_vector(n, 1, 8, MPI_INT, &t)", "how much is 'n'"),
        ("MPI_Type_vector(1, 1, 8, column, &t)", "what is column"),
        ("MPI_Type_indexed(2, lens, places, MPI_INT, &t)", "what is in lens"),
        ("MPI_Type_indexed(3, (int[]){1, 2}, (int[]){0, 8}, MPI_INT, &t)", "has 2 elements, and 3 are wanted"),
        ("MPI_Type_vector(1, 8, MPI_INT, &t)", "vector takes 4"),
        ("MPI_Type_vector(1, 8, 9, MPI_INT, &t", "no ')'"),
        ("MPI_Type_match_size(1, 8, &t)", "none of the constructors"),
        (
            "MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){offsetof(Q, a)}, (MPI_Datatype[]){MPI_INT}, &t)",
            "offsetof(Q, a)",
        ),
        ("MPI_Type_create_f90_real(99, 9, &t)", "no kind of Fortran"),
        ("call MPI_Type_vector(n, 1, 8, MPI_REAL8, t)", "how much is 'n'"),
        ("t = MPI.INT.Create_vector(n, 1, 8)", "how much is 'n'"),
        ("t = MPI.INT.Create_vector(8, 1)", "2 arguments"),
        ("t = MPI.INT.Create_vector(8, 1, 2", "no statements of Python"),
        ("n = n\nt = MPI.INT.Create_contiguous(n)", "how much is 'n'"),
        ("int n = n; MPI_Type_contiguous(n, MPI_INT, &t)", "how much is 'n'"),
    ],
)
def test_mistakes_say_what_is_missing(text, words):
    with pytest.raises(Problem, match=words.replace("(", r"\(").replace(")", r"\)")):
        described(text)


def test_explained(heddle):
    done = heddle("explain", "MPI_Type_contiguous(3, MPI_DOUBLE, &p);\nMPI_Type_vector(8, 1, 8, p, &t);")
    assert done.returncode == 0 and "loop 8 × 192 B { block 24 }" in done.stdout, done


def test_a_file_stands_for_what_is_in_it(heddle, tmp_path):
    (tmp_path / "face.c").write_text("const int n = 8;\nMPI_Type_vector(n, 1, n, MPI_DOUBLE, &t);\n")
    done = heddle("explain", "face.c", cwd=tmp_path)
    assert done.returncode == 0 and "loop 8 × 64 B { block 8 }" in done.stdout, done
    missing = heddle("explain", "no.c", cwd=tmp_path)
    assert missing.returncode == 2 and "cannot read no.c" in missing.stderr, missing
