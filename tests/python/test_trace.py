"""HEDDLE_TRACE: a timeline of all ranks, in the format that Perfetto and chrome://tracing open. 2 ranks."""

import itertools
import json

import pytest
from conftest import COLUMNS, compiled


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp(mpi)
    (folder / "a.c").write_text(COLUMNS)
    return compiled(mpi, folder / "a.out", folder / "a.c")


def slices(events: list[dict]) -> list[dict]:
    return [event for event in events if event["ph"] == "X"]


@pytest.mark.parametrize("switch", ["on", "off"])
def test_each_call_is_a_slice_of_its_rank(heddle, program, tmp_path, switch):
    file = tmp_path / "t.json"
    done = heddle("run", "-n", 2, "--", program, HEDDLE_TRACE=str(file), HEDDLE=switch)
    assert done.returncode == 0 and not done.stderr, done
    events = json.loads(file.read_text())["traceEvents"]
    assert {(one["pid"], one["args"]["name"]) for one in events if one["name"] == "process_name"} == {
        (0, "rank 0"),
        (1, "rank 1"),
    }
    for rank, name in ((0, "MPI_Send"), (1, "MPI_Recv")):
        its = [one for one in slices(events) if one["pid"] == rank]
        assert [one["name"] for one in its] == [name] * 10
        assert all(one["args"]["bytes"] == 64 * 1024 and one["args"]["from"].startswith("a.out+0x") for one in its)
        ends = [(one["ts"], one["ts"] + one["dur"]) for one in its]
        assert all(0 <= begin <= end for begin, end in ends)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ends))
    assert all(one["args"]["to"] == 1 for one in slices(events) if one["pid"] == 0)
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_for_each_rank_beside_a_report(heddle, program, tmp_path):
    done = heddle("run", f"--report={tmp_path / 'r.json'}", "-n", 2, "--", program, HEDDLE_TRACE=str(tmp_path / "t-%r.json"))
    assert done.returncode == 0, done
    assert sorted(file.name for file in tmp_path.iterdir()) == ["r.json", "t-0.json", "t-1.json"]
    for rank in (0, 1):
        events = json.loads((tmp_path / f"t-{rank}.json").read_text())["traceEvents"]
        assert {one["pid"] for one in events} == {rank} and len(slices(events)) == 10


def test_a_place_that_cannot_be_written_is_told(heddle, program, tmp_path):
    done = heddle("run", "-n", 2, "--", program, HEDDLE_TRACE=str(tmp_path / "no/t.json"))
    assert done.returncode == 0 and done.stderr.count("the trace is lost. HEDDLE_TRACE names another place.") == 1, done
