# ruff: noqa: F403, F405
# Not tested: there was no Spack on the machine. To try the package, run in a folder with
# heddle_mpi-0.1.0.tar.gz (`make sdist`):
#
#   spack repo add PATH/packaging/spack
#   spack install --no-checksum --test=root heddle family=openmpi
#   spack load heddle && heddle doctor
import os

from spack.package import *


class Heddle(CMakePackage):
    """Makes MPI fast for data that is not contiguous, under any MPI library, without a change to the program."""

    manual_download = True
    url = f"file://{os.getcwd()}/heddle_mpi-0.1.0.tar.gz"
    license("BSD-3-Clause")

    version("0.1.0")  # spack install --no-checksum, until a release has a checksum

    variant("family", default="openmpi", values=("mpich", "openmpi"), multi=False, description="The MPI it is to run under")
    variant("fabric", default=True, description="Between nodes by libfabric, too")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11", type="build")
    depends_on("fmt", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("libfabric", type="build", when="+fabric")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-typer@0.9:", type=("build", "run"))
    depends_on("py-rich", type=("build", "run"))
    depends_on("py-pyelftools", type=("build", "run"))
    depends_on("py-scipy@1.7:", type="run")
    # Only for mpi.h: Heddle is not linked with it, and runs under any MPI of the family.
    depends_on("mpich", type="build", when="family=mpich")
    depends_on("openmpi@4:", type="build", when="family=openmpi")
    conflicts("%gcc@:11")

    generator("ninja")

    @run_before("cmake")
    def folder_of_mpis(self):
        family = self.spec.variants["family"].value
        mkdirp(join_path(self.stage.source_path, "mpis"))
        symlink(self.spec[family].prefix, join_path(self.stage.source_path, "mpis", family))

    def cmake_args(self):
        return [
            self.define("HEDDLE_MPI_ROOT", join_path(self.stage.source_path, "mpis")),
            self.define("HEDDLE_TESTS", False),
            self.define("HEDDLE_BENCHES", False),
            self.define("HEDDLE_WERROR", False),
            self.define("HEDDLE_PYTHON", self.spec["python"].command.path),
            self.define("HEDDLE_VENDOR", ""),  # Spack installs the Python packages
        ]

    def install(self, spec, prefix):
        for component in ("runtime", "development", "command"):
            cmake("--install", self.build_directory, "--component", component)

    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.heddle)("--version", "--verbose")
