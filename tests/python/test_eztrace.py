"""EZTrace above Heddle: the profiler sees all calls, and Heddle carries the messages.

Debian has a build of EZTrace for each of its MPI libraries.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import clean_environment
from heddle.native import CHECKOUT

RANKS, STEPS = 2, 20
ISENDS = RANKS * 6 * STEPS  # examples/c/halo.c: six faces a step
LIBRARIES = Path("/usr/lib") / f"{os.uname().machine}-linux-gnu"
EVENTS = re.compile(r"^(MPI_ISEND|MPI_IRECV|MPI_COLLECTIVE_BEGIN|ENTER|LEAVE)\b", re.MULTILINE)


@pytest.fixture(scope="module")
def halo(mpi, tmp_path_factory) -> Path:
    wanted = ("eztrace", "otf2-print", f"mpicc.{mpi}", f"mpiexec.{mpi}")
    missing = [name for name in wanted if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not here: scripts/bootstrap --test installs them as root")
    program = tmp_path_factory.mktemp(mpi) / "halo"
    source = CHECKOUT / "examples/c/halo.c"
    subprocess.run([f"mpicc.{mpi}", "-w", "-O2", source, "-o", program, "-lm"], check=True)
    return program


def launched(mpi: str, *words: object) -> list[str]:
    more = ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])] if mpi == "openmpi" else []
    return [f"mpiexec.{mpi}", *more, "-n", str(RANKS), *map(str, words)]


def events(folder: Path) -> dict[str, int]:
    """Returns the number of events of each kind in a trace."""
    (trace,) = folder.glob("*.otf2")
    found = EVENTS.findall(subprocess.run(["otf2-print", trace], check=True, capture_output=True, text=True).stdout)
    return {kind: found.count(kind) for kind in sorted(set(found))}


@pytest.mark.parametrize("how", ["by its command", "by LD_PRELOAD"])
def test_sees_all_and_heddle_carries(heddle, mpi, halo, tmp_path, how):
    size = (48, STEPS)
    alone = subprocess.run(
        launched(mpi, "eztrace", "-t", mpi, halo, *size), cwd=tmp_path, env=clean_environment(), capture_output=True, text=True
    )
    assert alone.returncode == 0 and "right" in alone.stdout, alone
    without = events(tmp_path / "halo_trace")
    shutil.rmtree(tmp_path / "halo_trace")
    report = tmp_path / "report.json"
    environment = {"HEDDLE_REPORT": str(report), "HEDDLE_MESSAGES": "packed"}
    if how == "by LD_PRELOAD":
        objects = ":".join(f"{LIBRARIES}/libeztrace-{part}.so" for part in ("core", "lib", mpi))
        environment |= {"LD_PRELOAD": objects, "EZTRACE_TRACE": mpi}
    words = launched(mpi, *(("eztrace", "-t", mpi) if how == "by its command" else ()), halo, *size)
    done = heddle("run", "--", *words, cwd=tmp_path, **environment)
    assert done.returncode == 0 and "right" in done.stdout, done
    assert events(tmp_path / "halo_trace") == without and without["MPI_ISEND"] == ISENDS, without
    rows = json.loads(report.read_text())["rows"]
    assert sum(row["calls"] for row in rows if row["call"] == "send") == ISENDS, rows
    assert {row["way"] for row in rows if row["call"] == "send"}.isdisjoint({"packed", "native"}), rows


def test_doctor_names_it(heddle, mpi, halo):
    asked = heddle("doctor", "--json", "--", *launched(mpi, "eztrace", "-t", mpi, halo))
    found = {finding["what"]: finding for finding in json.loads(asked.stdout)}
    assert asked.returncode == 0 and f"libeztrace-{mpi}.so (MPI_" in found["above Heddle"]["seen"], found
    assert found["receives"]["verdict"] == "good", found
