"""heddle run changes srun's line: LD_PRELOAD reaches the ranks with any --export."""

import shutil
import subprocess

import pytest
from heddle.problem import Problem
from heddle.slurm import exporting

OURS = "/heddle.so:/libmpi.so"


def line(*words: str, **environment: str) -> list[str]:
    return exporting(words, OURS, environment, lambda word: word.startswith("./"))


@pytest.mark.parametrize(
    "words",
    [
        ("-n", "2", "./a"),
        ("--export=ALL", "./a"),
        ("--export", "ALL", "./a"),
        ("--export=A=1,all", "./a"),
        ("-n", "2", "./a", "--export=NONE"),
        ("--", "./a", "--export=NONE"),
    ],
)
def test_what_exports_everything_stays(words):
    assert line(*words, HEDDLE_ISA="avx2") == list(words)


def test_without_heddle_it_stays():
    assert exporting(["--export=NONE", "./a"], "", {}, bool) == ["--export=NONE", "./a"]


@pytest.mark.parametrize("given", [("--export=NONE",), ("--export", "NONE"), ("--export=NIL",)])
def test_nothing_but_heddle(given):
    assert line("-n", "2", *given, "./a", "b", HEDDLE="on", HEDDLE_ISA="avx2", HOME="/") == [
        f"--export=LD_PRELOAD={OURS},HEDDLE,HEDDLE_ISA",
        *("-n", "2", "./a", "b"),
    ]


def test_a_list_is_kept():
    assert line("--export=A,HEDDLE_ISA=portable", "./a", HEDDLE_ISA="avx2")[0] == (
        f"--export=A,HEDDLE_ISA=portable,LD_PRELOAD={OURS}"
    )


def test_what_the_job_was_started_with_counts():
    assert line("./a", SLURM_EXPORT_ENV="NONE") == [f"--export=LD_PRELOAD={OURS}", "./a"]
    assert line("--export=ALL", "./a", SLURM_EXPORT_ENV="NONE") == ["--export=ALL", "./a"]


def test_their_preload_comes_first():
    assert line("--export=ALL,LD_PRELOAD=/t.so", "./a") == [f"--export=ALL,LD_PRELOAD=/t.so:{OURS}", "./a"]
    assert line("--export=LD_PRELOAD=/t.so:/heddle.so", "./a") == [f"--export=LD_PRELOAD=/t.so:{OURS}", "./a"]


def test_each_program_of_the_line():
    assert line("--export=NONE", "./a", ":", "-n", "2", "./b", ":", "--export=A", "./c") == [
        *(f"--export=LD_PRELOAD={OURS}", "./a", ":"),
        *("-n", "2", "./b", ":"),
        *(f"--export=A,LD_PRELOAD={OURS}", "./c"),
    ]


def test_what_srun_cannot_name():
    with pytest.raises(Problem, match="commas"):
        exporting(["--export=NONE", "./a"], "/a,b.so", {}, bool)


def _cluster() -> bool:
    """True if this machine has a Slurm that runs jobs."""
    if not shutil.which("srun"):
        return False
    asked = subprocess.run(["sinfo", "-h", "-t", "idle", "-o", "%D"], capture_output=True, text=True, timeout=30)
    return asked.returncode == 0 and asked.stdout.strip() not in ("", "0")


@pytest.mark.parametrize("export", [(), ("--export=NONE",), ("--export=A=1",)])
@pytest.mark.parametrize("by_environment", [False, True])
def test_under_slurm(heddle, who, export, by_environment):
    if not _cluster():
        pytest.skip("no Slurm runs here (docs/containers.md says how one on a single machine is started)")
    environment = {"SLURM_EXPORT_ENV": "NONE"} if by_environment else {}
    done = heddle("run", "--", "srun", "--mpi=pmi2", *export, "-n", 2, who["mpich"], **environment)
    assert done.returncode == 0 and done.stdout.count(" of 2: libheddle_mpich") == 2, done
