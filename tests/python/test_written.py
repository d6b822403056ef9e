"""Heddle writes files that a user names completely, and does not follow links of other users."""

import os
import stat
import subprocess
import sys

import pytest
from conftest import MPIS, compiled, prefix
from heddle import written
from heddle.problem import Problem

OTHER = 65534  # the user nobody
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user's link takes root")


def test_content_is_replaced_and_rights_stay(tmp_path):
    file = tmp_path / "r.html"
    written.write(file, "one")
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~umask()
    file.chmod(0o600)
    written.write(file, "two")
    assert file.read_text() == "two" and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["r.html"]


def umask() -> int:
    os.umask(old := os.umask(0o22))
    return old


def test_a_link_of_the_user_is_followed(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "latest").symlink_to("second")
    (tmp_path / "second").symlink_to(tmp_path / "runs/42.html")
    written.write(tmp_path / "latest", "text")
    assert (tmp_path / "latest").is_symlink() and (tmp_path / "runs/42.html").read_text() == "text"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        written.write(tmp_path / "loop", "text")


@as_root
def test_a_link_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "r.html").symlink_to("victim")
    os.chown(tmp_path / "r.html", OTHER, OTHER, follow_symlinks=False)
    with pytest.raises(OSError, match="a symbolic link of another user"):
        written.write(tmp_path / "r.html", "text")
    assert (tmp_path / "victim").read_text() == "precious" and sorted(os.listdir(tmp_path)) == ["r.html", "victim"]


def test_devices_and_pipes_get_the_text():
    code = "from heddle import written; written.write('/dev/stdout', 'to a pipe'); written.write('/dev/null', 'gone')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "to a pipe" and stat.S_ISCHR(os.stat("/dev/null").st_mode)


NOT_WRITABLE = (("/dev/full", "No space left"), ("/proc/r.html", "(in /proc|may not write)"))


def test_what_can_be_written_is_known_before(tmp_path):
    """A file that exists need not be writable, because a new file takes its place."""
    (tmp_path / "r.html").write_text("one")
    (tmp_path / "r.html").chmod(0o400)
    (tmp_path / "astray").symlink_to("no/r.html")
    for file in (tmp_path / "r.html", tmp_path / "new.html", "/dev/null", "/dev/stdout"):
        written.check(file, "the page")
    for file, why in (
        (tmp_path, "that is a folder"),
        ("/no/r.html", "no folder /no"),
        (tmp_path / "astray", "no folder"),
        *NOT_WRITABLE,
    ):
        with pytest.raises(Problem, match=f"the page cannot be written to .*{why}") as problem:
            written.check(file, "the page")
        assert problem.value.code == 2
    assert sorted(os.listdir(tmp_path)) == ["astray", "r.html"]  # the check leaves no file


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("program")
    (folder / "a.c").write_text("#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n")
    return {mpi: compiled(mpi, folder / mpi, folder / "a.c") for mpi in MPIS}


@pytest.mark.parametrize("mpi", MPIS)
def test_the_library_writes_as_the_command_does(heddle, program, tmp_path, mpi):
    """Writes a report through the user's link, and a trace into a pipe. Leaves no other file."""
    (tmp_path / "latest.json").symlink_to("r.json")
    run = ("run", "--mpi", prefix(mpi), "-n", 1, "--", program[mpi])
    done = heddle(*run, HEDDLE_REPORT=str(tmp_path / "latest.json"), HEDDLE_TRACE="/dev/stdout")
    assert done.returncode == 0 and '"traceEvents":[' in done.stdout
    assert sorted(os.listdir(tmp_path)) == ["latest.json", "r.json"] and (tmp_path / "latest.json").is_symlink()


@as_root
@pytest.mark.parametrize("mpi", MPIS)
def test_the_library_refuses_a_planted_link(heddle, program, tmp_path, mpi):
    for name in ("r", "t"):
        (tmp_path / f"{name}.victim").write_text("precious")
        (tmp_path / f"{name}.json").symlink_to(f"{name}.victim")
        os.chown(tmp_path / f"{name}.json", OTHER, OTHER, follow_symlinks=False)
    run = ("run", "--mpi", prefix(mpi), "--", prefix(mpi) / "bin/mpiexec", "-n", 1, program[mpi])
    files = {f"HEDDLE_{what}": str(tmp_path / f"{what[0].lower()}.json") for what in ("REPORT", "TRACE")}
    done = heddle(*run, **files, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    assert done.returncode == 0 and done.stderr.count("it is a symbolic link of another user") == 2
    assert all((tmp_path / f"{name}.victim").read_text() == "precious" for name in ("r", "t"))
    early = heddle("run", "--mpi", prefix(mpi), "-n", 1, "--", program[mpi], HEDDLE_REPORT=files["HEDDLE_REPORT"])
    assert early.returncode == 2 and "a symbolic link of another user" in early.stderr
