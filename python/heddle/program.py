"""The MPI that a program uses. For an executable, the loader decides; for a Python program,
mpi4py."""

from __future__ import annotations

import os
import re
from collections import namedtuple
from pathlib import Path

from heddle import elf, families, remembered
from heddle.families import Family
from heddle.near import NoProgram, no_executable
from heddle.problem import Problem
from heddle.remembered import Found

# Runtimes of sanitizers as libraries: gcc's, clang's with -shared-libasan. A runtime inside the
# program needs no preload.
_RUNTIME = re.compile(r"lib(asan|hwasan|lsan|tsan|ubsan)\.so\b|libclang_rt\.[\w.-]*(asan|lsan|tsan|ubsan)[\w.-]*\.so\b")


class Linkage(namedtuple("Linkage", "program soname path with_program runtimes", defaults=(False, ()))):
    """`path` None: the loader does not find the library by itself. `with_program`: the loader loads
    the library with the program, so that all objects see it. This does not hold for Python's
    imports. `runtimes`: runtime libraries of the sanitizers that the program was built with."""

    __slots__ = ()

    @property
    def family(self) -> Family | None:
        return families.of_library(self.soname)


def resolve(word: str) -> Path:
    """The file that a shell would start for this word."""
    if "/" in word:
        path = Path(word)
        remembered.rests_on(path)
        if not path.exists():
            raise NoProgram(word)
        if path.is_dir() or not os.access(path, os.X_OK):
            raise Problem(no_executable(word), code=126)
        return path
    found = _on_path(word)
    if found is None:
        raise NoProgram(word)
    return Path(found)


def _on_path(word: str) -> str | None:
    import shutil

    found = shutil.which(word)
    if "/" in word:
        remembered.rests_on(word)
    elif "PATH" not in os.environ:
        remembered.doubt()
    else:
        files = [os.path.join(folder, word) for folder in os.environ["PATH"].split(":")]
        remembered.rests_on(*files[: files.index(found) + 1 if found in files else len(files)])
    return found


def exists(word: str) -> bool:
    """True: a launcher's argument may be the program to start."""
    try:
        return not word.isdigit() and resolve(word) is not None
    except Problem:
        return False


def linkage(path: Path, word: str = "") -> Linkage | None:
    """The MPI library that an executable (`word` as the user wrote it) is linked with; None: no
    MPI, or a script."""
    if not elf.is_elf(path):
        return None
    found = remembered.fact(
        "linkage and runtimes",
        [path, "/etc/ld.so.cache", "/etc/ld.so.preload", *remembered.folders("LD_LIBRARY_PATH")],
        lambda: _looked_up(path),
        remembered.variables("LD_LIBRARY_PATH"),
    )
    if found["soname"]:
        target = Path(found["path"]) if found["path"] else None
        runtimes = tuple(map(Path, found["runtimes"]))
        return Linkage(word or str(path), found["soname"], target, target is not None, runtimes)
    if found["static"]:
        raise Problem(
            f"{path} has its MPI linked statically, so Heddle cannot stand between. Link the program with the shared libmpi "
            f"(mpicc without -static), then run it again."
        )
    return None


def _looked_up(path: Path) -> Found:
    libraries, files = _shared_libraries(path)
    runtimes = [str(target) for soname, target in libraries if target and _RUNTIME.match(soname)]
    for soname, target in libraries:
        if families.is_mpi(soname):
            path_of_it = str(target) if target else None
            return Found({"soname": soname, "path": path_of_it, "static": False, "runtimes": runtimes}, files)
    return Found({"soname": None, "path": None, "static": elf.defines(path, "MPI_Init"), "runtimes": runtimes}, files)


