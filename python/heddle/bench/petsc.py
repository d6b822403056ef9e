"""Programs on top of PETSc behind `heddle bench`. They use Debian's PETSc and Debian's Open MPI."""

from __future__ import annotations

import os
from pathlib import Path

from heddle import installations, native
from heddle.installations import Installation
from heddle.problem import Problem

PACKAGE = "libpetsc-real-dev"
LAUNCHER = Path("/usr/bin/mpiexec.openmpi")
BY_PETSC, NEIGHBOUR = "petsc", "petsc neighbour"  # ways: its own messages; MPI's neighbourhood collectives


def program(name: str) -> Path:
    path = native.FOLDER / "bin" / name
    if not os.access(path, os.X_OK):
        raise Problem(f"{name} is missing: it needs PETSc. Debian has it: apt-get install {PACKAGE}. {native.MEND}")
    return path


def mpi() -> Installation:
    """The Open MPI that Debian's PETSc is linked with."""
    if not LAUNCHER.exists():
        raise Problem(f"Debian's Open MPI is missing ({LAUNCHER}). Install it: apt-get install openmpi-bin {PACKAGE}.")
    return installations.at_path(LAUNCHER)
