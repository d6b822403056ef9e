"""Runs mpi4py's own test suite with and without Heddle and demands the same outcome of every test,
on every rank. Without --all, a module that passes under Heddle does not run without it.

    .venv/bin/python tests/conformance/mpi4py_suite.py            datatypes, packing, collectives, neighbours: in make test
    .venv/bin/python tests/conformance/mpi4py_suite.py --all      all modules but spawn: make conformance
    ... --mpi mpich --ranks 2 --modules test_pack test_cco_vec    a part
    ... --all --figures                                           and put the figures into docs/conformance.md: make suites

The suite comes with mpi4py's source distribution, which pip fetches once into build/.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from suites import figures

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
VERSION = "4.1.2"
FOLDER = ROOT / "build/mpi4py"
LIBRARIES = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}
HEDDLE = ROOT / ".venv/bin/heddle"

# Modules with procedures that Heddle carries out.
NEAR = (
    "test_datatype test_pack test_buffer test_msgspec test_msgzero test_status test_p2p_buf test_p2p_buf_matched "
    "test_cco_buf test_cco_vec test_cco_nb_vec test_cco_pr_vec test_cco_vec_inter test_cco_buf_inter "
    "test_cco_ngh_buf test_cco_ngh_obj test_util_dtlib test_threads "
    "test_p2p_obj test_p2p_obj_matched test_request test_cco_nb_buf test_cco_pr_buf test_cco_pr_ngh_buf"
).split()
# Heddle leaves starting further processes to the library. These tests also need more slots than a
# test machine has.
LEFT_OUT = {"test_spawn", "test_dynproc"}


@dataclass(frozen=True)
class Job:
    mpi: str
    ranks: int
    modules: tuple[str, ...]
    heddle: bool

    @property
    def name(self) -> str:
        return f"{self.mpi}-{self.ranks}-{'heddle' if self.heddle else 'host'}"


def fetch() -> Path:
    """The folder of mpi4py's tests."""
    tests = FOLDER / f"mpi4py-{VERSION}/test"
    if tests.is_dir():
        return tests
    FOLDER.mkdir(parents=True, exist_ok=True)
    archive = FOLDER / f"mpi4py-{VERSION}.tar.gz"
    if not archive.exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--no-binary", "mpi4py", "--dest", FOLDER, f"mpi4py=={VERSION}"], check=True)
    with tarfile.open(archive) as packed:
        packed.extractall(FOLDER, filter="data") if hasattr(tarfile, "data_filter") else packed.extractall(FOLDER)
    return tests


def command(job: Job, tests: Path, out: Path) -> list[str]:
    prefix = ROOT / ".mpi" / job.mpi
    launcher = [str(prefix / "bin/mpiexec"), "-n", str(job.ranks)]
    if job.mpi == "openmpi":
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        launcher += [
            *root,
            "--oversubscribe",
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "--mca",
            "btl_vader_single_copy_mechanism",
            "none",
        ]
        launcher += ["-x", "MPI4PY_LIBMPI"]
    heddle = [str(HEDDLE), "run", "--mpi", str(prefix), "--"] if job.heddle else []
    return [*heddle, *launcher, sys.executable, str(HERE / "recorder.py"), str(tests), str(out), *job.modules]


def run(job: Job, tests: Path, limit: float) -> dict[str, str]:
    """The outcome of each test on each rank."""
    out = FOLDER / f"outcome-{job.name}"
    for old in FOLDER.glob(out.name + ".*"):
        old.unlink()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HEDDLE", "LD_PRELOAD"))}
    environment.setdefault("OMPI_MCA_btl", "^ofi")  # it cannot be used here, and sleeps for a second in MPI_Init
    environment["MPI4PY_LIBMPI"] = str(ROOT / ".mpi" / job.mpi / "lib" / LIBRARIES[job.mpi])
    environment["PYTHONPATH"] = str(tests)  # for processes that mpi4py's pools start
    log = FOLDER / f"log-{job.name}.txt"
    # The session directory of a killed launcher would stop a later launcher with its process
    # number.
    with log.open("w") as output, tempfile.TemporaryDirectory() as environment["TMPDIR"]:
        started = subprocess.Popen(
            command(job, tests, out), stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
        try:
            started.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, 15)
            try:
                started.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, 9)
                started.wait()
    seen: dict[str, str] = {}
    for rank in range(job.ranks):
        record = FOLDER / f"{out.name}.{rank}"
        if not record.exists():
            seen[f"rank {rank}"] = f"did not finish within {limit:.0f} s; see {log.relative_to(ROOT)}"
            continue
        told = json.loads(record.read_text())
        loaded = "libheddle_" in told["library"]
        if loaded != job.heddle:
            raise SystemExit(f"{job.name}: MPI_Send comes from {told['library'] or 'libmpi'}: nothing was compared")
        seen |= {f"{test} on rank {rank}": outcome for test, outcome in told["outcomes"].items()}
    return seen


def summary(outcomes: dict[str, str]) -> str:
    kinds = [outcome.split(":")[0] for outcome in outcomes.values()]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))


def differences(host: dict[str, str], heddle: dict[str, str]) -> dict[str, tuple[str, str]]:
    return {
        test: (host.get(test, "not run"), heddle.get(test, "not run"))
        for test in sorted(host.keys() | heddle.keys())
        if host.get(test) != heddle.get(test)
    }


