"""pip calls this module to build Heddle from its tarball.

It fetches the MPI headers, then hands over to scikit-build-core. The environment variable MPI="PATH
..." may name MPI installations of the machine (see
scripts/adopt-mpi). Then nothing is fetched, and Heddle is built only for their families. Without
MPI, the module installs MPICH and Open MPI from PyPI into .mpi of the unpacked tarball, as
scripts/bootstrap does.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scikit_build_core import build as cmake
from scikit_build_core.build import *  # noqa: F403

ROOT = Path(__file__).resolve().parents[2]


def _compiler() -> None:
    name = os.environ.get("CXX", "c++").split()[0]
    if not shutil.which(name):
        sys.exit(f"heddle: there is no C++ compiler {name}. Install one (Debian: apt-get install g++), or name it in CXX.")


def _mpi_headers() -> None:
    named = os.environ.get("MPI", "").split()
    if named:
        subprocess.run([ROOT / "scripts/adopt-mpi", *named], check=True)
        return
    versions = re.findall(r"^(MPICH|OPENMPI)=(\S+)$", (ROOT / "scripts/bootstrap").read_text(), re.MULTILINE)
    for name, version in versions:
        folder = ROOT / ".mpi" / name.lower()
        if (folder / "include/mpi.h").exists():
            continue
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--ignore-installed", "--no-warn-script-location"]
        got = subprocess.run([*pip, "--prefix", folder, f"{name.lower()}=={version}"])
        if got.returncode != 0:
            sys.exit(
                f'heddle: {name.lower()} {version} cannot be had from PyPI. MPI="/usr ..." names installations to build for.'
            )


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _compiler()
    _mpi_headers()
    return cmake.build_wheel(wheel_directory, config_settings, metadata_directory)
