"""srun's --export lists the variables that ranks get from srun's environment. Without LD_PRELOAD in
it, Heddle is left out. The same holds for SLURM_EXPORT_ENV of a job.

    exporting(["--export=NONE", "-n", "2", "./app"], "/heddle.so", {}, is_program)
    ["--export=LD_PRELOAD=/heddle.so", "-n", "2", "./app"]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from heddle.preload import VARIABLE, join, of_heddle, programs
from heddle.problem import Problem


def exporting(
    arguments: Sequence[str], preload: str, environment: Mapping[str, str], is_program: Callable[[str], bool]
) -> list[str]:
    """The arguments of srun with our variables among the exported ones. A line that exports
    everything stays unchanged."""
    if not preload:
        return list(arguments)
    result: list[str] = []
    for part in programs(arguments):
        result += [":"] if result else []
        result += _of_one(part, preload, environment, is_program)
    return result


def _of_one(part: list[str], preload: str, environment: Mapping[str, str], is_program: Callable[[str], bool]) -> list[str]:
    options: list[str] = []
    given = environment.get("SLURM_EXPORT_ENV", "ALL")
    words = iter(part)
    rest: list[str] = []
    for word in words:
        if word == "--export":
            given = next(words, "")
        elif word.startswith("--export="):
            given = word.partition("=")[2]
        elif word == "--" or (not word.startswith("-") and is_program(word)):
            rest = [word, *words]
        else:
            options.append(word)
    exported = _with_ours(given, preload, environment)
    return part if exported == given else [f"--export={exported}", *options, *rest]


def _with_ours(given: str, preload: str, environment: Mapping[str, str]) -> str:
    if "," in preload:
        raise Problem(
            f"srun's --export cannot name {preload!r}: commas separate names there. Move it to a folder without commas."
        )
    named = [entry for entry in given.split(",") if entry]
    everything = any(entry.upper() == "ALL" for entry in named)
    theirs = next((entry.partition("=")[2] for entry in named if entry.startswith(f"{VARIABLE}=")), None)
    if everything and theirs is None:
        return given
    ours = [f"{VARIABLE}={preload}"]
    if theirs:
        ours = [f"{VARIABLE}={join(':'.join(one for one in theirs.split(':') if one not in preload.split(':')), preload)}"]
    kept = [entry for entry in named if entry.upper() not in ("NONE", "NIL") and entry.partition("=")[0] != VARIABLE]
    known = {entry.partition("=")[0] for entry in kept}
    return ",".join([*kept, *ours, *(() if everything else (name for name in of_heddle(environment) if name not in known))])
