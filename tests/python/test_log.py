"""HEDDLE_LOG: each rank prints how its calls are carried out. 2 ranks."""

import re

import pytest
from conftest import COLUMNS, compiled


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp(mpi)
    (folder / "a.c").write_text(COLUMNS)
    return compiled(mpi, folder / "a.out", folder / "a.c")


def lines(heddle, program, **settings) -> list[str]:
    done = heddle("run", "-n", 2, "--", program, **settings)
    assert done.returncode == 0, done
    return done.stderr.splitlines()


def test_debug_prints_each_call_and_each_decision(heddle, program):
    printed = lines(heddle, program, HEDDLE_LOG="debug")
    for rank, call, end in ((0, "MPI_Send", "send"), (1, "MPI_Recv", "receive")):
        start = rf"heddle {rank}: {call} in .*a\.out\+0x[0-9a-f]+\)?: "
        assert len([one for one in printed if re.match(start + r"65536 B, [0-9.]+ us: by ", one)]) == 10, printed
        assert len([one for one in printed if re.match(start + rf"{end} of 65536 B, .+: .+", one)]) == 10, printed


def test_info_prints_each_kind_once(heddle, program):
    printed = lines(heddle, program, HEDDLE_LOG="info")
    assert printed and len(printed) == len(set(printed)) < 16, printed


def test_without_heddle_each_call_goes_to_the_library(heddle, program):
    printed = lines(heddle, program, HEDDLE_LOG="info", HEDDLE="off")
    hands = {re.search(r"(MPI_\w+) .*: (by .*)", one).groups() for one in printed}
    library = "by the MPI library"
    assert hands == {(f"MPI_{call}", f"{library} (off)") for call in ("Send", "Recv")} | {
        ("MPI_Finalize", f"{library} (by nature)")
    }, printed


def test_without_the_variable_nothing_is_printed(heddle, program):
    assert lines(heddle, program) == []
