"""A report of examples/c/once.c: Heddle finds a datatype again that the program makes anew for each
message.

2 ranks.
"""

import json
from dataclasses import replace

import pytest
from conftest import CHECKOUT, compiled
from heddle.reported import Found, OfRank, Procedure, Row, Site
from heddle.reported.advice import advice
from heddle.reported.lines import Place

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


PLACE = Place("/no/app", "0x10", "work")
HAD_CORES = [OfRank(i, 1e6, 5e5, 10, 0, None, host="loom", cpu_us=1e6) for i in range(2)]


def waiting(late_us: float | None = None, ranks=HAD_CORES, cores: int = 2) -> str:
    """The advice for a call whose 20 ms in Heddle are 15 ms of waiting. The call itself takes 300
    ms of two ranks."""
    times = {"search": 0.0, "pack": 0.0, "wait": 15e3, "copy": 5e3}
    layout = {"datatype": "loop 512 × 8192 B { block 4096 }", "place": PLACE}
    row = Row(call="receive", way="bc-spup", ranks=2, calls=9, bytes=9, times=times, procedure="MPI_Alltoallw", **layout)
    late = {"waited_for": {0: late_us}} if late_us is not None else {}
    site = Site("MPI_Alltoallw", 2, 9, 3e5, place=PLACE, **late)
    run = {"cores": cores, "host": "loom"}
    calls = [Procedure("MPI_Alltoallw", 2, 9, 3e5)]
    found = Found(2, [row], [], calls, 1e6, sites=[site], by_rank=list(ranks), run=run)
    return " ".join(one.sentence for one in advice(found, message_ns=0))


def test_a_wait_is_the_mean_of_a_rank_and_a_share_of_the_time_of_the_calls():
    """Not a share of Heddle's own phases, and the layout in the words of a page."""
    said = "MPI_Alltoallw in work (app+0x10) of 512 blocks of 4,096 B, 8,192 B apart waits for the sender"
    assert waiting().startswith(f"up to 7.5 ms of a rank: {said}, 5 % of the time of these calls. Let the sender come")


def test_a_wait_is_at_most_that_for_late_ranks():
    assert waiting(late_us=8e3).startswith("up to 4 ms of a rank: ") and ", 3 % of the time" in waiting(late_us=8e3)
    assert waiting(late_us=8e4).startswith("up to 7.5 ms of a rank: ")
    assert waiting(late_us=1.0) == ""  # others were not late


@pytest.mark.parametrize(
    ("cpu_us", "cores", "said"),
    [
        (1e6, 2, ""),
        (1e6, 1, ", or for a core (there are more ranks than cores)"),
        (6e5, 2, ", or for a core (a rank had no core for up to 40 % of the run)"),
        (None, 2, ", or for a core (the report does not tell whether ranks had a core)"),
    ],
)
def test_a_wait_may_be_for_a_core(cpu_us, cores, said):
    ranks = [HAD_CORES[0], replace(HAD_CORES[1], cpu_us=cpu_us)]
    assert f"5 % of the time of these calls{said}. Let the sender" in waiting(ranks=ranks, cores=cores)
