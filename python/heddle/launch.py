"""Turns the words after `heddle run` into the command that starts the program: its MPI, its
launcher, its preload.

    command = plan(["./app"], ranks=4, mpi=None)
    start(["./app"], ranks=4, mpi=None)          # this process becomes the command, or stays beside it for a report

The MPI is that of --mpi, or else the libmpi that the program is linked with (or that mpi4py picks),
or else the launcher's. For a script it is the MPI of the programs in it, or else a guess, which is
printed.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections import namedtuple
from functools import cache
from pathlib import Path

from heddle import installations, lines, native, preload, program, remembered, settings, within
from heddle.families import ABI, OPENMPI
from heddle.installations import Installation, Launcher
from heddle.problem import Problem
from heddle.program import Linkage

# Launchers that belong to no MPI. Launchers called mpiexec or mpirun are asked for theirs.
_NEUTRAL = {"srun", "aprun", "jsrun", "flux", "palsrun", "lrun", "ibrun", "ccc_mprun", "mpirun_rsh", "prun"}
_ASKED = re.compile(r"(mpiexec|mpirun|orterun|prterun|mpprun)([.\-][\w.\-]+)?")


_RANKS = ("-n", "-np", "--n", "--np", "-c")  # options of launchers

EXPLAIN = "HEDDLE_EXPLAIN"
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)  # a program that replaces this process would inherit this

# `decided`: the number of the user's words on which the command depends; further words follow at
# its end. None: all. `guess`: the Installation taken for a program that names no MPI, or None.
Command = namedtuple("Command", "file words environment decided guess", defaults=(None, None))

# The MPI that ranks will have. `installation` None: not known yet. `runtimes`: of sanitizers.
Choice = namedtuple("Choice", "family library installation with_program runtimes", defaults=(None, False, ()))


def plan(words: list[str], ranks: int | None, mpi: str | None, heddle: bool = True, told: bool = True) -> Command:
    """The command to start. If `heddle` is false, it has the same program, launcher and MPI, and no
    Heddle between them. If `told`, a guessed MPI is printed on stderr."""
    command = _planned(words, ranks, mpi, heddle)
    if command.guess and told:
        _say_guess(words[0], command.guess)
    names = command.environment.get(EXPLAIN, "")
    return command._replace(environment=command.environment | {EXPLAIN: _with_places(names, words)}) if names else command


@cache  # `heddle compare` plans a line twice
def _say_guess(word: str, mpi: Installation) -> None:
    print(
        f"heddle: {word} is linked with no MPI library. Heddle takes {mpi.name} {mpi.version} ({mpi.library}) for it; "
        "--mpi names another MPI.",
        file=sys.stderr,
    )


def _with_places(names: str, words: list[str]) -> str:
    """HEDDLE_EXPLAIN, with the places of its functions and lines in the programs of a command
    line."""
    from heddle import places

    files = []
    for word in words:
        try:
            files.append(program.resolve(word))
        except Problem:
            continue
    return places.found(names, files)


def _planned(words: list[str], ranks: int | None, mpi: str | None, heddle: bool) -> Command:
    file = program.resolve(words[0])
    asked = installations.named(mpi) if mpi else None
    if is_launcher(words[0]):
        if ranks is not None:
            raise Problem(
                f"{words[0]} is a launcher: give the number of ranks to it, not to heddle "
                f"(-- {shlex.quote(words[0])} -n {ranks} ...).",
                code=2,
            )
        return _under_launcher(file, words, asked, heddle)
    own = linked(file, words, asked.library if asked else None)
    others = own is None and not program.python_of(file)  # the program may start MPI programs, or load MPI itself
    if ranks is None and others:
        return _under_wrapper(file, words, asked, heddle)
    if others and not asked:
        return _started_around(words, ranks, heddle)
    return _started(words, ranks or len(os.sched_getaffinity(0)), _choose(own, asked), heddle)


def _started_around(words: list[str], ranks: int, heddle: bool) -> Command:
    """`heddle run -n 4 -- ./job.sh`, `heddle run -n 4 -- time ./app`."""
    own = within.named_by(words)
    choice = _choose(own, None)._replace(with_program=False)  # other programs may load MPI themselves
    if own is None:
        remembered.doubt()  # the guess is printed each time
    return _started(words, ranks, choice, heddle)._replace(decided=None, guess=None if own else choice.installation)


def start(words: list[str], ranks: int | None, mpi: str | None, report: str | None = None) -> None:
    """Becomes the command of plan(). For a `report` ("": a report that is not kept) or a timeline
    this process stays beside the command, and ends as the command does."""
    if report == "" and words[0].endswith((".json", ".html")) and not program.exists(words[0]):
        raise Problem(
            f"{words[0]} is no program. The report's file comes after an equals sign: --report={shlex.quote(words[0])}", code=2
        )
    _say_who_drops_preloads(words)
    if trace := os.environ.get("HEDDLE_TRACE"):
        from heddle.reported.afterwards import check_writable

        check_writable(trace, words, "the timeline")
    settings.check_outputs(words, has_report=report is not None)
    if report is not None:
        from heddle.reported.afterwards import run

        run(words, ranks, mpi, report)
    if kept := os.environ.get("HEDDLE_REPORT"):
        from heddle.reported.afterwards import check_writable

        check_writable(kept, words)
    if trace:
        from heddle.reported.afterwards import run_with_timeline

        run_with_timeline(words, ranks, mpi)
    command = plan(words, ranks, mpi)
    lines.keep(words, command)
    for number in IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(command.file, command.words, command.environment)
    except OSError as error:
        raise Problem(f"{command.file} cannot be started ({error.strerror}).", code=126) from None


def _say_who_drops_preloads(words: list[str]) -> None:
    """Reports programs with more rights than their starter: the loader preloads nothing into them
    or their children."""
    for word in words:
        if word.startswith("-") or not program.exists(word):
            continue
        file = program.resolve(word)
        if right := program.privilege(file):
            remembered.doubt()
            print(f"heddle: {word} ({right}): the loader preloads nothing into it. It runs without Heddle.", file=sys.stderr)
        if not is_launcher(word):
            return


def is_launcher(word: str) -> bool:
    name = Path(word).name
    return name in _NEUTRAL or _ASKED.fullmatch(name) is not None


def mpi_of(file: Path) -> Launcher | None:
    """The MPI that a launcher names as its own. Only launchers by name are run for this: other
    files may be programs."""
    return installations.ask_launcher(file) if _ASKED.fullmatch(file.name) else None


def _started(words: list[str], ranks: int, choice: Choice, heddle: bool) -> Command:
    """`heddle run -n 4 -- ./app`: Heddle writes the launcher's line."""
    mpi = _with_launcher(choice)
    if mpi is None and choice.library in installations.without_launcher(installations.find()):
        raise Problem(f"{words[0]} uses {choice.library}, which {installations.ALONE}.")
    if mpi is None:
        raise Problem(
            f"{words[0]} uses {choice.library}, but there is no mpiexec beside it. Start the program with its usual launcher: "
            f"heddle run -- mpiexec -n {ranks} {shlex.quote(words[0])} ..."
        )
    environment = dict(os.environ)
    value = preload.value(choice.family, _preloaded(choice), environment.pop(preload.VARIABLE, ""), heddle, choice.runtimes)
    program_words = [words[0] if "/" not in words[0] else str(Path(words[0]).absolute()), *words[1:]]
    arguments = ["-n", str(ranks), *program_words]
    if mpi.family is OPENMPI:
        switches = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        switches += ["--oversubscribe"] if ranks > _cores() else []
        arguments = switches + preload.for_openmpi(arguments, value, environment)
    else:
        arguments = preload.for_hydra(arguments, value)
    return Command(mpi.mpiexec, [str(mpi.mpiexec), *arguments], environment, decided=1)


