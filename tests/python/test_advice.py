"""A report of examples/c/once.c: Heddle finds a datatype again that the program makes anew for each
message.

2 ranks.
"""

import json

import pytest
from conftest import CHECKOUT, compiled

SOURCE = CHECKOUT / "examples/c/once.c"
ADVICE = "of entries analyses the datatype"
WHY = "first of a long list"


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    return compiled(mpi, tmp_path_factory.mktemp(mpi) / "once", "-g", "-O2", SOURCE)


@pytest.fixture
def exported(heddle, program, tmp_path):
    """The report of a run of one form, as JSON."""

    def run(form: str, **more) -> dict:
        file = tmp_path / "r.json"
        done = heddle("run", f"--report={file}", "-n", 2, "--", program, form, 50000, 40, **more)
        assert done.returncode == 0 and f"made {form}: right, " in done.stdout, done
        return json.loads(heddle("report", file, "--json").stdout)

    return run


@pytest.fixture
def advised(exported):
    """The advice about the datatype after a run of one form."""

    def run(form: str) -> list[dict]:
        # A named scheme takes all messages, also those that Heddle leaves to Open MPI between near
        # cores.
        return [one for one in exported(form, HEDDLE_SCHEME="bc-spup")["advice"] if ADVICE in one["what"]]

    return run


def test_a_datatype_that_is_made_anew_is_found_again(advised):
    """Ranks that wait long for a core may spend their time in the search: not three times."""
    assert any(advised("anew") == [] for _ in range(3))


def test_one_that_is_kept_is_left_alone(advised):
    assert advised("once") == []


@pytest.mark.parametrize("form", ["anew", "once"])
def test_the_first_message_of_a_long_list_is_the_librarys(exported, form):
    """Of each rank one message, and with a named scheme none."""
    assert WHY in json.dumps(exported(form))
    assert WHY not in json.dumps(exported(form, HEDDLE_SCHEME="bc-spup"))
