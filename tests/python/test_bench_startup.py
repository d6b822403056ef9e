"""`heddle bench startup`: jobs start in all three ways. Heddle's share is a median of pairs."""

import json
import subprocess
import sys

import pytest
from heddle.bench.startup import BARE, PRELOADED, STARTED, Job, added


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_every_way_and_metric_has_a_row(mpi, tmp_path):
    rows = tmp_path / "rows.json"
    words = ["bench", "startup", "--ranks", "3", "--rounds", "2", "--mpi", mpi, "--json", str(rows)]
    done = subprocess.run([sys.executable, "-m", "heddle", *words], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(rows.read_text())
    assert {(row["variant"], row["metric"]) for row in found} == {
        *((way, metric) for way in (BARE, PRELOADED, STARTED) for metric in ("job", "init", "finalize")),
        *((way, metric) for way in (PRELOADED, STARTED) for metric in ("part", "work")),
    }
    values = {(row["variant"], row["metric"]): row["value"] for row in found}
    assert values[PRELOADED, "work"] < values[PRELOADED, "init"] and values[PRELOADED, "part"] < values[PRELOADED, "init"]
    for row in found:
        assert 0 < row["lower"] <= row["value"] <= row["upper"] and row["ranks"] == 3 and row["samples"] == 2
    assert "medians of 2 starts of each way" in done.stdout


def test_what_is_added_is_the_median_of_pairs():
    def jobs(*took):
        return [Job("MPI", {"job": one, "init": one / 2, "finalize": 1.0}) for one in took]

    # The machine was slow in the second round, for all ways.
    more = added({BARE: jobs(100, 300, 100), PRELOADED: jobs(104, 304, 90), STARTED: jobs(110, 320, 130)})
    assert more["job", PRELOADED] == 4 and more["job", STARTED] == 20
    assert more["init", PRELOADED] == 2 and more["finalize", PRELOADED] == 0
