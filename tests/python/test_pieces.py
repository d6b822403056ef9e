"""Contiguous messages: Heddle carries them if told so, and they arrive unchanged."""

import json
import os
from pathlib import Path

import pytest
from conftest import MPIS, compiled

RANKS = 2
SOURCE = Path(__file__).parent / "pieces.c"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pieces")
    return {mpi: compiled(mpi, folder / mpi, "-O2", SOURCE) for mpi in MPIS}


@pytest.fixture
def output(heddle, programs):
    def of(mpi, seed, **settings):
        done = heddle("run", "--mpi", mpi, "-n", RANKS, "--", programs[mpi], seed, **settings)
        assert done.returncode == 0, done.stderr
        return sorted(done.stdout.splitlines(), key=lambda line: [int(word.rstrip(":")) for word in line.split()[:2]])

    return of


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < RANKS, reason="more ranks than cores: pieces are the library's")
@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("seed", [1, "fresh"])
def test_what_arrives_is_what_the_library_delivers(output, mpi, seed, tmp_path):
    seed = int.from_bytes(os.urandom(2), "little") if seed == "fresh" else seed
    alone = output(mpi, seed, HEDDLE="off")
    report = tmp_path / "report.json"
    for contiguous in ("on", "off"):
        found = output(mpi, seed, HEDDLE_CONTIGUOUS=contiguous, HEDDLE_REPORT=str(report), HEDDLE_PROFILE="builtin")
        assert found == alone, f"seed {seed}, HEDDLE_CONTIGUOUS={contiguous}"
        rows = json.loads(report.read_text())["rows"]
        sent = sum(row["calls"] for row in rows if row["call"] == "send" and row["bytes"] / row["calls"] >= 32 << 10)
        # Off: Heddle carries only messages to ranks that have scattered earlier messages.
        assert contiguous == "off" or sent > 5, rows
