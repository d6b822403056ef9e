"""Checks whether Heddle gets into a program, and which parts of it will be in effect there.

before(words, ranks, mpi)     findings without running the program
at_init(command, seconds)     Heddle's findings at the end of MPI_Init, where the program then ends (HEDDLE_DOCTOR)
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from heddle import installations, launch, program
from heddle.checks import Finding, Verdict, bad, good, poor
from heddle.launch import Command
from heddle.problem import Problem


def before(words: list[str], ranks: int | None, mpi: str | None) -> Iterator[Finding | Command]:
    """Findings, and last the command that starts the program, unless a finding is bad. One rank,
    unless the user says more."""
    try:
        file = program.resolve(words[0])
        launched = launch.is_launcher(words[0])
        command = launch.plan(words, ranks if launched else ranks or 1, mpi)
        if not launched:
            yield _linked(file, words[0], installations.named(mpi).library if mpi else None)
    except Problem as problem:
        seen, _, mend = str(problem).partition(". ")
        yield bad(words[0], seen.rstrip("."), mend)
        return
    for word, found in _programs(words):
        if right := program.privilege(found):
            yield bad(word, f"{right}: the loader preloads nothing into it", f"run a copy: cp {found} .")
            return
    yield good("launcher", str(command.file))
    yield command


def _linked(file: Path, word: str, given: Path | None) -> Finding:
    own = launch.linked(file, [word], given)
    python = program.python_of(file) is not None
    if own:
        where = own.path or "not found by the loader itself"
        return good(word, f"{'mpi4py takes' if python else 'linked with'} {own.soname} ({where})")
    if given:
        return good(word, f"{'mpi4py takes' if python else 'linked with no MPI library; Heddle expects it to load'} {given}")
    seen = "Python, where mpi4py finds no MPI by itself" if python else "linked with no MPI library; it may load one later"
    return poor(word, seen, "name the MPI with --mpi")


def _programs(words: list[str]) -> Iterator[tuple[str, Path]]:
    for word in words:
        try:
            yield word, program.resolve(word)
        except Problem:
            continue


def at_init(command: Command, seconds: int) -> Iterator[Finding]:
    try:
        code, said = _run(command, seconds)
    except OSError as error:
        yield bad(str(command.file), f"cannot be started ({error.strerror})", "check that it starts without Heddle")
        return
    reached = list(dict.fromkeys(_finding(found) for line in said if (found := _FINDING.search(line))))
    # A check may be good on one rank and bad on another.
    poor_somewhere = {finding.what for finding in reached if finding.verdict is not Verdict.good}
    yield from (one for one in reached if one.verdict is not Verdict.good or one.what not in poor_somewhere)
    plain = dict.fromkeys(found[1] for line in said if not _FINDING.search(line) and (found := _PLAIN.search(line)))
    nothing = [text for text in plain if "no MPI_Init came to Heddle" in text]  # another program of the line may have no MPI
    plain = [text for text in plain if text not in nothing]
    yield from (poor("Heddle says", text, "") for text in ([] if reached else nothing))
    yield from (poor("Heddle says", text, "") for text in plain)
    if reached:
        if code is None:
            seen = f"does not return within {seconds} s right after MPI_Init"
            yield poor("MPI_Finalize", seen, "check that it returns without Heddle")
    elif plain:
        yield bad("MPI_Init", "did not come to Heddle", "the line above tells why")
    elif code is None:
        yield bad("MPI_Init", f"was not reached within {seconds} s", "--timeout gives the program longer")
    else:
        own = [line.strip() for line in said if line.strip(" -") and not _PLAIN.search(line)]
        last = own[-1] if own else ""
        seen = f"was not reached: the program ended with code {code}" + (f" ({last[-200:]})" if code and last else "")
        mend = "give the program the arguments and input that it needs to reach MPI_Init"
        if code == 0:  # the program ended well
            mend = "if it uses MPI: check that its launcher passes LD_PRELOAD on, and that MPI is not linked statically"
        yield bad("MPI_Init", seen, mend)


# As mpi/lifecycle/lifecycle.hpp has them. Some launchers put a rank's number before each line.
_FINDING = re.compile(r"heddle: ([✓!✗]) (.+?): (.*?)(?: → (.*))?$")
_PLAIN = re.compile(r"heddle: (.*)")


def _finding(found: re.Match) -> Finding:
    return Finding(Verdict(found[1]), found[2], found[3], found[4] or "")


def _run(command: Command, seconds: int) -> tuple[int | None, list[str]]:
    """The exit code (None: we had to end the program), and the lines of stderr."""
    with subprocess.Popen(
        command.words,
        executable=command.file,
        env=command.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            _, said = child.communicate(timeout=seconds)
            return child.returncode, said.splitlines()
        except subprocess.TimeoutExpired:
            child.terminate()  # a launcher ends its ranks
        try:
            _, said = child.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            _, said = child.communicate()
        return None, said.splitlines()
