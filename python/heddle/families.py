"""The ABI families of MPI libraries: the file names of each, and the build of Heddle that serves
it.

of_library("libmpi.so.40").name == "openmpi"
"""

from __future__ import annotations

import re
from collections import namedtuple


class Family(namedtuple("Family", "name title sonames")):
    """`name`: as in libheddle_NAME.so. `title`: for people. `sonames`: a regular expression."""

    __slots__ = ()

    @property
    def interposer(self) -> str:
        return f"libheddle_{self.name}.so"


# All libraries with MPICH's ABI have version 12. Debian calls the file libmpich, Cray adds the
# compiler's name.
MPICH = Family(
    "mpich",
    "the MPICH ABI (MPICH, Intel MPI, MVAPICH, Cray)",
    r"lib(mpi|mpich|mpi_(cray|gnu|intel|nvidia|amd|aocc)\w*)\.so\.12",
)
# A build of the development branch has version 0, and so has MPICH's. The interposer tells them
# apart when MPI starts.
OPENMPI = Family("openmpi", "Open MPI 4 and 5", r"libmpi\.so\.(40|0)")
ABI = Family("abi", "the MPI standard ABI", r"libmpi_abi\.so\.[01]")
ALL = (MPICH, OPENMPI, ABI)

# Any MPI library, whether Heddle serves it or not. Language bindings and the like (libmpi_cxx,
# libmpifort) do not match.
_MPI_LIBRARY = re.compile(
    r"lib(mpi|mpich|mpi_(abi|mt|ibm|cray|gnu\w*|intel\w*|nvidia\w*|amd\w*|aocc\w*)|pmpi|mpitrampoline|mpiwrapper)\.so(\.[\d.]+)?"
)


def is_mpi(file_name: str) -> bool:
    return _MPI_LIBRARY.fullmatch(file_name) is not None


def of_library(file_name: str) -> Family | None:
    """The family of a library such as libmpi.so.12, or of a full name such as libmpi.so.40.40.7."""
    for family in ALL:
        if re.fullmatch(family.sonames + r"(\.\d+)*", file_name):
            return family
    return None


def by_name(name: str) -> Family:
    return next(family for family in ALL if family.name == name)
