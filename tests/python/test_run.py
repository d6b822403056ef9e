"""heddle run finds the right MPI, preloads Heddle into the ranks, and changes nothing else."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HEDDLE, MPIS, clean_environment, launcher, prefix, until
from heddle import families

ABIS = {"mpich": "libheddle_mpich", "openmpi": "libheddle_openmpi", "abi": "libheddle_abi"}


@pytest.mark.parametrize("abi", ABIS)
def test_program_alone_gets_its_launcher_and_its_heddle(heddle, who, abi):
    done = heddle("run", "-n", 2, "--", who[abi])
    assert done.returncode == 0, done.stderr
    assert sorted(line.split(",")[0] for line in done.stdout.splitlines()) == [
        f"rank {rank} of 2: {ABIS[abi]}" for rank in (0, 1)
    ]


@pytest.mark.parametrize("mpi", MPIS)
def test_own_launcher_line(heddle, who, mpi):
    done = heddle("run", "--", *launcher(mpi), "-n", 2, who[mpi])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(ABIS[mpi] + ",") == 2


@pytest.mark.parametrize("mpi", MPIS)
def test_several_programs_in_one_line(heddle, who, mpi):
    done = heddle("run", "--", *launcher(mpi), "-n", 1, who[mpi], ":", "-n", 2, who[mpi])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(ABIS[mpi] + ",") == 3
    assert "rank 2 of 3" in done.stdout


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("code", [0, 3])
def test_exit_code_is_the_programs(heddle, who, mpi, code):
    assert heddle("run", "-n", 2, "--", who[mpi], code).returncode == code
    assert heddle("run", "--", *launcher(mpi), "-n", 2, who[mpi], code).returncode == code


@pytest.mark.parametrize("mpi", MPIS)
def test_input_reaches_rank_0(heddle, who, mpi):
    assert "rank 0 of 2: " in (out := heddle("run", "-n", 2, "--", who[mpi], 0, "input", stdin="a line\n").stdout)
    assert "input 'a line'" in out


@pytest.mark.parametrize("mpi", MPIS)
def test_more_ranks_than_cores(heddle, who, mpi):
    ranks = len(os.sched_getaffinity(0)) + 2
    done = heddle("run", "-n", ranks, "--mpi", mpi, "--", who[mpi])
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == ranks


def test_without_n_there_is_a_rank_for_each_core(heddle, who):
    assert f"of {len(os.sched_getaffinity(0))}:" in heddle("run", who["mpich"]).stdout


@pytest.mark.parametrize("mpi", MPIS)
def test_mpi_by_path(heddle, who, mpi):
    for path in (prefix(mpi), prefix(mpi) / "bin/mpiexec", prefix(mpi) / "bin/mpicc", prefix(mpi) / "bin"):
        done = heddle("run", "-n", 1, "--mpi", path, "--", who[mpi])
        assert (done.returncode, done.stdout.count(ABIS[mpi])) == (0, 2), (path, done)  # mapped, and in LD_PRELOAD


@pytest.mark.parametrize("mpi", MPIS)
def test_relative_program_and_launcher_on_the_path(heddle, who, mpi):
    path = f"{prefix(mpi) / 'bin'}:{os.environ['PATH']}"
    line = [Path(launcher(mpi)[0]).name, *launcher(mpi)[1:]]
    done = heddle("run", "--", *line, "-n", 1, f"./{who[mpi].name}", cwd=who[mpi].parent, PATH=path)
    assert done.returncode == 0 and ABIS[mpi] + "," in done.stdout, done
    assert heddle("run", "-n", 1, "--", f"./{who[mpi].name}", cwd=who[mpi].parent).returncode == 0


@pytest.mark.parametrize("mpi", MPIS)
def test_existing_preload_is_kept_and_first(heddle, who, mpi):
    theirs = _any_library(who[mpi])
    for line in (["-n", 1, "--", who[mpi]], ["--", *launcher(mpi), "-n", 1, who[mpi]]):
        out = heddle("run", *line, LD_PRELOAD=theirs).stdout
        assert f"preload {theirs}:" in out and ABIS[mpi] + "," in out


def test_preload_on_the_launcher_line_is_joined(heddle, who):
    theirs = _any_library(who["mpich"])
    for option in (["-genv", "LD_PRELOAD", theirs], ["-env", "LD_PRELOAD", theirs]):
        out = heddle("run", "--", *launcher("mpich"), *option, "-n", 1, who["mpich"]).stdout
        assert f"preload {theirs}:" in out and "libheddle_mpich," in out, option
    out = heddle("run", "--", *launcher("openmpi"), "-x", f"LD_PRELOAD={theirs}", "-n", 1, who["openmpi"]).stdout
    assert f"preload {theirs}:" in out and "libheddle_openmpi," in out


def _any_library(program: Path) -> str:
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return next(line.split()[2] for line in libraries.splitlines() if "libm.so" in line)


@pytest.mark.parametrize("mpi", MPIS)
def test_library_that_the_loader_cannot_find(heddle, who, mpi, tmp_path):
    """The program has no run path. It starts only because Heddle preloads MPI by its full path."""
    lost = tmp_path / "lost"
    flags = [f"-I{prefix(mpi)}/include", f"-L{prefix(mpi)}/lib", "-Wl,--allow-shlib-undefined"]
    subprocess.run(["gcc", who[mpi].with_name("who.c"), *flags, "-lmpi", "-o", lost], check=True)
    done = heddle("run", "-n", 2, "--", lost)
    assert done.returncode == 0 and done.stdout.count(ABIS[mpi] + ",") == 2, done


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("form", ["ours", "theirs"])
def test_mpi4py_takes_the_mpi_it_is_started_with(heddle, tmp_path, mpi, form):
    script = tmp_path / "who.py"
    script.write_text(
        "from mpi4py import MPI\n"
        "import os\n"
        "mapped = {line.split('/')[-1].strip() for line in open('/proc/self/maps') if 'libheddle_' in line}\n"
        "words = [str(MPI.COMM_WORLD.size), *mapped, MPI.Get_library_version().split()[0]]\n"
        "os.write(1, (' '.join(words) + '\\n').encode())\n"  # in one write: ranks share the pipe
    )
    line = ["-n", 2, "--mpi", mpi, "--"] if form == "ours" else ["--", *launcher(mpi), "-n", 2]
    done = heddle("run", *line, sys.executable, script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2", f"{ABIS[mpi]}.so", {"mpich": "MPICH", "openmpi": "Open"}[mpi]] * 2


def test_python_script_by_its_first_line(heddle, tmp_path):
    script = tmp_path / "script"
    script.write_text(f"#!{sys.executable}\nfrom mpi4py import MPI\nimport os\nos.write(1, b'%d\\n' % MPI.COMM_WORLD.size)\n")
    script.chmod(0o755)
    assert heddle("run", "-n", 2, "--", script).stdout.split() == ["2", "2"]


def test_batch_launcher_hands_the_preload_on(heddle, who, tmp_path):
    """srun belongs to no MPI. Its processes inherit its environment."""
    srun = _script(tmp_path / "srun", 'while [ "${1#-}" != "$1" ]; do shift 2; done; exec "$@"')
    done = heddle("run", "--", "srun", "-n", "1", who["openmpi"], 7, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done.returncode == 7 and "libheddle_openmpi," in done.stdout, done
    assert srun.exists()


def test_job_script_inherits_the_preload(heddle, who, tmp_path):
    job = _script(tmp_path / "job.sh", f"{prefix('mpich')}/bin/mpiexec -n 2 {who['mpich']}")
    done = heddle("run", "--mpi", "mpich", "--", job)
    assert done.returncode == 0 and done.stdout.count("libheddle_mpich,") == 2, done


def _script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_options_behind_the_program_are_its_own(heddle):
    done = heddle("run", "-n", 1, "echo", "-n", "--help", "--mpi")
    assert done.stdout.strip() == "--help --mpi"


def test_ignores_no_signal_that_the_program_would_not(heddle):
    """Python ignores SIGPIPE, and a program that replaces it by exec would, too."""
    status = heddle("run", "--mpi", "mpich", "--", "cat", "/proc/self/status").stdout
    (ignored,) = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigIgn")]
    assert not any(ignored >> number - 1 & 1 for number in (signal.SIGPIPE, signal.SIGXFSZ)), status


@pytest.mark.parametrize("mpi", MPIS)
def test_signals_end_it(mpi, tmp_path):
    up = tmp_path / "up"
    words = [HEDDLE, "run", "-n", "1", "--mpi", mpi, "--", "sh", "-c", f"touch {up}; exec sleep 500"]
    started = subprocess.Popen(words, env=clean_environment())
    until(up.exists, started)
    started.send_signal(signal.SIGTERM)
    assert started.wait(timeout=200) != 0


class TestProblems:
    """Each problem gives a sentence with the remedy, and an exit code other than 0."""

    def say(self, done, *words: str, code: int | None = None):
        assert done.returncode != 0 if code is None else done.returncode == code, done
        assert done.stderr.startswith("heddle: ") and len(done.stderr.splitlines()) == 1, done.stderr
        for word in words:
            assert word in done.stderr

    def test_missing_program(self, heddle):
        self.say(heddle("run", "-n", 2, "--", "./no-such-program"), "there is no program", code=127)
        self.say(heddle("run", "-n", 2, "--", "no-such-program"), "on the PATH", code=127)
        self.say(heddle("run", "--", "mpiexec-no-such", "-n", 2, "true"), "on the PATH", code=127)

    def test_forgotten_dot(self, heddle, who):
        self.say(heddle("run", "who-mpich", cwd=who["mpich"].parent), "write ./who-mpich", code=127)

    def test_not_executable(self, heddle, tmp_path):
        (tmp_path / "text").write_text("text")
        self.say(heddle("run", "-n", 2, "--", tmp_path / "text"), "not an executable", code=126)
        self.say(heddle("run", "-n", 2, "--", tmp_path), "not an executable", code=126)

    def test_unknown_mpi(self, heddle, who):
        self.say(heddle("run", "--mpi", "mpi2000", "--", who["mpich"]), "mpich", "openmpi", code=2)
        self.say(heddle("run", "--mpi", "/no/such/place", "--", who["mpich"]), "/no/such/place")
        self.say(heddle("run", "--mpi", "/usr", "--", who["mpich"])) if not list(Path("/usr/bin").glob("mpiexec*")) else None

    @pytest.mark.parametrize(("mpi", "other"), [MPIS, MPIS[::-1]])
    def test_mpi_and_program_disagree(self, heddle, who, mpi, other):
        self.say(heddle("run", "-n", 2, "--mpi", other, "--", who[mpi]), f"--mpi says {other}", "Leave --mpi out")

    @pytest.mark.parametrize(("mpi", "other"), [MPIS, MPIS[::-1]])
    def test_mpi_and_program_of_a_script_disagree(self, heddle, who, mpi, other):
        """The program crashes. One line tells why."""
        done = heddle("run", "-n", 2, "--mpi", other, "--", "sh", "-c", f"exec {who[mpi]}")
        assert done.stderr.count(f"heddle run --mpi {mpi}`") == 1, done.stderr

    @pytest.mark.parametrize(("mpi", "other"), [MPIS, MPIS[::-1]])
    def test_launcher_and_program_disagree(self, heddle, who, mpi, other):
        self.say(heddle("run", "--", *launcher(other), "-n", 2, who[mpi]), "linked with", f"heddle run -n 2 -- {who[mpi]}")
        self.say(heddle("run", "--", *launcher(other), who[mpi]), "linked with", f"heddle run -n N -- {who[mpi]}")

    def test_two_mpis_in_one_job(self, heddle, who):
        self.say(heddle("run", "--", *launcher("mpich"), who["mpich"], ":", who["openmpi"]), "one job has one MPI")

    def test_ranks_given_twice(self, heddle):
        self.say(heddle("run", "-n", 2, "--", *launcher("mpich"), "-n", 2, "true"), "is a launcher", code=2)

    def test_unknown_which_mpi(self, heddle):
        self.say(heddle("run", "--", "env"), "--mpi")

    def test_mpi_without_a_build(self, heddle, tmp_path):
        """For example a program of Open MPI 2: libmpi.so.20."""
        (tmp_path / "old.c").write_text("int MPI_Init(int* a, char*** b) { return a == 0 && b == 0; }")
        (tmp_path / "app.c").write_text("int MPI_Init(int*, char***); int main(void) { return MPI_Init(0, 0); }")
        library = tmp_path / "libmpi.so.20"
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.20", tmp_path / "old.c", "-o", library], check=True)
        subprocess.run(["gcc", tmp_path / "app.c", library, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "app"], check=True)
        self.say(heddle("run", "-n", 2, "--", tmp_path / "app"), "libmpi.so.20", "no build for", "heddle mpi")
        self.say(heddle("run", "--", *launcher("mpich"), "-n", 2, tmp_path / "app"), "libmpi.so.20")

    def test_static_mpi(self, heddle, tmp_path):
        body = "int MPI_Init(int* a, char*** b) { return a == 0 && b == 0; } int main(void) { return MPI_Init(0, 0); }"
        (tmp_path / "app.c").write_text(body)
        subprocess.run(["gcc", "-static", tmp_path / "app.c", "-o", tmp_path / "app"], check=True)
        self.say(heddle("run", "-n", 2, "--", tmp_path / "app"), "statically", "shared libmpi")
        # As in real libraries: in the table of names, MPI_Init is then the end of PMPI_Init.
        profiled = body.replace("MPI_Init(int*", "PMPI_Init(int*", 1)
        weak = 'int MPI_Init(int*, char***) __attribute__((weak, alias("PMPI_Init"))); '
        (tmp_path / "app.c").write_text(profiled.replace("int main", weak + "int main"))
        subprocess.run(["gcc", tmp_path / "app.c", "-o", tmp_path / "app"], check=True)
        self.say(heddle("run", "-n", 2, "--", tmp_path / "app"), "statically", "shared libmpi")

    def test_unknown_options(self, heddle):
        for line in ("run --ranksss 2 true", "run -n many true", "run -n 0 true", "run", "no-such-command"):
            done = heddle(*line.split())
            assert done.returncode == 2 and done.stderr and not done.stdout, line


def test_families_by_file_name():
    names = {
        "libmpi.so.12": "mpich",
        "libmpich.so.12": "mpich",
        "libmpi_gnu_112.so.12": "mpich",
        "libmpi_cray.so.12": "mpich",
        "libmpi.so.40": "openmpi",
        "libmpi.so.40.40.7": "openmpi",
        "libmpi.so.0": "openmpi",
        "libmpi_abi.so.1": "abi",
    }
    assert {name: families.of_library(name).name for name in names} == names
    for name in ("libmpi.so.20", "libmpi.so.1", "libmpi_ibm.so.3", "libmpi_mt.so.4"):
        assert families.is_mpi(name) and families.of_library(name) is None
    for name in ("libmpi_cxx.so.40", "libmpi_mpifh.so.40", "libmpifort.so.12", "libmpicxx.so.12", "libmpir.so.1"):
        assert not families.is_mpi(name)


def test_a_launcher_is_asked_without_what_is_preloaded(heddle, who, mpi, tmp_path):
    """A tool for the ranks (EZTrace) may end a launcher before the launcher prints its version."""
    source = tmp_path / "ends.c"
    text = r"""
        #include <stdlib.h>
        #include <string.h>
        #include <errno.h>
        __attribute__((constructor)) static void end(void) {
          const char* name = program_invocation_short_name;
          if (!strncmp(name, "mpi", 3) || !strcmp(name, "prterun")) abort();
        }
    """
    source.write_text("#define _GNU_SOURCE\n" + text)
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", tmp_path / "ends.so"], check=True)
    done = heddle("run", "--", *launcher(mpi), "-n", 2, who[mpi], LD_PRELOAD=str(tmp_path / "ends.so"))
    assert done.returncode == 0 and done.stdout.count(f" of 2: libheddle_{mpi}, preload {tmp_path}/ends.so:") == 2, done
