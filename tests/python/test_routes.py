"""A message takes the same way with all sends: MPI_Send, MPI_Isend, MPI_Sendrecv ..."""

import json
import re
from pathlib import Path

import pytest
from conftest import MPIS, compiled

RANKS = 2
SOURCE = Path(__file__).parent / "routes.c"
SPELLINGS = ["Send", "Isend", "Ssend", "Issend", "Send_init", "Ssend_init", "Sendrecv", "Isendrecv"]
SIZES = ["512 B", "8 KiB", "256 KiB"]


@pytest.mark.parametrize("mpi", MPIS)
def test_every_spelling_takes_the_same_way(heddle, mpi, tmp_path):
    program = compiled(mpi, tmp_path / "routes", "-O2", SOURCE)
    report = tmp_path / "report.json"
    # Without a named scheme, Heddle leaves messages between near cores to Open MPI
    # (src/select/left_to_host.hpp). But the machine chooses the cores. A named scheme holds
    # everywhere.
    named = {"HEDDLE_SCHEME": "direct"} if mpi == "openmpi" else {"HEDDLE_PROFILE": "builtin"}
    done = heddle("run", "--mpi", mpi, "-n", RANKS, "--", program, HEDDLE_REPORT=str(report), **named)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    ways = {size: {spelling: "passthrough" for spelling in SPELLINGS} for size in SIZES}
    for row in json.loads(report.read_text())["rows"]:
        if row["call"] != "send" or not (stride := re.search(r"× (\d+) B", row["datatype"])):
            continue
        size, spelling = divmod(int(stride[1]) // 4, 1000)
        assert row["calls"] == 3, row
        ways[SIZES[size - 1]][SPELLINGS[spelling]] = "packed" if row["way"] == "packed" else "rendezvous"
    assert set(ways["256 KiB"].values()) == {"rendezvous"}
    for size, way in ways.items():
        assert len(set(way.values())) == 1, f"{size}: {way}"