def _under_launcher(file: Path, words: list[str], asked: Installation | None, heddle: bool) -> Command:
    """`heddle run -- mpiexec -n 4 ./app`: the user's line, with the preload added."""
    launcher = mpi_of(file)
    beside = installations.library_beside(file, launcher.family) if launcher else None
    own, decided = _first_linkage(words, asked.library if asked else beside)
    if not asked and own and launcher and own.family and own.family is not launcher.family and not _brings(beside, own):
        raise Problem(_mismatch(words, launcher, own))
    if not asked and not own:
        if beside is None:
            raise Problem(
                f"cannot tell which MPI {' '.join(words)} will use. Name it: heddle run --mpi mpich|openmpi|PATH -- ..."
            )
        choice = Choice(launcher.family, beside)
    else:
        choice = _choose(own, asked, beside)
    environment = dict(os.environ)  # LD_PRELOAD is meant for the ranks, not for the launcher
    value = preload.value(choice.family, _preloaded(choice), environment.pop(preload.VARIABLE, ""), heddle, choice.runtimes)
    if launcher is None:  # srun and the like hand their environment on
        if file.name == "srun":
            from heddle import slurm

            words = [words[0], *slurm.exporting(words[1:], value, environment, program.exists)]
        return Command(file, words, _with(value, environment), decided)
    if launcher.family is OPENMPI:
        return Command(file, [words[0], *preload.for_openmpi(words[1:], value, environment)], environment, decided)
    return Command(file, [words[0], *preload.for_hydra(words[1:], value)], environment, decided)


