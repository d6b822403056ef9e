# ruff: noqa: F403, F405, I001
# For Spack 1.0 and later. Nobody has made a build with it, because Spack was not available;
# tests/python/test_recipes.py compares it with the tree. To try it from a tarball (`make sdist`):
#
#   mkdir -p mirror/heddle && cp dist/heddle_mpi-0.1.0.tar.gz mirror/heddle/heddle-0.1.0.tar.gz
#   spack mirror add --type source heddle file://$PWD/mirror
#   spack repo add packaging/spack/spack_repo/heddle
#   spack install --no-checksum --test=root heddle family=openmpi
#   spack test run heddle
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Heddle(CMakePackage):
    """Makes MPI fast for data that is not contiguous, under any MPI library, without a change to
    the program."""

    homepage = "https://pypi.org/project/heddle-mpi"
    url = "https://files.pythonhosted.org/packages/source/h/heddle_mpi/heddle_mpi-0.1.0.tar.gz"

    license("BSD-3-Clause")

    # dist/SHA256SUMS of a release has the checksum of its tarball: version("0.1.0", sha256="...").
    version("0.1.0")

    variant("family", default="openmpi", values=("mpich", "openmpi"), multi=False, description="The MPI it is to run under")
    variant("fabric", default=True, description="Between nodes by libfabric, too")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    # The build needs its headers. Heddle loads the library when a message needs it.
    depends_on("libfabric", type=("build", "run"), when="+fabric")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-typer@0.9:", type=("build", "run"))
    depends_on("py-rich", type=("build", "run"))
    depends_on("py-pyelftools", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type="run")
    depends_on("py-scipy@1.7:", type="run")
    # Spack has no tree-sitter-cpp and tree-sitter-fortran. `heddle explain` reads C and Fortran
    # after python3 -m pip install tree-sitter tree-sitter-cpp tree-sitter-fortran.
    # Only for mpi.h: Heddle is not linked with it, and runs under any MPI of the family.
    depends_on("mpich", type="build", when="family=mpich")
    depends_on("openmpi@4:", type="build", when="family=openmpi")
    conflicts("%gcc@:11", msg="Heddle is written in C++20, for gcc 12 and later")

    @property
    def mpis(self):
        return join_path(self.stage.source_path, "mpis")

    @run_before("cmake")
    def folder_of_mpis(self):
        family = self.spec.variants["family"].value
        mkdirp(self.mpis)
        symlink(self.spec[family].prefix, join_path(self.mpis, family))

    def cmake_args(self):
        return [
            self.define("HEDDLE_MPI_ROOT", self.mpis),
            self.define("HEDDLE_TESTS", False),
            self.define("HEDDLE_BENCHES", False),
            self.define("HEDDLE_WERROR", False),
            self.define("HEDDLE_PYTHON", self.spec["python"].command.path),
            self.define("HEDDLE_VENDOR", ""),  # Spack installs the Python packages
        ]

    def install(self, spec, prefix):
        cmake = which("cmake", required=True)
        for component in ("runtime", "development", "command"):
            cmake("--install", self.build_directory, "--component", component)

    def setup_run_environment(self, env):
        family = self.spec.variants["family"].value
        env.set(f"HEDDLE_LIB_{family.upper()}", join_path(self.prefix.lib, f"libheddle_{family}.so"))
        if self.spec.satisfies("+fabric"):
            env.append_path("LD_LIBRARY_PATH", self.spec["libfabric"].libs.directories[0])

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        self.test_explain()

    def test_explain(self):
        """the command starts and describes a datatype"""
        heddle = Executable(self.prefix.bin.heddle)
        heddle("--version", "--verbose")
        said = heddle("explain", "vector(4, 1, 8, double)", output=str.split, error=str.split)
        check_outputs(r"4", said)
