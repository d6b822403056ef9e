"""heddle run --report: the program runs as usual, and some lines at the end report on MPI and
Heddle."""

import json
import os
import shlex
import signal
import socket
import subprocess
from dataclasses import replace

import pytest
from conftest import COLUMNS, HEDDLE, clean_environment, compiled, launcher, prefix, until
from heddle.commands.run import spelled_out
from heddle.reported import Communicator, Found, Procedure, Row, Site
from heddle.reported.afterwards import check_writable, lines
from heddle.reported.carried import DIFFER, nothing
from heddle.reported.lines import Place


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp(mpi)
    (folder / "a.c").write_text(COLUMNS)
    return compiled(mpi, folder / "a.out", folder / "a.c")


BUSY = "The machine was busy: "  # on the machine of these tests it often is


def said(done) -> list[str]:
    return [line for line in done.stderr.splitlines() if line.startswith("heddle: ")]


@pytest.mark.parametrize("form", ["ours", "theirs"])
def test_some_lines_and_the_programs_own_all(heddle, mpi, program, tmp_path, form):
    line = ["-n", 2, "--", program] if form == "ours" else ["--", *launcher(mpi), "-n", 2, program]
    done = heddle("run", "--report", *line, 3, "input", stdin="a line\n", TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "read a line\n"), done
    text = "\n".join(said(done))
    assert (
        5 <= len([line for line in said(done) if BUSY not in line]) <= 9
        and "s in all; of " in text
        and " a rank spent " in text
    ), done
    (send,) = [line for line in said(done) if line.startswith("heddle:   MPI_Send in ")]
    assert send.endswith(" 10 calls") and send.split()[-3] == "%", done
    assert "sent 640 KiB in 10 messages, received 640 KiB in 10 messages, with holes" in text and "MPI_Send" in text
    assert f"heddle compare {shlex.join(map(str, line))} 3 input measures it" in text
    assert not list(tmp_path.glob("heddle-report-*"))


def test_a_name_that_tells_jobs_apart(heddle, program, tmp_path):
    """Files of other jobs stay, and are not taken for this job's report."""
    (tmp_path / "80-old.json").write_text("{}")
    named = {"HEDDLE_REPORT": str(tmp_path / "%j-%h.json"), "SLURM_JOB_ID": "81"}
    done = heddle("run", "--report", "-n", 2, "--", program, **named)
    assert f"81-{socket.gethostname()}.json shows more" in said(done)[0], done.stderr


def test_a_file_stays_for_heddle_report(heddle, mpi, program, tmp_path):
    done = heddle("run", "--report=r.json", "-n2", "--", program, cwd=tmp_path)  # the command line reads -n2 by its slow path
    assert done.returncode == 0 and "heddle report r.json shows more" in said(done)[0], done
    assert json.loads((tmp_path / "r.json").read_text())["ranks"] == 2
    assert "MPI_Send" in heddle("report", tmp_path / "r.json").stdout
    done = heddle("run", "--report", "-n", 2, "--", program, HEDDLE_REPORT=str(tmp_path / "named.json"))
    assert "named.json shows more" in said(done)[0] and (tmp_path / "named.json").exists()


def test_without_a_report_that_is_said_and_an_old_one_is_not_shown(heddle, mpi, program, tmp_path):
    (tmp_path / "r.json").write_text('{"heddle_report": 1, "ranks": 2, "rows": []}')
    done = heddle("run", f"--report={tmp_path / 'r.json'}", "-n", 2, "--", program, -1)
    assert done.returncode != 0 and "did not reach MPI_Finalize" in "\n".join(said(done)), done


def test_off_has_nothing_to_carry(heddle, mpi, program):
    done = heddle("run", "--report", "-n", 2, "--", program, HEDDLE="off")
    assert done.returncode == 0 and "Heddle was off" in done.stderr and "MPI_Send" in done.stderr, done


