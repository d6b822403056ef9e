"""heddle explain FILE: the datatypes of a source file, each example, and files without a source."""

import re

import pytest
from conftest import CHECKOUT

PARTICLE = "resized(struct([3, 3, 1, 1, 1], [0, 24, 72, 80, 84], "
FACE = {"n": "6", "axis": "0", "layer": "1"}
EXAMPLES = [
    ("c/halo.c", FACE, "subarray([8, 8, 8], [6, 6, 1], [1, 1, 1], double)"),
    ("c/transpose.c", {"n": "2048", "ranks": "4"}, "resized(vector(512, 1, 2048, double_complex), 0, 16)"),
    ("c/particles.c", {}, PARTICLE + "[double, double, double, int, char]), 0, 88)"),
    ("c/gather.c", {"n": "40", "place": "[1, 5, 3, 0]"}, "indexed_block(1, [1, 5, 3, 0], double)"),
    ("c/column.c", {}, "vector(65536, 1, 4, double)"),
    ("c/once.c", {"n": "4", "places": "[1, 5, 3, 0]"}, "indexed_block(1, [1, 5, 3, 0], double)"),
    ("fortran/halo.f90", FACE | {"axis": "3"}, "subarray([8, 8, 8], [6, 6, 1], [1, 1, 1], double_precision, order=F)"),
    ("fortran/transpose.f90", {"n": "2048", "ranks": "4"}, "resized(vector(512, 1, 2048, double_complex), 0, 16)"),
    (
        "fortran/particles.f90",
        {},
        PARTICLE + "[double_precision, double_precision, double_precision, integer, character]), 0, 88)",
    ),
    ("fortran/gather.f90", {"n": "40", "place": "[0:12:3]"}, "indexed_block(1, [0:12:3], double_precision)"),
    ("python/halo.py", FACE, "subarray([8, 8, 8], [6, 6, 1], [1, 1, 1], double)"),
    ("python/transpose.py", {"n": "2048", "comm.size": "4"}, "resized(vector(512, 1, 2048, double_complex), 0, 16)"),
    (
        "python/particles.py",
        {
            "places": "[0, 24, 72, 80, 84]",
            "lengths": "[3, 3, 1, 1, 1]",
            "types": "[double, double, double, int, char]",
            "PARTICLE.itemsize": "88",
        },
        PARTICLE + "[double, double, double, int, char]), 0, 88)",
    ),
    ("python/gather.py", {"places": "[1, 5, 3, 0]"}, "indexed_block(1, [1, 5, 3, 0], double)"),
]


def test_a_file_stands_for_what_is_in_it(heddle, tmp_path):
    (tmp_path / "face.c").write_text("const int n = 8;\nMPI_Type_vector(n, 1, n, MPI_DOUBLE, &t);\n")
    done = heddle("explain", "face.c", cwd=tmp_path)
    assert done.returncode == 0 and "loop 8 × 64 B { block 8 }" in done.stdout, done
    missing = heddle("explain", "no.c", cwd=tmp_path)
    assert missing.returncode == 2 and "cannot read no.c" in missing.stderr, missing


@pytest.mark.parametrize(("file", "given", "wanted"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_examples(heddle, file, given, wanted):
    """Each example is explained by its file name. The command asks for the missing values, and for
    nothing else."""
    defined = [word for pair in given.items() for word in ("--define", "=".join(pair))]
    done = heddle("explain", CHECKOUT / "examples" / file, *defined)
    assert done.returncode == 0 and done.stdout.splitlines()[0] == wanted, done
    asked = heddle("explain", CHECKOUT / "examples" / file)
    assert asked.returncode == (2 if given else 0)
    assert set(re.findall(r"--define '?([\w.]+)=", asked.stderr)) == set(given), asked


def test_all_examples_are_explained():
    files = {str(file.relative_to(CHECKOUT / "examples")) for file in (CHECKOUT / "examples").glob("*/*.*")}
    assert files == {file for file, _, _ in EXAMPLES}


def test_one_of_a_file(heddle):
    file = CHECKOUT / "examples/c/transpose.c"
    done = heddle("explain", file, "--variable", "rectangle", "-D", "n=2048", "-D", "ranks=4")
    assert done.returncode == 0 and done.stdout.startswith("vector(512, 512, 2048, double_complex)"), done
    assert "written out" in heddle("explain", "vector(8, 1, 8, int)", "--variable", "t").stderr


def test_files_that_are_no_source_are_told(heddle, tmp_path):
    (tmp_path / "app").write_bytes(b"\x7fELF\x02")
    (tmp_path / "r.json").write_text('{"heddle_report": 3}')
    (tmp_path / "t.json").write_text('{"traceEvents": []}')
    (tmp_path / "notes").write_text("vector")
    (tmp_path / "double").write_bytes(b"\x7fELF\x02")
    for word, said in (
        ("app", "app is a program; HEDDLE_EXPLAIN=all heddle run -n 2 -- ./app explains the datatypes of a running program."),
        ("r.json", "r.json is a report; heddle report r.json shows it."),
        ("t.json", "t.json is a timeline; open it in Perfetto"),
        ("notes", "notes is a file, but no source of a program"),
    ):
        for line in ((word,), (word, "--variable", "t"), ("int", "--to", word)):
            done = heddle("explain", *line, cwd=tmp_path)
            assert done.returncode == 2 and done.stderr.startswith(f"heddle: {said}"), done
    assert heddle("explain", "double", cwd=tmp_path).returncode == 0


def test_a_file_without_datatypes_says_so(heddle, tmp_path):
    (tmp_path / "hello.c").write_text("int main(void) { return 0; }\n")
    done = heddle("explain", tmp_path / "hello.c")
    assert done.returncode == 2 and "makes no datatype" in done.stderr and "int main" not in done.stderr, done
