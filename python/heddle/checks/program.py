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

from heddle import families, installations, launch, program, within
from heddle.checks import Finding, Verdict, bad, good, poor
from heddle.installations import Installation
from heddle.launch import Command
from heddle.problem import Problem


def before(words: list[str], ranks: int | None, mpi: str | None) -> Iterator[Finding | Command]:
    """Findings, and last the command that starts the program, unless a finding is bad. One rank,
    unless the user says more."""
    try:
        file = program.resolve(words[0])
        launched = launch.is_launcher(words[0])
        command = launch.plan(words, ranks if launched else ranks or 1, mpi, told=False)
        if not launched:
            yield _linked(file, words, installations.named(mpi).library if mpi else None, command.guess)
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


def _linked(file: Path, words: list[str], given: Path | None, guess: Installation | None) -> Finding:
    word = words[0]
    own = launch.linked(file, [word], given)
    python = program.python_of(file) is not None
    if own:
        return good(word, f"{'mpi4py takes' if python else 'linked with'} {_library(own)}")
    if given:
        return good(word, f"{'mpi4py takes' if python else 'linked with no MPI library; Heddle expects it to load'} {given}")
    if python:
        return poor(word, "Python, where mpi4py finds no MPI by itself", "name the MPI with --mpi")
    if other := within.named_by(words):
        return good(word, f"starts {other.program}, which is linked with {_library(other)}")
    taken = f"; Heddle takes {guess.name} {guess.version} ({guess.library}) for it" if guess else ""
    return poor(word, f"linked with no MPI library; it may load one later{taken}", "name the MPI with --mpi")


def _library(linkage: program.Linkage) -> str:
    return f"{linkage.soname} ({linkage.path or 'not found by the loader itself'})"


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
    reached = _told_apart(list(dict.fromkeys(_finding(found) for line in said if (found := _FINDING.search(line)))))
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


# The library that answers, and further libraries with procedures of MPI.
_ANSWERS = re.compile(r"^reached, in .* \((/.*)\)$")
_ABOVE = ("above Heddle", "not called", "receives")
_FURTHER = re.compile(r"/[^\s():,]+")


def _told_apart(reached: list[Finding]) -> list[Finding]:
    """The findings. If the process has MPI libraries of two families, they become one bad finding:
    handles of one family are garbage to the other."""
    ours = next((found[1] for one in reached if (found := _ANSWERS.match(one.seen))), "")
    family = _family(ours)
    for one in reached if family else ():
        for other in _FURTHER.findall(one.seen) if one.what in _ABOVE else ():
            if _family(other) not in (None, family):
                seen = f"the program has {other}, but {ours} answers its calls: they are of different families"
                return [bad("MPI", seen, f"name the program's MPI: --mpi {_name(Path(other))}")]
    return reached


def _family(file: str) -> families.Family | None:
    """MPICH's or Open MPI's. A library of the standard ABI may stand upon another library."""
    found = families.of_library(Path(file).name)
    return found if found is not families.ABI else None


def _name(library: Path) -> str:
    """The value of --mpi for a library."""
    for mpi in installations.find():
        if mpi.library.resolve() == library.resolve():
            return mpi.name
    try:
        return str(installations.at_path(library).mpiexec.parent.parent)
    except Problem:
        return str(library)


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
