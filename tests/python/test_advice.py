"""No advice to examples/c/once.c: Heddle finds a datatype again that the program makes anew for each message.

2 ranks.
"""

import json

import pytest
from conftest import CHECKOUT, compiled

SOURCE = CHECKOUT / "examples/c/once.c"
ADVICE = "of entries analyses the datatype"


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    return compiled(mpi, tmp_path_factory.mktemp(mpi) / "once", "-g", "-O2", SOURCE)


@pytest.fixture
def advised(heddle, program, tmp_path):
    """The advice about the datatype after a run of one form, and what stderr says."""

    def run(form: str) -> tuple[list[dict], str]:
        file = tmp_path / "r.json"
        # A named scheme takes all messages, also those that Heddle leaves to Open MPI between near
        # cores.
        done = heddle("run", f"--report={file}", "-n", 2, "--", program, form, 50000, 40, HEDDLE_SCHEME="bc-spup")
        assert done.returncode == 0 and f"made {form}: right, " in done.stdout, done
        exported = json.loads(heddle("report", file, "--json").stdout)["advice"]
        return [one for one in exported if ADVICE in one["what"]], done.stderr

    return run


def test_a_datatype_that_is_made_anew_is_found_again(advised):
    """Ranks that wait long for a core may spend their time in the search: not three times."""
    assert any(advised("anew")[0] == [] for _ in range(3))


def test_one_that_is_kept_is_left_alone(advised):
    assert advised("once")[0] == []
