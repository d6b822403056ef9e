"""The native programs behind `heddle bench`: their places, preloaded libraries and output."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from heddle import families, native, preload
from heddle.families import Family
from heddle.problem import Problem


class Mpi(StrEnum):
    """The MPI to measure with."""

    mpich = "mpich"
    openmpi = "openmpi"
    both = "both"

    @property
    def families(self) -> list[Family]:
        return [families.by_name(mpi.value) for mpi in (Mpi.mpich, Mpi.openmpi) if self in (mpi, Mpi.both)]


class With(StrEnum):
    """The library between the program and its MPI."""

    heddle = "heddle"
    null = "null"
    nothing = "nothing"


def loaded_mpi(program: Path, family: Family) -> Path:
    """The libmpi file that the program really loads."""
    listing = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        name, _, place = line.strip().partition(" => ")
        if families.of_library(name) is family and not place.startswith("not found"):
            return Path(place.rsplit(" (", 1)[0])
    raise Problem(f"{program} does not find its MPI. Run `make programs` again, or put libmpi's folder into LD_LIBRARY_PATH.")


def environment(program: Path, family: Family, between: With) -> dict[str, str]:
    """The environment in which the program runs under Heddle, the null Heddle, or nothing."""
    env = {name: value for name, value in os.environ.items() if name != preload.VARIABLE}
    if between is With.heddle:
        env[preload.VARIABLE] = preload.value(family, loaded_mpi(program, family))
    elif between is With.null:
        env[preload.VARIABLE] = str(native.FOLDER / "lib" / f"libheddle_null_{family.name}.so")
    return env


def lines(name: str, family: Family, between: With, arguments: list[str]) -> Iterator[dict]:
    """Runs heddle-bench-NAME as an MPI singleton; yields the JSON lines it prints, as it prints
    them."""
    program = native.program(f"heddle-bench-{name}-{family.name}")
    env = environment(program, family, between)
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=errors, env=env, text=True) as process:
            try:
                for line in process.stdout:
                    if line.startswith("{"):
                        yield json.loads(line)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            errors.seek(0)
            what = errors.read().strip() or f"it ended with code {process.returncode}"
            raise Problem(f"{program.name} failed: {what}")
