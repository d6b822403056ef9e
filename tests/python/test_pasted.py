"""heddle explain reads datatypes as C programs make them."""

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
        ("int n = n; MPI_Type_contiguous(n, MPI_INT, &t)", "how much is 'n'"),
    ],
)
def test_mistakes_say_what_is_missing(text, words):
    with pytest.raises(Problem, match=words.replace("(", r"\(").replace(")", r"\)")):
        described(text)


def test_explained(heddle):
    done = heddle("explain", "MPI_Type_contiguous(3, MPI_DOUBLE, &p);\nMPI_Type_vector(8, 1, 8, p, &t);")
    assert done.returncode == 0 and "loop 8 × 192 B { block 24 }" in done.stdout, done