def test_a_busy_machine_is_told_once_at_the_end(heddle, mpi, program):
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as other:
        try:
            # Heddle says nothing of runs that end within 0.2 s.
            done = heddle("run", "--report", "--", *launcher(mpi), "-n", 2, "sh", "-c", f"sleep 0.5; exec {program}")
        finally:
            other.kill()
    assert [BUSY in line for line in said(done)] == [*[False] * (len(said(done)) - 1), True], done
    assert "other processes used " in said(done)[-1] and said(done)[-1].endswith(" before the first run."), done


def test_without_it_there_is_no_line(heddle, mpi, program):
    assert not heddle("run", "-n", 2, "--", program).stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_signals_are_the_programs(number, tmp_path):
    (tmp_path / "srun").write_text(
        f"#!/bin/sh\ntrap 'exit 9' {number.name[3:]}\ntouch {tmp_path}/up\nwhile :; do sleep 0.1; done\n"
    )
    (tmp_path / "srun").chmod(0o755)
    words = [HEDDLE, "run", "--report", "--mpi", "mpich", "--", tmp_path / "srun", "true"]
    started = subprocess.Popen(words, env=clean_environment(), stderr=subprocess.PIPE, text=True)
    until((tmp_path / "up").exists, started)
    started.send_signal(number)
    assert started.wait(timeout=200) == 9
    text = started.stderr.read()
    ends = number == signal.SIGTERM
    assert "there is no report" in text and (f"{number.name} came during the run" in text) == ends, text


INTERRUPTED = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t over;
static void end(int number) { over = number; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  signal(SIGINT, end);
  fclose(fopen(argv[1], "w"));
  while (!over) usleep(10000);
  MPI_Finalize();
  return 0;
}
"""


def test_a_run_that_was_interrupted_is_said_to_be(mpi, tmp_path):
    """The program ends by itself after Ctrl-C in a terminal, whose signal all processes get."""
    (tmp_path / "a.c").write_text(INTERRUPTED)
    program, up = compiled(mpi, tmp_path / "a.out", tmp_path / "a.c"), tmp_path / "up"
    (tmp_path / "job.sh").write_text(f"trap : INT\n{program} {up} &\nwait $!\nkill -INT $!\nwait $!\n")
    words = [HEDDLE, "run", "--report", "--mpi", prefix(mpi), "--", "sh", tmp_path / "job.sh"]  # one rank, as a singleton
    started = subprocess.Popen(words, env=clean_environment(), stderr=subprocess.PIPE, text=True, start_new_session=True)
    until(up.exists, started)
    os.killpg(started.pid, signal.SIGINT)
    assert started.wait(timeout=200) == 0
    text = started.stderr.read()
    assert "heddle: SIGINT came during the run, so the report may have only a part of it" in text, text
    assert "from MPI_Init to MPI_Finalize" in text and "next: " not in text, text


def test_who_is_killed_is_seen_to_be(heddle, tmp_path):
    (tmp_path / "srun").write_text("#!/bin/sh\nkill -KILL $$\n")
    (tmp_path / "srun").chmod(0o755)
    assert heddle("run", "--report", "--mpi", "mpich", "--", tmp_path / "srun", "true").returncode == -signal.SIGKILL


def test_mistakes_are_told_as_without_it(heddle):
    done = heddle("run", "--report", "-n", "many", "true")
    assert done.returncode == 2 and "--ranks" in done.stderr
    done = heddle("run", "--report", "-n", 2, "--", "./no-such-program")
    assert done.returncode == 127 and done.stderr.startswith("heddle: there is no program")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--report", "r.json"), "--report=r.json"),
        (("--report=/no-such-folder/r.json",), "there is no folder /no-such-folder"),
        (("--report=/",), "that is a folder"),
        (("--report=/dev/full",), "No space left on device"),
        (("--report=/proc/r.json",), "/proc"),
        (("HEDDLE_REPORT=/no-such-folder/r.json",), "there is no folder /no-such-folder"),
        (("HEDDLE_REPORT=/no-such-folder/r.json", "--report"), "there is no folder /no-such-folder"),
        (("HEDDLE_TRACE=/no-such-folder/t.json",), "the timeline cannot be written to /no-such-folder/t.json"),
        (("HEDDLE_TRACE=/no-such-folder/t.json", "--report"), "the timeline cannot be written to /no-such-folder/t.json"),
    ],
)
def test_a_report_that_cannot_be_written_is_told_before_the_program_runs(heddle, words, said, tmp_path):
    variables = dict([words[0].split("=")]) if words[0].startswith("HEDDLE") else {}
    options = words[1:] if variables else words
    done = heddle("run", *options, "-n", 1, "--", "touch", tmp_path / "ran", cwd=tmp_path, **variables)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done
    assert not (tmp_path / "ran").exists()


def test_a_report_that_is_lost_is_not_told_to_have_another_cause(heddle, mpi, program):
    """A launcher's ranks may see other folders, so nothing is checked before the run."""
    for option, variables in (("--report=/dev/full", {}), ("--report", {"HEDDLE_REPORT": "/dev/full"})):
        done = heddle("run", option, "--", *launcher(mpi), "-n", 2, program, **variables)
        first, second = said(done)
        named = "HEDDLE_REPORT" if variables else "--report"
        assert "the report is lost" in first and f"No space left on device. {named}=FILE names another file" in second, done
        assert "MPI_Finalize" not in done.stderr, done


