"""LD_PRELOAD for ranks: the interposer and, if needed, the program's libmpi right behind it. The
runtime of a sanitizer stands before both: a program built with AddressSanitizer ends at once if
another library comes first.

The interposer is linked with no MPI, so one build serves a whole family. Its PMPI_ calls need
libmpi, so libmpi is preloaded if a program loads MPI privately (as mpi4py does). A program that is
linked with libmpi has it anyway. There a preloaded libmpi would stand before a profiling library
that is linked in between.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from heddle import native
from heddle.families import Family
from heddle.problem import Problem

VARIABLE = "LD_PRELOAD"
# Words of a launcher's line that the procedures below change, or that divide it.
WITH_MEANING = frozenset((":", "-x", "--x", "-genv", "-env", "--genv", "--env"))


def value(family: Family, library: Path | None, before: str = "", heddle: bool = True, runtimes: Sequence[Path] = ()) -> str:
    """The value of LD_PRELOAD. `library` None: the program has it. Libraries that the variable
    named `before` stay before Heddle, and `runtimes` of sanitizers stand before all. Without
    `heddle`: the same without Heddle, perhaps empty."""
    ours = ([str(native.interposer(family))] if heddle else []) + ([str(library)] if library else [])
    first = [str(runtime) for runtime in runtimes] if ours else []
    for path in first + ours:
        if any(separator in path for separator in " :\t"):
            raise Problem(
                f"LD_PRELOAD cannot name {path!r}: blanks and colons separate names there. Move it to a folder without them."
            )
    kept = [entry for entry in before.replace(":", " ").split() if "libheddle_" not in entry and entry not in ours]
    named = {Path(entry).name for entry in kept}  # if the user names a runtime, it stays
    return ":".join([path for path in first if Path(path).name not in named] + kept + ours)


def for_openmpi(arguments: Sequence[str], preload: str, environment: Mapping[str, str]) -> list[str]:
    """The arguments of mpirun, with -x for each program. Other nodes would not get our environment
    otherwise."""
    if not preload:
        return list(arguments)
    ours = of_heddle(environment)
    result: list[str] = []
    for part in programs(arguments):
        part, theirs = _without_export(part)
        result += [":"] if result else []
        result += ["-x", f"{VARIABLE}={join(theirs, preload)}"]
        for name in ours:
            result += ["-x", name] if not _exports(part, name) else []
        result += part
    return result


def for_hydra(arguments: Sequence[str], preload: str) -> list[str]:
    """The arguments of mpiexec, with -genv. Our libraries are appended to the user's own setting of
    LD_PRELOAD."""
    if not preload:
        return list(arguments)
    result: list[str] = []
    words = iter(arguments)
    joined = False
    for word in words:
        result.append(word)
        if word in ("-genv", "-env", "--genv", "--env"):
            result += [name := next(words, ""), next(words, "")]
            if name == VARIABLE:
                result[-1] = join(result[-1], preload)
                joined = joined or "genv" in word
    return result if joined else ["-genv", VARIABLE, preload, *result]


def of_heddle(environment: Mapping[str, str]) -> list[str]:
    """The names of the HEDDLE_ variables, which ranks must get."""
    return sorted(name for name in environment if name == "HEDDLE" or name.startswith("HEDDLE_"))


def join(first: str, second: str) -> str:
    return f"{first}:{second}" if first else second


def programs(arguments: Sequence[str]) -> list[list[str]]:
    """Splits `-n 1 ./a : -n 2 ./b` into its parts."""
    parts: list[list[str]] = [[]]
    for word in arguments:
        if word == ":":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _without_export(arguments: list[str]) -> tuple[list[str], str]:
    """The arguments without `-x LD_PRELOAD[=value]`, and the value of LD_PRELOAD."""
    rest: list[str] = []
    theirs = ""
    words = iter(arguments)
    for word in words:
        if word in ("-x", "--x"):
            setting = next(words, "")
            name, _, given = setting.partition("=")
            if name == VARIABLE:
                theirs = given or os.environ.get(VARIABLE, "")
                continue
            rest += [word, setting]
        else:
            rest.append(word)
    return rest, theirs


def _exports(arguments: list[str], name: str) -> bool:
    return any(
        word in ("-x", "--x") and following.partition("=")[0] == name for word, following in zip(arguments, arguments[1:])
    )
