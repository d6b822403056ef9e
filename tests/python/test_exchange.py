"""heddle.exchange over real ranks: under Heddle in each way, and without Heddle."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HEDDLE, MPIS, clean_environment, launcher
from heddle import installations

# Each rank writes its received data to a JSON file, because ranks may print into each other's
# lines.
PROGRAM = """
import json, sys
import numpy as np
from mpi4py import MPI
from heddle import exchange as module
comm = MPI.COMM_WORLD
me, ranks = comm.rank, comm.size
got = {"under": module._under_heddle() is not None}
one = module.exchange({(me + 1) % ranks: [me, me + 0.5], 0: np.full(3, me)}, comm)
got["one"] = [[source, block.tolist()] for source, block in one]
rows = module.exchange([(2, [[me, 1], [me, 2]]), (2, np.empty((0, 2))), (2, [[me, 3]])], comm, np.int32, (2,))
got["rows"] = [[source, block.tolist()] for source, block in rows]
record = np.dtype([("id", "i4"), ("mass", "f8")])
many = np.zeros(50_000, record)
many["id"], many["mass"] = np.arange(50_000), me
came = module.exchange({ranks - 1 - me: many}, comm, record)
got["records"] = [[source, len(block), int(block["id"].sum()), float(block["mass"][-1])] for source, block in came]
got["none"] = len(module.exchange({}, comm))
for k in range(50):
    for source, block in module.exchange([((me + k) % ranks, [k * 10.0 + me] * (k % 4))], comm):
        assert (block == k * 10.0 + source).all() and len(block) == k % 4
comm.Set_errhandler(MPI.ERRORS_RETURN)
try:
    module.exchange({ranks: [1.0]}, comm)
except MPI.Exception as error:
    got["error"] = MPI.Get_error_class(error.Get_error_code()) == MPI.ERR_RANK
open(f"{sys.argv[1]}/{me}.json", "w").write(json.dumps(got))
"""


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("way", ["none", "consensus", "counts", "crystal"])
def test_everybody_gets_what_was_sent(tmp_path, mpi, way):
    ranks = 4
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    words = [*launcher(mpi), "-n", str(ranks), sys.executable, "-m", "mpi4py", script, tmp_path]
    settings = {"MPI4PY_LIBMPI": str(installations.at_path(Path(launcher(mpi)[0])).library)}
    if way != "none":
        words = [HEDDLE, "run", "--", *words]
        settings["HEDDLE_EXCHANGE"] = way
    environment = clean_environment(OMPI_MCA_mpi_yield_when_idle="1", **settings)
    done = subprocess.run([*map(str, words)], env=environment, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    for me in range(ranks):
        got = json.loads((tmp_path / f"{me}.json").read_text())
        assert got["under"] == (way != "none")
        left = (me - 1) % ranks
        # A dictionary has one message for each rank, so the last rank sends only the later message
        # to rank 0.
        assert got["one"] == ([[rank, [rank] * 3] for rank in range(ranks)] if me == 0 else [[left, [left, left + 0.5]]])
        rows = [[rank, block] for rank in range(ranks) for block in ([[rank, 1], [rank, 2]], [], [[rank, 3]])]
        assert got["rows"] == (rows if me == 2 else [])
        assert got["records"] == [[ranks - 1 - me, 50_000, 50_000 * 49_999 // 2, ranks - 1 - me]]
        assert got["none"] == 0 and got["error"] is True