@pytest.mark.parametrize(
    ("words", "plain"),
    [
        ("--report -n4 ./a", "--report= -n4 ./a"),
        ("-n4 --report ./a", "-n4 --report= ./a"),
        ("--report=x -n4 ./a --report", "--report=x -n4 ./a --report"),
        ("-n4 -- ./a --report", "-n4 -- ./a --report"),
        ("-n4 -- --report", "-n4 -- --report"),
        ("-np 4 --report ./a", "-np 4 --report= ./a"),
        ("--mpi --report ./a", "--mpi --report ./a"),
        ("./a --report", "./a --report"),
    ],
)
def test_the_option_without_a_file(words, plain):
    assert spelled_out(words.split()) == plain.split()


def row(**more) -> Row:
    plain = {"call": "send", "datatype": "block 8", "way": "packed", "ranks": 2, "calls": 10, "bytes": 2048}
    return Row(**plain | {"times": {"search": 0.0, "pack": 2000.0, "wait": 0.0, "copy": 0.0}} | more)


def test_lines(monkeypatch):
    rows = [
        row(datatype="loop " * 30),
        row(call="receive"),
        row(call="gather", way="unpacked"),
        row(way="native", bytes=1 << 40),
    ]
    monkeypatch.setenv("HEDDLE_PROFILE", "builtin")
    calls = [Procedure(f"MPI_{i}", 2, 10 + i, 4e6 - i * 1e6) for i in range(4)]
    found = Found(2, rows, [Communicator("MPI_Comm_dup", "identity", 2, 0, 0, 8, 16, 1)], calls, 10e6)
    text = lines(found, 12.0, "r.json")
    assert text[0] == (
        "12 s in all; of 10 s from MPI_Init to MPI_Finalize a rank spent 5 s in MPI (50 %). heddle report r.json shows more"
    )
    assert text[1:5] == [
        "most time in MPI (mean of a rank, share of the run; calls of all ranks)",
        "  MPI_0    2 s  20.0 %  10 calls",
        "  MPI_1  1.5 s  15.0 %  11 calls",
        "  MPI_2    1 s  10.0 %  12 calls",
    ]
    assert text[5] == "carried: sent 2 KiB in 10 messages, received 4 KiB in 20 messages, with holes, on 2 ranks" + DIFFER
    assert text[6].startswith("no estimate of the gain (there is no profile of this machine") and len(text) <= 8


def test_one_place_is_named_once():
    """Its calls may have different arguments, and the compiler may make several calls from one."""
    work, rest = (Place("/no/app", f"0x{i}", "work") for i in (1, 2))
    sites = [
        Site("MPI_Send", 2, 10, us, place=place, datatype_name=name)
        for us, place, name in ((6e3, rest, ""), (4e3, work, "face"), (3e3, work, "edge"))
    ]
    said = lines(Found(2, [], [], [], sites=sites), 1.0)
    assert [line.split() for line in said if line.startswith("  MPI_")] == [
        ["MPI_Send", "in", "work", "(app+0x1)", "3.5", "ms", "20", "calls"],
        ["MPI_Send", "in", "work", "(app+0x2)", "3", "ms", "10", "calls"],
    ]


