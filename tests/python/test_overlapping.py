"""Overlapping receives: bandwidth benchmarks work, and Heddle does not report receives past it. 2
ranks."""

import json
import os
from pathlib import Path

import pytest
from conftest import compiled, launcher

SOURCE = Path(__file__).parent / "interposition/window.c"
CONTIGUOUS = {"HEDDLE_CONTIGUOUS": "on", "HEDDLE_PROFILE": "builtin"}
NODES = {"HEDDLE_NODES": "2", "HEDDLE_FABRIC": "tcp"}


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    return compiled(mpi, tmp_path_factory.mktemp(mpi) / "window", SOURCE)


@pytest.fixture
def ways(heddle, mpi, program, tmp_path):
    """The ways of the messages, by the report."""

    def run(*words: object, **environment: str) -> set[str]:
        report = tmp_path / "report.json"
        line = [*launcher(mpi), "-n", 2, program, *words]
        done = heddle("run", "--", *line, HEDDLE_WATCH="all", HEDDLE_REPORT=str(report), **environment)
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr
        assert "past Heddle" not in done.stderr
        return {row["way"] for row in json.loads(report.read_text())["rows"]}

    return run


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("size", [64 << 10, 512 << 10])
def test_windows_with_holes_are_announced(ways, size, directions):
    scheme = "multi-w" if directions == 1 else "bc-spup"
    assert scheme in ways(size, directions, "holes", HEDDLE_SCHEME=scheme)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="more ranks than cores: pieces are the library's")
@pytest.mark.parametrize("directions", [1, 2])
def test_windows_in_one_piece_are_announced_on_demand(ways, directions):
    assert ways(64 << 10, directions, HEDDLE_SCHEME="bc-spup") == set()
    assert "bc-spup" in ways(64 << 10, directions, HEDDLE_SCHEME="bc-spup", **CONTIGUOUS)


def test_windows_of_heddles_choice(ways):
    """Heddle may leave some of these messages to the library."""
    for words in ([512 << 10, 2], [512 << 10, 1, "holes"]):
        ways(*words, **CONTIGUOUS)


def test_windows_go_to_another_node(ways):
    """Messages whose receivers are late go packed: not all of them three times."""
    assert any("fabric bc-spup" in ways(64 << 10, 2, "holes", HEDDLE_SCHEME="bc-spup", **NODES) for _ in range(3))
