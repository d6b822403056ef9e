"""heddle run -n N -- SCRIPT: the MPI is that of the programs in the script, or a guess, which is
said."""

import json
import os
import stat
from pathlib import Path

import pytest
from conftest import MPIS, prefix
from heddle import installations, within
from heddle.checks import Verdict, good
from heddle.checks import program as checks


def script(path: Path, *lines: object, first: str = "#!/bin/sh") -> Path:
    path.write_text("\n".join([first, *map(str, lines), ""]))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("mpi", MPIS)
def test_a_script_takes_the_mpi_of_its_program(heddle, who, mpi, tmp_path):
    job = script(tmp_path / "job.sh", f"cd {tmp_path}", f"exec {who[mpi]} 3")
    for line in ([job], ["sh", job], ["sh", "-c", f"{who[mpi]} 3"], ["nice", who[mpi], 3]):
        done = heddle("run", "-n", 2, "--", *line)
        assert done.returncode == 3 and done.stdout.count(f" of 2: libheddle_{mpi},") == 2 and not done.stderr.count("heddle:")


@pytest.mark.parametrize("mpi", MPIS)
def test_a_guess_is_said(heddle, mpi, tmp_path):
    known = installations.find()[0]
    done = heddle("run", "-n", 1, "--", "echo", "hello")
    assert done.stdout == "hello\n" and done.stderr.count("\n") == 1
    assert f"heddle: echo is linked with no MPI library. Heddle takes {known.name} {known.version}" in done.stderr
    assert "--mpi" in done.stderr
    assert not heddle("run", "-n", 1, "--mpi", mpi, "--", "echo", "hello").stderr


def test_a_guess_is_said_each_time(heddle, tmp_path):
    """The program `heddle` remembers other lines, and says nothing about them."""
    job = script(tmp_path / "job.sh", "echo hello")
    os.utime(job, (1, 1))
    for _ in range(3):
        assert "Heddle takes" in heddle("run", "-n", 1, "--", job, HEDDLE_CACHE=str(tmp_path / "found.json")).stderr


def test_programs_of_a_script(who, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{who['mpich'].parent}:{os.environ['PATH']}")
    named = "who-mpich"

    def found(*lines: object, first: str = "#!/bin/bash -e"):
        linkage = within.named_by([str(script(tmp_path / "job", *lines, first=first))])
        return linkage and linkage.program

    assert found(named) == found(f"if true; then A=1 time {named} x; fi") == found("echo a |\\", named) == named
    assert found(f'numactl -l "{who["openmpi"]}" 3') == str(who["openmpi"])
    assert found(f"echo {named}") is found(f"# {named}") is found("$HOME/app") is found() is None
    assert found(named, first="#!/usr/bin/env sh") == named and found(named, first="#!/usr/bin/perl") is None
    assert found(f"{who['mpich']}; {who['openmpi']}") is None  # of two families


@pytest.mark.parametrize(("mpi", "other"), [MPIS, MPIS[::-1]])
def test_doctor_tells_two_families_in_a_process(heddle, who, mpi, other, tmp_path):
    """Handles of one family mean nothing to the other: such a program crashes."""
    job = script(tmp_path / "job.sh", f"exec ${{NONE}}{who[mpi]} 3")
    done = heddle("doctor", "-n", 2, "--mpi", other, "--json", "--", job)
    (bad,) = [finding for finding in json.loads(done.stdout) if finding["verdict"] == "bad"]
    assert done.returncode == 1 and "different families" in bad["seen"] and bad["mend"].endswith(f"--mpi {mpi}"), bad


def test_doctor_names_the_program_of_a_script(heddle, who, tmp_path):
    job = script(tmp_path / "job.sh", f"{who['openmpi']} 3")
    done = heddle("doctor", "-n", 2, "--json", "--", job)
    findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0 and f"starts {who['openmpi']}, which is linked with libmpi.so.40" in findings[str(job)]["seen"]
    assert "Open MPI" in findings["MPI_Init"]["seen"]


def test_one_family_is_no_fault():
    library = prefix("mpich") / "lib/libmpi.so.12"
    reached = [good("MPI_Init", f"reached, in MPICH 5.0.2 ({library})")]
    for more in ("/opt/lib/libmpi.so.12 (MPI_Send)", "/opt/libtool.so (MPI_Send)", "/opt/libmpi_abi.so.1 (MPI_Send)"):
        assert checks._told_apart([*reached, good("above Heddle", more)])[0] == reached[0]
    (only,) = checks._told_apart([*reached, good("above Heddle", "/opt/lib/libmpi.so.40 (MPI_Send)")])
    assert only.verdict is Verdict.bad and "--mpi /opt/lib/libmpi.so.40" in only.mend


def test_a_changed_script_is_read_again(heddle, who, tmp_path):
    """The program `heddle` starts a known line without Python, while the script is unchanged."""
    for mpi in (*MPIS, *MPIS):
        job = script(tmp_path / "job.sh", f"exec {who[mpi]} 3")
        os.utime(job, (1, 1))
        for _ in range(2):
            done = heddle("run", "-n", 1, "--", job, HEDDLE_CACHE=str(tmp_path / "found.json"))
            assert done.returncode == 3 and f" of 1: libheddle_{mpi}," in done.stdout, done
