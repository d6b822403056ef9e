"""The last defence: only an announcement that was received past Heddle ends the job."""

from pathlib import Path

import pytest
from conftest import compiled, launcher

SOURCE = Path(__file__).parent / "interposition/past.c"


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    return compiled(mpi, tmp_path_factory.mktemp(mpi) / "past", SOURCE)


def ran(heddle, mpi, program, how, **environment):
    return heddle("run", "--", *launcher(mpi), "-n", 2, program, how, **environment)


@pytest.mark.parametrize("watch", ["some", "all"])
@pytest.mark.parametrize(
    "how",
    [
        "past",
        "past isend",
        "past sendrecv",
        "past ssend",
        "past blocking ssend",
        "past rsend",
        "past end",
    ],
)
def test_a_message_received_past_heddle_ends_the_job(heddle, mpi, program, how, watch):
    done = ran(heddle, mpi, program, how, HEDDLE_WATCH=watch)
    assert done.returncode != 0, done.stdout + done.stderr
    assert "rank 1 of MPI_COMM_WORLD has received a message of rank 0 with tag 3 past Heddle" in done.stderr
    assert "too late" not in done.stdout


def test_it_is_noticed_by_nobody_if_nobody_watches(heddle, mpi, program):
    done = ran(heddle, mpi, program, "past", HEDDLE_WATCH="none")
    assert done.returncode == 0 and "too late" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    "how",
    ["later", "persistent", "matched", "short", "begun short", "handler", "freed", "unfinished", "never"],
)
def test_what_is_claimed_late_or_never_for_other_reasons_ends_nothing(heddle, mpi, program, how):
    if how == "never" and mpi == "mpich":
        pytest.skip("MPICH ends or hangs by itself where a message was never received")
    done = ran(heddle, mpi, program, how, HEDDLE_WATCH="all")
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr
    assert "past Heddle" not in done.stderr
