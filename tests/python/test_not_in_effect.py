"""If Heddle is not in effect, one sentence says so and gives the reason.

It is always printed for a mistake. If it may be intended, it is printed with HEDDLE_VERBOSE=1.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import clean_environment, launcher, prefix
from heddle import families
from heddle.native import interposer

NOTHING = "no MPI_Init came to Heddle"
CONTAINS = "int MPI_Init(int* a, char*** b) { return a == 0 && b == 0; } int main(void) { return MPI_Init(0, 0) != 1; }"


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> dict[str, Path]:
    """A program without MPI, and a stripped program that contains its MPI library."""
    folder = tmp_path_factory.mktemp("programs")
    for name, body, *options in (("plain", "int main(void) { return 0; }"), ("contains", CONTAINS, "-s")):
        (folder / f"{name}.c").write_text(body)
        subprocess.run(["gcc", folder / f"{name}.c", *options, "-o", folder / name], check=True)
    return {name: folder / name for name in ("plain", "contains")}


@pytest.mark.parametrize("name", ["plain", "contains"])
def test_no_mpi_comes(heddle, programs, mpi, name):
    line = ("run", "--mpi", mpi, "-n", 2, "--", programs[name])
    done = heddle(*line, HEDDLE_VERBOSE="1")
    assert done.returncode == 0 and done.stderr.count(NOTHING) == 1 and f"heddle: {name}: " in done.stderr, done
    assert "heddle:" not in heddle(*line).stderr


@pytest.mark.parametrize("name", ["plain", "contains"])
def test_no_mpi_comes_to_the_interposer_alone(programs, mpi, name):
    library = str(interposer(families.by_name(mpi)))
    for verbose, times in (("1", 1), ("0", 0)):
        environment = clean_environment(LD_PRELOAD=library, HEDDLE_VERBOSE=verbose)
        done = subprocess.run([programs[name]], env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr.count(NOTHING) == times, done


def test_doctor_says_that_nothing_came(heddle, programs):
    done = heddle("doctor", "--mpi", "mpich", "--", programs["contains"])
    assert done.returncode == 1 and "to mend" in done.stdout, done
    named = heddle("doctor", "--json", "--mpi", "mpich", "--", programs["contains"]).stdout
    assert NOTHING in named and "contains its MPI library" in named


def test_a_program_with_mpi_says_nothing_of_the_kind(heddle, who, mpi):
    done = heddle("run", "-n", 2, "--", who[mpi], HEDDLE_VERBOSE="1")
    assert done.returncode == 0 and NOTHING not in done.stderr, done
    by_shell = heddle("doctor", "--json", "--mpi", mpi, "--", "sh", "-c", f"{who[mpi]}; true")
    assert NOTHING not in by_shell.stdout and by_shell.returncode == 0, by_shell


def test_wrapper_that_takes_the_preload_out(heddle, who, mpi):
    line = ("--", *launcher(mpi), "-n", 2, "env", "-u", "LD_PRELOAD", who[mpi])
    asked = heddle("doctor", "--json", *line)
    assert asked.returncode == 1 and "LD_PRELOAD" in asked.stdout, asked
    reported = heddle("run", "--report", *line)
    assert reported.returncode == 0 and "Heddle did not get into it" in reported.stderr, reported


def test_set_user_id(heddle, who, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make a program that another user's identity runs")
    program = Path(shutil.copy(who["mpich"], tmp_path / "program"))
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    for line in (("-n", 1, "--", program), ("--", *launcher("mpich"), "-n", 1, program)):
        done = heddle("run", *line)
        assert done.returncode == 0 and f"heddle: {program} (set-user-ID): " in done.stderr, done
        assert "0 of 1: none" in done.stdout and "without Heddle" in done.stderr, done
    program.chmod(0o755)
    assert "heddle:" not in heddle("run", "-n", 1, "--", program).stderr


@pytest.mark.parametrize("off", [0, 1])
def test_switched_off_on_one_rank(heddle, who, mpi, off):
    one, other = (["env", "HEDDLE=off"] if rank == off else [] for rank in (0, 1))
    start = [prefix(mpi) / "bin" / Path(launcher(mpi)[0]).name, *launcher(mpi)[1:]]
    done = heddle("run", "--", *start, "-n", 1, *one, who[mpi], ":", "-n", 1, *other, who[mpi], HEDDLE_VERBOSE="1")
    why = "off (HEDDLE=off)" if off == 0 else "not every rank takes part"
    assert done.returncode == 0 and done.stderr.count(why) == 1, done
