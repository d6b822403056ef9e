"""What pip calls to build Heddle from its tarball. The headers of the MPIs are fetched first, the rest is scikit-build-core's.

MPI="PATH ..." in the environment names MPI installations of the machine (scripts/adopt-mpi), and nothing is fetched: Heddle is
built for their families alone. Without it MPICH and Open MPI come from PyPI into .mpi of the unpacked tarball, as
scripts/bootstrap would.
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
