"""heddle compare that is ended by a signal, and its lines on a pipe."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import HEDDLE, MPIS, clean_environment, compiled, launcher, until
from heddle import waited
from heddle.compared import runs
from heddle.launch import Command


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_files_come_back_also_if_it_is_ended(tmp_path, number):
    mine, up = tmp_path / "mine", tmp_path / "up"
    mine.write_text("precious")
    (tmp_path / "srun").write_text(f"#!/bin/sh\necho $$ > {up}.new\nmv {up}.new {up}\nexec sleep 500\n")
    (tmp_path / "srun").chmod(0o755)
    line = ["--output", mine, "--mpi", "mpich", "--", tmp_path / "srun", "true"]
    started = subprocess.Popen(
        [HEDDLE, "compare", "--rounds", "1", "--no-warm-up", "--no-calls", *line],
        env=clean_environment(),
        stderr=subprocess.PIPE,
    )
    until(up.exists, started)
    assert not mine.exists()
    started.send_signal(number)
    assert started.wait(timeout=200) != 0
    stopped = f"heddle: {number.name}: stopped after 0 of 1 rounds; there are no figures yet"
    assert started.stderr.read().decode().splitlines()[1:] == [stopped]
    assert mine.read_text() == "precious" and sorted(file.name for file in tmp_path.iterdir()) == ["mine", "srun", "up"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(up.read_text()), 0)


# Each rank notes its number, does the first runs at once, and stays in a later one. It ignores
# SIGTERM.
STAYS = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  signal(SIGTERM, SIG_IGN);
  MPI_Init(&argc, &argv);
  FILE* log = fopen(argv[1], "a");
  fprintf(log, "%d\n", (int)getpid());
  long at = ftell(log);
  fclose(log);
  MPI_Barrier(MPI_COMM_WORLD);
  int runs = 0;
  log = fopen(argv[1], "r");
  for (int c; (c = getc(log)) != EOF;) runs += c == '\n';
  if (runs > 2 * atoi(argv[2]) && at) sleep(300);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (0, "stopped in the warm-up; there are no figures yet"),
        (4, r"stopped after 1 of 7 rounds \(medians so far: .*s without Heddle, .*s with it\): no verdict"),
    ],
)
def test_a_signal_ends_it_soon_with_its_ranks_and_a_line(mpi, runs, said, tmp_path):
    """`timeout` sends the signal twice: to us, and to our group."""
    (tmp_path / "stays.c").write_text(STAYS)
    stays = compiled(mpi, tmp_path / "stays", tmp_path / "stays.c")
    line = [*launcher(mpi), "-n", 2, stays, tmp_path / "log", runs]
    started = subprocess.Popen(
        [HEDDLE, "compare", "--", *map(str, line)], env=clean_environment(), stderr=subprocess.PIPE, start_new_session=True
    )
    until(lambda: (tmp_path / "log").exists() and len((tmp_path / "log").read_text().split()) > 2 * runs + 1, started)
    started.send_signal(signal.SIGTERM)
    time.sleep(0.01)
    started.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    assert started.wait(timeout=60) == 128 + signal.SIGTERM
    assert time.monotonic() - begin < 30  # the ranks would sleep for 300 s
    assert re.fullmatch(f"heddle: SIGTERM: {said}", started.stderr.read().decode().splitlines()[-1])
    states = (Path(f"/proc/{number}/stat") for number in (tmp_path / "log").read_text().split())
    assert not [file for file in states if file.exists() and ") Z " not in file.read_text()]


def test_the_verdict_comes_before_the_runs_for_the_calls(tmp_path):
    """A script stands for the program. Its run for the calls has HEDDLE_REPORT, and stays."""
    script = tmp_path / "job.sh"
    script.write_text(f"#!/bin/sh\n[ -z $HEDDLE_REPORT ] || {{ touch {tmp_path}/calls; exec sleep 300; }}\n")
    script.chmod(0o755)
    line = ["compare", "--rounds", "6", "--no-warm-up", "--mpi", "mpich", "--", str(script)]
    with open(tmp_path / "out", "w") as out:
        started = subprocess.Popen([HEDDLE, *line], env=clean_environment(), stdout=out, stderr=subprocess.PIPE)
    until((tmp_path / "calls").exists, started)
    shown = (tmp_path / "out").read_text()
    started.send_signal(signal.SIGINT)
    assert started.wait(timeout=60) == 128 + signal.SIGINT
    assert "median" in shown and ("in 6 rounds, p = " in shown) and "stdout: the same" in shown, shown
    last = started.stderr.read().decode().splitlines()[-1]
    assert last == "heddle: SIGINT: stopped after all 6 rounds, before the calls are known"


def test_a_pipe_gets_a_line_from_time_to_time(monkeypatch, capsys):
    monkeypatch.setattr(waited, "EVERY_S", 0.05)
    with waited.Waited(lambda: "2 of 7 rounds are done") as lines:
        lines.say("16 runs")
        time.sleep(0.5)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "heddle: 16 runs" and told[1:] == ["heddle: 2 of 7 rounds are done"] * len(told[1:]) and len(told) > 2
    with waited.Waited(lambda: "a bar tells it", shown=False) as lines:
        lines.say("16 runs")
        time.sleep(0.2)
    assert not capsys.readouterr().err
    assert (waited.in_words(0.2), waited.in_words(99), waited.in_words(170)) == ("1 s", "99 s", "3 min")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_no_run_is_left_alone_if_it_is_ended_while_it_starts(monkeypatch, tmp_path, number):
    begun = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            begun.append(self.pid)
            signal.raise_signal(number)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        with monkeypatch.context() as patched, runs.Written((), None) as written, pytest.raises(KeyboardInterrupt):
            patched.setattr(subprocess, "Popen", Interrupted)
            runs.started(Command("sleep", ["sleep", "50"], dict(os.environ)), written, os.devnull, None)
        assert all(signal.getsignal(each) is interrupt for each in before)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    with pytest.raises(ProcessLookupError):
        os.kill(begun[0], 0)
