"""The sentences of the commands: nouns in the singular, commands to copy, known causes."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import compiled, prefix
from heddle.compared import Calls, Carried, Compared, Site
from heddle.compared import text as comparison
from heddle.reported import Found, Row
from heddle.reported.afterwards import lines
from heddle.reported.carried import carried
from heddle.reported.words import counted

# Calls MPI_Allreduce once, and exits with the given code. A negative code: without MPI_Finalize.
ONE = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int in = 1, out;
  MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int code = argc > 1 ? atoi(argv[1]) : 0;
  if (code < 0) _exit(-code);
  MPI_Finalize();
  return code;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "one.c").write_text(ONE)
    return compiled("mpich", folder / "one", "-g", folder / "one.c")


def test_one_of_a_kind_is_singular():
    assert [counted(n, "file access", "file accesses") for n in (0, 1, 2000)] == [
        "0 file accesses",
        "1 file access",
        "2,000 file accesses",
    ]
    times = dict.fromkeys(("search", "pack", "wait", "copy"), 1.0)
    row = Row("send", "loop 2 × 8 B { block 4 }", "packed", 1, 1, 8, times, procedure="MPI_Send", blocks=2)
    one = Found(1, [row], [])
    assert carried(one).startswith("carried: sent 8 B in 1 message, with holes, on 1 rank;")
    assert "on 1 rank" in carried(replace(one, rows=[]))


def test_a_run_of_one_rank(heddle, program):
    done = heddle("run", "--report", "-n", 1, "--mpi", prefix("mpich"), "--", program)
    assert "  1 call\n" in done.stderr and not re.search(r"\b1 (calls|ranks|messages)", done.stderr), done


def test_a_command_to_copy_is_quoted(heddle, program, tmp_path):
    words = ("-n", 1, "--mpi", prefix("mpich"), "--", program)
    done = heddle("run", "--report=my re'port.json", *words, cwd=tmp_path)
    command = re.search(r"\. (heddle report .*) shows more", done.stderr)[1]
    assert subprocess.run(["sh", "-c", f"test -f {command.removeprefix('heddle report ')}"], cwd=tmp_path).returncode == 0
    assert "heddle report 'a b.json' shows more" in lines(Found(1, [], []), 1, "a b.json")[0]
    assert "--report='no such.json' --" in heddle("report", "no such.json", cwd=tmp_path).stderr


def test_a_report_on_stdout(heddle, program):
    words = ("run", "--report=/dev/stdout", "-n", 1, "--mpi", prefix("mpich"), "--", program)
    done = heddle(*words)
    assert done.returncode == 0 and "the report goes to /dev/stdout" in done.stderr and "no report" not in done.stderr, done
    assert json.loads(done.stdout)["heddle_report"]


@pytest.mark.parametrize("code", [5, -5])
def test_the_exit_status_is_named(heddle, code, program):
    """A program that ends with status 5 behind MPI_Finalize has a report."""
    done = heddle("run", "--report", "-n", 1, "--mpi", prefix("mpich"), "--", program, code)
    assert done.returncode == 5, done
    named = "there is no report: the run ended with exit status 5, so the program probably did not reach" in done.stderr
    assert named == (code < 0), done


def test_the_signal_is_named(heddle, tmp_path):
    job = tmp_path / "srun"
    job.write_text("#!/bin/sh\nkill -SEGV $$\n")
    job.chmod(0o755)
    done = heddle("run", "--report", "--mpi", prefix("mpich"), "--", job, "true")
    assert "there is no report: SIGSEGV killed the run" in done.stderr and "heddle doctor" in done.stderr, done
    job.write_text("#!/bin/sh\nexit 139\n")
    done = heddle("run", "--report", "--mpi", prefix("mpich"), "--", job, "true")
    assert "the run ended with exit status 139 (SIGSEGV)" in done.stderr, done


def test_a_program_without_mpi_is_named(heddle):
    done = heddle("run", "--report", "-n", 1, "--mpi", prefix("mpich"), "--", "true")
    assert done.returncode == 0 and "there is no report: true is linked with no MPI library. If it starts" in done.stderr, done


def test_a_comparison_is_no_report(heddle, tmp_path):
    (tmp_path / "c.json").write_text('{"heddle_compare": 2}')
    done = heddle("report", tmp_path / "c.json")
    assert done.returncode == 1 and "is the JSON of a comparison" in done.stderr and "missing" not in done.stderr, done


def test_a_comparison_says_that_it_has_more_rows(capsys):
    calls = [Calls(f"MPI_{i}", 1, 1.0, 1.0) for i in range(11)]
    sites = [Site(f"MPI_{i}", 1, 1.0, 1.0, place=f"f (a.c:{i})") for i in range(12)]
    rows = [Carried("send", "block 4", "packed", 1, 4, 1.0) for _ in range(10)]
    facts = dict.fromkeys(("command", "mpi", "date", "heddle", "machine"), "")
    comparison.show_calls(Compared(**facts, settings={}, rounds=[], calls=calls, sites=sites, carried=rows))
    said = capsys.readouterr().out
    assert "… 1 more row;" in said and "… 2 more rows;" in said and said.count("more row") == 2, said
