"""heddle explain --window: the way of a one-sided access for each kind of window."""

import json

import pytest

FACE = "subarray([130, 130, 130], [128, 128, 1], [1, 1, 1], double)"
PASTED = "MPI_Type_vector(128, n, 4096, MPI_INT, &column);"


def ways(heddle, *words, **settings) -> dict[tuple[str, str, str], dict]:
    done = heddle("explain", "--window", "--json", *words, **settings)
    assert done.returncode == 0, done
    return {
        (one["library"], one["window"].split(",")[0], one["epoch"].split()[0]): one for one in json.loads(done.stdout)["ways"]
    }


def test_the_way_depends_on_the_window_and_the_epoch(heddle):
    found = ways(heddle, FACE)
    for library in ("MPICH", "Open MPI"):
        assert found[library, "MPI_Win_allocate", "fence,"]["way"] == "direct"
        assert found[library, "MPI_Win_create", "fence"]["way"] == "fenced"
        assert found[library, "MPI_Win_create", "lock"]["way"] == "library"
    assert "8 bytes" in found["MPICH", "MPI_Win_create", "fence"]["why"]


def test_the_target_has_a_type_of_its_own(heddle):
    assert (
        ways(heddle, PASTED, "-D", "n=1024", "--to", "contiguous(131072, int)")["MPICH", "MPI_Win_create", "lock"]["way"]
        == "across"
    )
    one_piece = ways(heddle, "contiguous(4096, double)")
    assert {one["way"] for one in one_piece.values()} == {"library"} and "one piece" in one_piece[
        "MPICH", "MPI_Win_create", "fence"
    ]["why"]


def test_few_bytes_in_many_blocks_wait_for_the_fence_of_openmpi(heddle):
    found = ways(heddle, "vector(8, 1, 8, int)")
    assert found["Open MPI", "MPI_Win_create", "fence"]["way"] == "fenced"
    assert found["MPICH", "MPI_Win_create", "fence"]["way"] == "library"


def test_a_setting_removes_the_limits(heddle):
    small = ("vector(4, 1, 8, int)",)
    assert {one["way"] for one in ways(heddle, *small).values()} == {"library"}
    assert ways(heddle, *small, HEDDLE_WINDOWS="on")["Open MPI", "MPI_Win_allocate", "fence,"]["way"] == "direct"
    shown = heddle("explain", "--window", FACE, HEDDLE_WINDOWS="off").stdout
    assert "HEDDLE_WINDOWS=off leaves all accesses to the library" in shown and "Open MPI" in shown


@pytest.mark.parametrize(
    "words, complaint",
    [
        (("--svg", "x.svg", FACE), "no --svg"),
        (("--ranks", "2", FACE), "--ranks"),
        (("--to", "contiguous(3, int)", "contiguous(4, int)"), "no whole number of elements"),
        (("vector(1, 2, itn)",), "itn"),
    ],
)
def test_mistakes_are_named(heddle, words, complaint):
    done = heddle("explain", "--window", *words)
    assert done.returncode == 2 and complaint in " ".join(done.stderr.split()), done
