"""Overlapping receives: bandwidth benchmarks work, and Heddle does not report receives past it."""

from pathlib import Path

import pytest
from conftest import compiled, launcher

SOURCE = Path(__file__).parent / "interposition/window.c"


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    return compiled(mpi, tmp_path_factory.mktemp(mpi) / "window", SOURCE)


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("size", [64 << 10, 512 << 10])
def test_windows_into_one_buffer_end_well(heddle, mpi, program, size, ways):
    done = heddle("run", "--", *launcher(mpi), "-n", 2, program, size, ways, HEDDLE_WATCH="all")
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr
    assert "past Heddle" not in done.stderr
