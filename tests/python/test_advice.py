"""What a report advises to examples/c/once.c: to keep its datatype where it is made anew for each message, and there alone.

2 ranks. That the second form is faster is measured in docs/report.md, not here.
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
        # A scheme that is named takes all messages, also those that Open MPI keeps between near cores.
        done = heddle("run", f"--report={file}", "-n", 2, "--", program, form, 200000, 40, HEDDLE_SCHEME="bc-spup")
        assert done.returncode == 0 and f"made {form}: right, " in done.stdout, done
        exported = json.loads(heddle("report", file, "--json").stdout)["advice"]
        return [one for one in exported if ADVICE in one["what"]], done.stderr

    return run


def test_a_datatype_that_is_made_anew_is_to_be_kept(advised):
    """Ranks that wait long for a core may hide what the datatype costs: not three times."""
    for _ in range(3):
        found, said = advised("anew")
        if found:
            break
    (one,) = found
    line = next(i for i, text in enumerate(SOURCE.read_text().splitlines(), 1) if "MPI_Sendrecv(" in text)
    assert one["what"].startswith(f"MPI_Sendrecv in exchange (once.c:{line}) {ADVICE} 80 times")
    assert one["change"] == "Make the datatype once and keep it, instead of once for each message." and not one["at_most"]
    assert one["gain_us"] > 0 and "heddle: → " in said  # there is room for one, which gains most


def test_one_that_is_kept_is_left_alone(advised):
    assert advised("once")[0] == []