def _under_wrapper(file: Path, words: list[str], asked: Installation | None, heddle: bool) -> Command:
    """`heddle run -- time ./app`, `heddle run --mpi mpich -- ./job.sh`: all programs that it starts
    inherit the preload."""
    own, decided = _first_linkage(words, asked.library if asked else None)
    if not asked and not own:
        raise Problem(
            f"{words[0]} is no MPI program and no launcher that Heddle knows. Say how many ranks to start (heddle run -n 4 -- "
            f"{shlex.quote(words[0])} ...) or which MPI it will use "
            f"(heddle run --mpi mpich|openmpi|PATH -- {shlex.quote(words[0])} ...)."
        )
    choice = _choose(own, asked)
    environment = dict(os.environ)
    value = preload.value(
        choice.family, choice.library, environment.pop(preload.VARIABLE, ""), heddle, choice.runtimes
    )  # the wrapper may start other programs
    return Command(file, words, _with(value, environment), decided)


def _with(value: str, environment: dict[str, str]) -> dict[str, str]:
    return environment | ({preload.VARIABLE: value} if value else {})


def _choose(own: Linkage | None, asked: Installation | None, beside: Path | None = None) -> Choice:
    choice = _chosen(own, asked, beside)
    return choice._replace(runtimes=own.runtimes) if own else choice


def _chosen(own: Linkage | None, asked: Installation | None, beside: Path | None) -> Choice:
    """The MPI for the ranks. Problem: the reason why there is none."""
    if own and own.family is None:
        raise Problem(
            f"{own.program} is linked with {own.soname}. Heddle has no build for this MPI (it has builds for MPICH's ABI, "
            "Open MPI 4 and 5, and the MPI standard ABI). Link the program with one of those; `heddle mpi` lists the MPIs here."
        )
    if asked:
        if own and not _sibling(asked, own):
            raise Problem(
                f"--mpi says {asked.name}, but {own.program} is linked with {own.soname}"
                f"{f' ({own.path})' if own.path else ''}. Leave --mpi out, or compile the program with "
                f"{asked.mpicc or asked.name}."
            )
        if own and own.family is not asked.family:
            return Choice(own.family, _sibling(asked, own), asked)
        same = own and own.path and own.path.resolve() == asked.library.resolve()
        return Choice(asked.family, asked.library, asked, with_program=bool(same and own.with_program))
    if own is None:
        return _default()
    library = own.path or (beside if beside and beside.name == own.soname else None)
    if library:
        return Choice(own.family, library, with_program=own.with_program)
    known = installations.find()
    for mpi in known:  # the loader does not find it, but any MPI that has it will do: it is preloaded by path
        if sibling := _sibling(mpi, own):
            return Choice(own.family, sibling, mpi)
    for alone in installations.without_launcher(known):
        if alone.name == own.soname:
            raise Problem(f"{own.program} needs {own.soname}. {alone} {installations.ALONE}.")
    raise Problem(
        f"{own.program} needs {own.soname}, which neither the loader nor `heddle mpi` finds. Name the MPI that the program was "
        f"compiled with: --mpi PATH."
    )


def _with_launcher(choice: Choice) -> Installation | None:
    """The installation that a library belongs to; None: there is no mpiexec beside it."""
    if choice.installation:
        return choice.installation
    for mpi in installations.find():
        sibling = _sibling(mpi, Linkage("", choice.library.name, choice.library))
        if sibling and sibling.resolve() == choice.library.resolve():
            return mpi
    try:
        mpi = installations.at_path(choice.library)
    except Problem:
        return None
    # Another MPI's mpiexec in the same folder would start each rank as a job of one rank.
    return mpi if choice.family in (mpi.family, ABI) else None


