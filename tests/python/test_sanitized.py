"""Programs with a sanitizer start under Heddle, and the sanitizer still finds errors."""

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import compiled, launcher, prefix
from heddle import families, preload, program

# Rank 0 sends a column of a matrix. With an argument, rank 1 then writes behind the matrix.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, *matrix = calloc(512 * 512, sizeof(int));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(512, 4, 512, MPI_INT, &column);
  MPI_Type_commit(&column);
  if (rank == 0) {
    for (int i = 0; i < 512 * 512; ++i) matrix[i] = i;
    MPI_Send(matrix, 1, column, 1, 7, MPI_COMM_WORLD);
  } else {
    MPI_Recv(matrix, 1, column, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char line[256], heddle = 0;
    for (FILE* maps = fopen("/proc/self/maps", "r"); fgets(line, sizeof line, maps);) heddle |= strstr(line, "libheddle_") != 0;
    const int right = matrix[512 * 511 + 3] == 512 * 511 + 3 && matrix[4] == 0;
    printf("%s, Heddle %s\n", right ? "right" : "wrong", heddle ? "on" : "off");
    fflush(stdout);
    if (argc > 1) matrix[(volatile int){512 * 512}] = 1;
  }
  free(matrix);
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
"""
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0"}  # the MPI libraries leak by themselves
CLANG_RUNTIME = "libclang_rt.asan-x86_64.so"


@pytest.fixture(scope="module")
def build(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sanitized")
    (folder / "a.c").write_text(SOURCE)

    def make(name: str, *words: str) -> Path:
        return compiled(mpi, folder / name, "-g", *words, folder / "a.c")

    return make


@pytest.mark.parametrize(
    "words", [("-fsanitize=address",), ("-fsanitize=address", "-static-libasan"), ("-fsanitize=undefined",)]
)
def test_programs_of_gcc_start(heddle, mpi, build, words):
    app = build("gcc", *words)
    done = heddle("run", "--mpi", prefix(mpi), "-n", 2, "--", app, **OPTIONS)
    assert (done.returncode, done.stdout) == (0, "right, Heddle on\n"), done
    done = heddle("run", "--", *launcher(mpi), "-n", 2, app, **OPTIONS)
    assert (done.returncode, done.stdout) == (0, "right, Heddle on\n"), done


def test_an_overflow_is_found(heddle, mpi, build):
    done = heddle("run", "--mpi", prefix(mpi), "-n", 2, "--", build("overflow", "-fsanitize=address"), "overflow", **OPTIONS)
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr + done.stdout


def test_programs_of_clang_start(heddle, mpi, build, monkeypatch):
    if not shutil.which("clang"):
        pytest.skip("there is no clang")
    monkeypatch.setenv("MPICH_CC", "clang")
    monkeypatch.setenv("OMPI_CC", "clang")
    found = subprocess.run(["clang", f"-print-file-name={CLANG_RUNTIME}"], capture_output=True, text=True, check=True)
    runtime = Path(found.stdout.strip())
    if not runtime.is_absolute():
        pytest.skip("clang has no sanitizers")
    for name, words in {"static": (), "shared": ("-shared-libasan",)}.items():
        app = build(name, "-fsanitize=address", *words)
        path = {"LD_LIBRARY_PATH": str(runtime.parent)}
        done = heddle("run", "--mpi", prefix(mpi), "-n", 2, "--", app, **OPTIONS, **path)
        assert (done.returncode, done.stdout) == (0, "right, Heddle on\n"), (name, done)


def test_a_thread_sanitizer_inside_the_program_is_ready_before_heddle(mpi, tmp_path, monkeypatch):
    """The program only reaches main. With MPI, the layout of memory may keep it from starting."""
    if not shutil.which("clang") or not shutil.which("setarch"):
        pytest.skip("there is no clang, or no setarch")
    monkeypatch.setenv("MPICH_CC", "clang")
    monkeypatch.setenv("OMPI_CC", "clang")
    (tmp_path / "a.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\n"
        'int main(int c, char** v) { if (c > 1) MPI_Init(&c, &v); puts("main"); return 0; }\n'
    )
    app = compiled(mpi, tmp_path / "tsan", "-fsanitize=thread", tmp_path / "a.c")
    value = preload.value(families.of_library(program.linkage(app).soname), None)
    words = ["setarch", "-R", "env", f"LD_PRELOAD={value}", "HEDDLE_VERBOSE=1", app]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "main\n") and "no MPI_Init came to Heddle" in done.stderr, done


def test_the_runtime_stands_first_and_once(build):
    found = program.linkage(build("gcc-first", "-fsanitize=address"))
    (runtime,) = found.runtimes
    assert runtime.name.startswith("libasan.so")
    ours = preload.value(families.of_library(found.soname), None)
    value = preload.value(families.of_library(found.soname), None, "/a.so", True, found.runtimes)
    assert value == f"{runtime}:/a.so:{ours}"
    named = f"/mine/{runtime.name}"
    assert preload.value(families.of_library(found.soname), None, named, True, found.runtimes) == f"{named}:{ours}"
    assert preload.value(families.of_library(found.soname), None, "", False, found.runtimes) == ""
