"""The native programs behind `heddle bench`: where they are, what is preloaded into them, and what they print."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

NATIVE = Path(__file__).resolve().parent.parent / "native"
FAMILIES = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}  # family: the library its programs load


class Mpi(StrEnum):
    """Which MPI to measure with."""

    mpich = "mpich"
    openmpi = "openmpi"
    both = "both"

    @property
    def families(self) -> list[str]:
        return list(FAMILIES) if self is Mpi.both else [self.value]


class With(StrEnum):
    """What stands between the program and its MPI."""

    heddle = "heddle"
    null = "null"
    nothing = "nothing"


class BenchError(Exception):
    """A bench cannot run, or found something wrong. The message says what, why and what now."""


def program(name: str, family: str) -> Path:
    path = NATIVE / "bin" / f"heddle-bench-{name}-{family}"
    if not path.is_file():
        raise BenchError(
            f"{path} is not there: this installation has no benchmarks for {family}. Run `make build` in the checkout."
        )
    return path


def loaded_mpi(path: Path, family: str) -> str:
    """The libmpi file that the program at `path` really loads."""
    listing = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        name, _, place = line.strip().partition(" => ")
        if name == FAMILIES[family] and not place.startswith("not found"):
            return place.rsplit(" (", 1)[0]
    raise BenchError(
        f"{path} does not find {FAMILIES[family]}. Put its folder into LD_LIBRARY_PATH, or run `make build` again."
    )


def environment(path: Path, family: str, between: With) -> dict[str, str]:
    """The environment in which the program runs under Heddle, the null Heddle, or nothing."""
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if between is With.nothing:
        return env
    library = NATIVE / "lib" / f"libheddle_{'null_' if between is With.null else ''}{family}.so"
    if not library.is_file():
        raise BenchError(f"{library} is not there. Run `make build` in the checkout.")
    return env | {"LD_PRELOAD": f"{library}:{loaded_mpi(path, family)}"}


def lines(name: str, family: str, between: With, arguments: list[str]) -> Iterator[dict]:
    """Runs heddle-bench-NAME as an MPI singleton; yields the JSON lines it prints, as it prints them."""
    path = program(name, family)
    env = environment(path, family, between)
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(
            [str(path), *arguments], stdout=subprocess.PIPE, stderr=errors, env=env, text=True
        ) as process:
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
            raise BenchError(f"{path.name} failed: {what}")
