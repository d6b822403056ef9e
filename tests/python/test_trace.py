"""HEDDLE_TRACE: a timeline of all ranks, in the format that Perfetto and chrome://tracing open. 2
ranks."""

import itertools
import json

import pytest
from conftest import COLUMNS, compiled, launcher
from heddle.reported.timeline import name_lines


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
        *its, last = (one for one in slices(events) if one["pid"] == rank)
        assert [one["name"] for one in its] == [name] * 10 and last["name"] == "MPI_Finalize"
        assert all(one["args"]["bytes"] == 64 * 1024 and one["args"]["from"].startswith("a.out+0x") for one in its)
        ends = [(one["ts"], one["ts"] + one["dur"]) for one in its]
        assert all(0 <= begin <= end for begin, end in ends)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ends))
    assert all(one["args"]["to"] == 1 for one in slices(events) if one["name"] == "MPI_Send")
    assert list(tmp_path.iterdir()) == [file]


def test_a_datatype_without_a_name_has_its_layout(heddle, program, tmp_path):
    file = tmp_path / "t.json"
    assert heddle("run", "-n", 2, "--", program, HEDDLE_TRACE=str(file)).returncode == 0
    sends = [one["args"] for one in slices(json.loads(file.read_text())["traceEvents"]) if one["name"] == "MPI_Send"]
    assert all(one["datatype"].startswith("loop ") for one in sends), sends[0]


@pytest.mark.parametrize("name", ["t.json", "t-%r.json"])
def test_calls_have_their_lines(heddle, mpi, tmp_path, name):
    """A trace without `heddle run` beside it has module and offset alone."""
    (tmp_path / "a.c").write_text(COLUMNS)
    program = compiled(mpi, tmp_path / "a.out", "-g", tmp_path / "a.c")
    line = next(i for i, text in enumerate(COLUMNS.splitlines(), 1) if "MPI_Send" in text)
    done = heddle("run", "-n", 2, "--", program, HEDDLE_TRACE=str(tmp_path / name))
    assert done.returncode == 0 and not done.stderr, done
    events = [one for file in tmp_path.glob("t*.json") for one in json.loads(file.read_text())["traceEvents"]]
    sends = [one["args"] for one in slices(events) if one["name"] == "MPI_Send"]
    assert [one["line"] for one in sends] == [f"main (a.c:{line})"] * 10 and sends[0]["from"].startswith("a.out+0x")
    assert all("line" in one["args"] for one in slices(events))
    assert len(list(tmp_path.iterdir())) == 2 + (1 if name == "t.json" else 2)


def test_the_program_ends_as_without_a_timeline(heddle, program, tmp_path):
    assert heddle("run", "-n", 2, "--", program, 7, HEDDLE_TRACE=str(tmp_path / "t.json")).returncode == 7


def test_a_timeline_of_others_is_left_as_it_is(tmp_path):
    for text in ("", "{", '{"name":"heddle_module"}\n', '{"pid":0,"from":"app+0x10"}\n', "\x00\udc80"):
        (tmp_path / "t.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        name_lines(tmp_path / "t.json")
        assert (tmp_path / "t.json").read_bytes() == text.encode("utf-8", "surrogateescape")
    name_lines(tmp_path / "none.json")


def test_a_file_for_each_rank_beside_a_report(heddle, program, tmp_path):
    done = heddle("run", f"--report={tmp_path / 'r.json'}", "-n", 2, "--", program, HEDDLE_TRACE=str(tmp_path / "t-%r.json"))
    assert done.returncode == 0, done
    assert sorted(file.name for file in tmp_path.iterdir()) == ["r.json", "t-0.json", "t-1.json"]
    for rank in (0, 1):
        events = json.loads((tmp_path / f"t-{rank}.json").read_text())["traceEvents"]
        assert {one["pid"] for one in events} == {rank} and len(slices(events)) == 11


def test_a_place_that_cannot_be_written_is_told(heddle, mpi, program, tmp_path):
    """Under a launcher, only the ranks know whether they can write it."""
    done = heddle("run", "--", *launcher(mpi), "-n", 2, program, HEDDLE_TRACE=str(tmp_path / "no/t.json"))
    assert done.returncode == 0 and done.stderr.count("the trace is lost. HEDDLE_TRACE names another place.") == 1, done