def _shared_libraries(path: Path) -> tuple[list[tuple[str, Path | None]], list[str] | None]:
    """(soname, file) of all libraries that the loader will map, and the files on which this
    depends. The loader is asked, as it knows run paths and the cache. None instead of the files:
    the loader does not say where it searched, or a run path is relative."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_DEBUG_OUTPUT")}
    environment["LD_DEBUG"] = "libs"
    try:
        answer = subprocess.run(
            ["ldd", path.absolute()], capture_output=True, text=True, errors="surrogateescape", env=environment
        )
    except FileNotFoundError:
        raise Problem(
            "there is no ldd on the PATH. Heddle needs it to find a program's libraries. Put its folder (/usr/bin) on the PATH."
        ) from None
    libraries = [
        (found[1], Path(found[2]) if found[2].startswith("/") else None)
        for found in re.finditer(r"^\s*(\S+) => (not found|\S+)", answer.stdout, re.MULTILINE)
    ]
    places = _searched(answer.stdout + answer.stderr)  # under ldd, glibc 2.36 writes this to stdout
    found = {str(target) for name, target in libraries if target and not name.startswith("ld")}  # no search for the loader
    return libraries, places if places is not None and found <= set(places) else None


def _searched(said: str) -> list[str] | None:
    """The files that a loader has tried (LD_DEBUG=libs of ld.so(8)). It will find a library that
    appears there. It tries only one file of a missing folder, so the folder stands for all of them.
    None: a run path is relative."""
    tried = dict.fromkeys(re.findall(r"^ *\d+:\t *trying file=(.+)$", said, re.MULTILINE))
    return list(dict.fromkeys(map(_first_missing, tried))) if all(file.startswith("/") for file in tried) else None


def _first_missing(file: str) -> str:
    """The file, or the first folder of its path that is not there."""
    while not os.path.exists(folder := os.path.dirname(file)):
        file = folder
    return file


def python_of(path: Path) -> list[str] | None:
    """The interpreter's command line, if this is Python or a Python script."""
    if re.fullmatch(r"python[\d.]*", path.name):
        return [str(path)]
    try:
        with open(path, "rb") as file:
            first = file.readline(512).decode(errors="replace")
    except OSError:
        return None
    if not first.startswith("#!"):
        return None
    words = first[2:].split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[:1] if words and re.fullmatch(r"python[\d.]*", Path(words[0]).name) else None


def privilege(file: Path) -> str:
    """Why the loader ignores LD_PRELOAD for this file (ld.so(8), secure-execution mode). Empty: it
    does not."""
    import stat

    found = file.stat()
    if found.st_mode & stat.S_ISUID and found.st_uid != os.geteuid():
        return "set-user-ID"
    if found.st_mode & stat.S_ISGID and found.st_mode & stat.S_IXGRP and found.st_gid != os.getegid():
        return "set-group-ID"
    return "has capabilities of its own" if os.geteuid() != 0 and "security.capability" in os.listxattr(file) else ""


# mpi4py picks its MPI at import, so the mapped files show it. MPI is not initialized.
_PROBE = """
import mpi4py
mpi4py.rc.initialize = mpi4py.rc.finalize = False
from mpi4py import MPI
for line in open("/proc/self/maps"):
    words = line.split(None, 5)
    if len(words) == 6:
        print(words[5], end="")
import glob, sys
for folder in sys.path:
    for file in [folder, *glob.glob(folder + "/*.pth")]:
        print("in", file)
print("in", sys.prefix + "/pyvenv.cfg")
"""


def python_linkages(interpreter: list[str], preload: Path | None = None) -> list[Linkage]:
    """The MPI libraries that are mapped after the import of mpi4py, with `preload` preloaded.
    Empty: no mpi4py, or no MPI."""
    file = _on_path(interpreter[0]) or interpreter[0]
    if not elf.is_elf(Path(file)):  # a script that picks an interpreter may depend on anything
        remembered.doubt()
    found = remembered.fact(
        "mpi4py",
        [
            file,
            "mpi4py",
            "/etc/ld.so.cache",
            *([preload] if preload else []),
            *remembered.folders("LD_LIBRARY_PATH", "PYTHONPATH"),
        ],
        lambda: _mapped(interpreter, preload),
        remembered.variables("LD_LIBRARY_PATH", "MPI4PY_LIBMPI", "MPI4PY_MPIABI", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"),
    )
    return [Linkage(interpreter[0], soname, Path(path)) for soname, path in found or []]


def _mapped(interpreter: list[str], preload: Path | None) -> Found:
    """The files that the interpreter has mapped after the import of mpi4py. None: the import
    fails."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_DEBUG_OUTPUT")}
    environment["LD_DEBUG"] = "libs"
    if preload:
        environment["LD_PRELOAD"] = str(preload)
    try:
        answer = subprocess.run(
            [*interpreter, "-c", _PROBE],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Found(None)
    if answer.returncode != 0:
        return Found(None)
    lines = answer.stdout.splitlines()
    files = list(dict.fromkeys(Path(line) for line in lines if line.startswith("/")))
    searched = [Path(line[3:]) for line in lines if line.startswith("in /")]  # another mpi4py may appear there
    likely = [file for file in files if file.name.startswith("lib") and families.is_mpi(_short(file.name))]
    named = [(elf.soname(file), str(file)) for file in likely]
    mpis = [each for each in named if families.is_mpi(each[0])]
    tried = _searched(answer.stderr)
    return Found(mpis, None if tried is None else [*files, *_settings(files), *searched, *tried])


def _settings(files: list[Path]) -> list[Path]:
    """The files of mpi4py's settings."""
    return [file.parent / "mpi.cfg" for file in files if file.parent.name == "mpi4py"]


def _short(file_name: str) -> str:
    return re.sub(r"(\.so\.\d+).*", r"\1", file_name)