def _preloaded(choice: Choice) -> Path | None:
    """The MPI library that LD_PRELOAD must name beside Heddle. None: not needed."""
    return None if choice.with_program else choice.library


def _default() -> Choice:
    known = installations.find()
    if not known:
        raise Problem(f"there is no MPI on this machine. {native.MEND_MPI}, or name one: --mpi PATH.")
    return Choice(known[0].family, known[0].library, known[0])


def _sibling(mpi: Installation, own: Linkage) -> Path | None:
    """The library of that name in an installation. A library of another family counts only if it is
    the standard ABI's, which MPICH 5 brings. (Debian keeps unrelated MPIs in one folder.)"""
    if own.family not in (mpi.family, ABI):
        return None
    remembered.rests_on(mpi.library)
    for folder in (mpi.library.parent, mpi.library.resolve().parent):
        remembered.rests_on(folder / own.soname)
        if (folder / own.soname).exists():
            return folder / own.soname
    return None


def _brings(library: Path | None, own: Linkage) -> bool:
    """True: the program needs the standard ABI, and its library lies beside the launcher's."""
    if own.family is not ABI or library is None:
        return False
    remembered.rests_on(library.parent / own.soname)
    return (library.parent / own.soname).exists()


def linked(file: Path, words: list[str], library: Path | None) -> Linkage | None:
    """The MPI that a program is linked with. `library`: the preloaded MPI. mpi4py takes it unless
    it is linked with another."""
    interpreter = program.python_of(file)
    if interpreter is None:
        return program.linkage(file, words[0])
    found = program.python_linkages(interpreter, library)
    # Two libraries: this mpi4py is linked with its own, and ignores the preloaded one.
    foreign = [linkage for linkage in found if library is None or linkage.path.resolve() != library.resolve()]
    return foreign[0] if foreign else None


def _first_linkage(words: list[str], library: Path | None) -> tuple[Linkage | None, int | None]:
    """The linkage of the first program with an MPI in a launcher's line, and the number of words
    that decide (Command). Problem: the programs have different MPIs."""
    found: list[Linkage] = []
    skip = python = False
    decided = None
    for number, word in enumerate(words[1:], 2):
        if word == ":":
            skip = False
        if skip or word.startswith("-") or word.isdigit():
            continue
        try:
            file = program.resolve(word)
        except Problem:
            continue
        linkage = linked(file, [word], library)
        found += [linkage] if linkage else []
        is_python = program.python_of(file) is not None
        python = python or is_python
        skip = linkage is not None or is_python
        decided = number if skip and decided is None and ":" not in words else decided
    if found and any(linkage.family is not found[0].family for linkage in found):
        other = next(linkage for linkage in found if linkage.family is not found[0].family)
        raise Problem(f"{found[0].program} uses {found[0].soname} and {other.program} {other.soname}: one job has one MPI.")
    if not found:
        return None, decided
    runtimes = tuple(dict.fromkeys(runtime for linkage in found for runtime in linkage.runtimes))
    with_program = not python and all(linkage.with_program for linkage in found)
    return found[0]._replace(with_program=with_program, runtimes=runtimes), decided


def _mismatch(words: list[str], launcher: Launcher, own: Linkage) -> str:
    options = zip(words[1:], words[2:])
    ranks = next((number for option, number in options if option in _RANKS and number.isdigit()), "N")
    return (
        f"{words[0]} starts programs of {launcher.name} {launcher.version}, but {own.program} is linked with {own.soname}"
        f"{f' ({own.path})' if own.path else ''}. Start it with that MPI's mpiexec, or let Heddle choose: "
        f"heddle run -n {ranks} -- {shlex.quote(own.program)} ..."
    )


def _cores() -> int:
    """The number of cores, not of hardware threads: Open MPI counts cores as slots."""
    cores = set()
    for cpu in os.sched_getaffinity(0):
        topology = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        try:
            cores.add(tuple((topology / name).read_text() for name in ("physical_package_id", "core_id")))
        except OSError:
            cores.add(cpu)
    return len(cores)