def run_timed(job: Job, tests: Path, limit: float) -> dict[str, str]:
    began = time.monotonic()
    outcomes = run(job, tests, limit)
    print(f"{job.name:20} {summary(outcomes)}  ({time.monotonic() - began:.0f} s)", flush=True)
    return outcomes


def row(mpi: str, ranks: int, modules: tuple[str, ...], host: dict[str, str], heddle: dict[str, str]) -> dict:
    """A row for docs/conformance.md. A run is a test on a rank."""
    right = [test for test, outcome in host.items() if outcome == "passed"]
    others = Counter(outcome.split(":")[0] for outcome in host.values() if outcome != "passed")
    return {
        "suite": "mpi4py",
        "part": f"{ranks} rank{'s' if ranks > 1 else ''}",
        "mpi": mpi,
        "revision": VERSION,
        "programs": len(modules),
        "tried": len(host),
        "alone": len(right),
        "heddle": sum(heddle.get(test) == "passed" for test in right),
        "left_out": {f"{outcome} alone": count for outcome, count in sorted(others.items())},
    }


def not_passed(modules: tuple[str, ...], outcomes: dict[str, str]) -> tuple[str, ...]:
    """The modules with an outcome that needs the outcome without Heddle beside it."""
    if any(not test.startswith("test_") for test in outcomes):  # a rank did not finish
        return modules
    counts = {module: Counter[bool]() for module in modules}
    for test, outcome in outcomes.items():
        counts[test.split(".")[0]][outcome == "passed"] += 1
    return tuple(module for module, passed in counts.items() if passed[False] or not passed[True])


def run_both(mpi: str, ranks: int, modules: tuple[str, ...], tests: Path, limit: float, whole: bool):
    """The outcomes without Heddle and with it. Unless `whole`, a module that passes under Heddle
    does not run without it, and counts as passed."""
    with_heddle = Job(mpi, ranks, modules, True)
    if not whole:
        heddle = run_timed(with_heddle, tests, limit)
        rest = not_passed(modules, heddle)
        passed = {test: outcome for test, outcome in heddle.items() if test.split(".")[0] in set(modules) - set(rest)}
        return passed | (run_timed(Job(mpi, ranks, rest, False), tests, limit) if rest else {}), heddle
    # The two jobs run side by side if every rank then has a core of its own.
    with ThreadPoolExecutor(2 if 2 * ranks <= len(os.sched_getaffinity(0)) else 1) as pool:
        return pool.map(lambda job: run_timed(job, tests, limit), [Job(mpi, ranks, modules, False), with_heddle])


def compare(mpi: str, ranks: int, modules: tuple[str, ...], tests: Path, limit: float, rows: list[dict], whole: bool) -> bool:
    """Appends to `rows`. Modules with differences run once more, because some of the suite's tests
    depend on timing."""
    unsettled: set[str] = set()
    for attempt in (1, 2):
        host, heddle = run_both(mpi, ranks, modules, tests, limit, whole or attempt == 2)
        different = differences(host, heddle)
        if attempt == 1:
            rows.append(row(mpi, ranks, modules, host, heddle))
        else:  # a test that differed, and now passes both ways, depends on timing
            rows[-1]["heddle"] += sum(host.get(test) == heddle.get(test) == "passed" for test in unsettled)
        if not host or not any(outcome == "passed" for outcome in host.values()):
            print(f"FAILED {mpi}, {ranks} ranks: the suite does not even run without Heddle; see build/mpi4py/log-*.txt")
            return False
        if not different:
            return True
        for test, (before, after) in list(different.items())[:20]:
            print(f"  {test}\n    without Heddle: {before}\n    with Heddle:    {after}")
        concerned = {test.split(".")[0] for test in different if test.startswith("test_")}
        unsettled = {test for test, (before, _) in different.items() if before == "passed"}
        if attempt == 1 and concerned:
            modules = tuple(sorted(concerned))
            print(f"once more: {' '.join(modules)}")
    print(f"FAILED {mpi}, {ranks} ranks: {len(different)} outcomes differ")
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="all modules but spawn, at 1, 2 and 4 ranks")
    parser.add_argument("--mpi", choices=LIBRARIES, action="append")
    parser.add_argument("--ranks", type=int, nargs="+")
    parser.add_argument("--modules", nargs="+")
    parser.add_argument("--limit", type=float, help="seconds for each run")
    parser.add_argument("--figures", action="store_true", help="write docs/conformance.json and .md")
    options = parser.parse_args()
    tests = fetch()
    everything = sorted({path.stem for path in tests.glob("test_*.py")} - LEFT_OUT)
    modules = tuple(options.modules or (everything if options.all else NEAR))
    ranks = options.ranks or ([1, 2, 4] if options.all else [2])
    limit = options.limit or (2400 if options.all else 900)  # only for hangs
    rows: list[dict] = []
    whole = options.all or options.figures
    same = [compare(mpi, n, modules, tests, limit, rows, whole) for mpi in options.mpi or LIBRARIES for n in ranks]
    if options.figures:
        figures.write(ROOT / "docs/conformance.md", rows)
    print("OK" if all(same) else "FAILED", f"{len(same)} comparisons of mpi4py {VERSION}'s tests with and without Heddle")
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
