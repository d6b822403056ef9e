"""Blocks travel in Bruck's rounds up to the distance of the agreement, and straight beyond."""

from pathlib import Path

import pytest
from conftest import MPIS, compiled


@pytest.mark.parametrize("mpi", MPIS)
def test_a_block_for_somebody_far_away_comes_too(heddle, tmp_path, mpi):
    program = compiled(mpi, tmp_path / "near", "-O2", Path(__file__).parent / "near.c")
    done = heddle(
        "run", "--mpi", mpi, "-n", 16, "--", program, HEDDLE_NODES="16", HEDDLE_PROFILE="builtin", HEDDLE_TRIALS="off"
    )
    assert done.returncode == 0, done.stderr
    if mpi == "mpich":  # Open MPI's messages are too cheap if ranks share cores
        assert done.stdout.strip() == "bruck", "six partners of fifteen: nothing else would be Bruck's"
