"""The manual's page of calls (scripts/site/calls.py) names the file and the line that define each
procedure."""

import sys

import pytest
from conftest import CHECKOUT

sys.path.append(str(CHECKOUT / "scripts/site"))
import calls as page_of_calls

ALL = {call.name: call for call in page_of_calls.calls(CHECKOUT)}


def test_every_row_of_the_table_is_on_the_page():
    names = {pattern for pattern, _, _ in page_of_calls.rows(CHECKOUT) if "*" not in pattern}
    assert names <= ALL.keys()


def test_every_declared_procedure_has_a_treatment():
    declared = page_of_calls.declared(CHECKOUT)
    if not declared:
        pytest.skip("there is no mpi.h in .mpi")
    assert {name for name in declared if name not in ALL and name.removesuffix("_c") not in ALL} == set()
    assert len(ALL) > 400


@pytest.mark.parametrize("name", sorted(name for name, call in ALL.items() if call.treatment != "passed"))
def test_a_line_that_defines_the_procedure(name):
    call = ALL[name]
    line = (CHECKOUT / call.file).read_text().splitlines()[call.line - 1]
    bare = name.removeprefix("MPI_")
    blocking = bare.removesuffix("_init").removeprefix("I").capitalize()
    assert any(f"{start}{each}(" in line for each in (bare, blocking) for start in ("MPI_", "_", "int ")), line


def test_the_library_alone_defines_the_rest():
    assert [call for call in ALL.values() if call.treatment == "passed" and call.file] == []
    assert ALL["MPI_Accumulate"].treatment == "passed"


def test_places_of_some_that_readers_look_up():
    assert ALL["MPI_Send"].file == "src/mpi/calls/send.cpp"
    assert ALL["MPI_Ialltoallw"].file == ALL["MPI_Alltoallw_init"].file == "src/mpi/calls/alltoall.cpp"
    assert ALL["MPI_Init"].file == "src/mpi/lifecycle/init.cpp"
    assert "| `MPI_Send`, _c | `src/mpi/calls/send.cpp` |" in page_of_calls.page(CHECKOUT)