def test_lines_of_nothing():
    assert len(lines(Found(1, [], []), 1.0)) == 2


def test_what_was_carried_without_holes():
    """Collectives by Heddle's algorithms, and calls that were left to the library."""
    calls = [Procedure("MPI_Allgatherv", 2, 10, 5.0, carried=10), Procedure("MPI_Bcast", 2, 4, 5.0, passed={"no holes": 4})]
    said = lines(Found(2, [], [], calls), 1.0)
    assert "carried: 10 calls of MPI_Allgatherv, on 2 ranks; no message with holes" in said
    assert "handed on to the MPI library: 4 MPI_Bcast (no holes)" in said
    mixed = [row(blocks=100), row(call="receive", blocks=10)]
    assert "received 2 KiB in 10 messages, with holes and in one piece, on 2 ranks" in lines(Found(2, mixed, []), 1.0)[1]


def test_all_calls_that_were_handed_on_are_named_also_beside_carried_data():
    sends = Procedure("MPI_Isend", 2, 1200, 5.0, carried=10, passed={"too little": 1600, "no holes": 800})
    others = [Procedure("MPI_Irecv", 2, 800, 5.0, passed={"too little": 800}), Procedure("MPI_Bcast", 2, 3, 5.0)]
    others += [Procedure("MPI_Reduce", 2, 9, 5.0, passed={"by nature": 9})]
    handed = "handed on to the MPI library: 2,400 MPI_Isend, MPI_Irecv (too little), 800 MPI_Isend (no holes)"
    found = Found(2, [row(), row(call="receive")], [], [sends, *others])
    assert handed in lines(found, 1.0) and "carried: sent 2 KiB in 10 messages, received" in "\n".join(lines(found, 1.0))
    nobody = Found(2, [], [], [replace(sends, carried=0), *others])
    assert "carried: nothing, on 2 ranks" in lines(nobody, 1.0) and handed in lines(nobody, 1.0)
    assert nothing(nobody) == f"2 ranks. H{handed[1:]}."
    plain = Found(2, [], [], [replace(sends, carried=0, passed={"no holes": 3})])
    assert nothing(plain) == "2 ranks, and no message with holes in it. Handed on to the MPI library: 3 MPI_Isend (no holes)."
    assert not [line for line in lines(replace(found, heddle="off"), 1.0) if line.startswith("handed on")]


def test_sent_and_received_may_differ_and_accesses_are_no_messages():
    def said(*rows):
        (line,) = [line for line in lines(Found(2, list(rows), []), 1.0) if line.startswith("carried: ")]
        return line

    assert said(row(), row(call="receive")).endswith("with holes, on 2 ranks")
    assert said(row(), row(call="receive", bytes=1024)).endswith(DIFFER)
    assert said(row()) == "carried: sent 2 KiB in 10 messages, with holes, on 2 ranks" + DIFFER
    assert said(row(call="receive")).startswith("carried: received 2 KiB in 10 messages, with holes, on")
    file = row(call="file write", way="file", calls=20, bytes=80 << 20)
    assert said(file) == "carried: wrote 80 MiB in 20 file accesses, with holes, on 2 ranks"
    window = row(call="get", way="window", calls=3)
    moved = "sent 2 KiB in 10 messages, received 2 KiB in 10 messages, wrote 80 MiB in 20 file accesses"
    assert said(row(), row(call="receive"), file, window).startswith(
        f"carried: {moved}, got 2 KiB in 3 one-sided accesses, with"
    )


def test_the_layout_of_a_file_access_is_that_of_the_view():
    """The call names the datatype in memory."""
    assert row(call="file write", way="file", datatype_name="MPI_DOUBLE").title == "view of the file: 1 block of 8 B"
    assert row(call="file write", way="packed", datatype_name="mine").title == "mine: 1 block of 8 B"


def test_a_place_that_only_the_ranks_know_is_not_looked_at():
    check_writable("/no-such-folder/%j/r.json", ["./app"])
    check_writable("/no-such-folder/r.json", ["mpiexec", "./app"])
