"""Recipes of Spack and EasyBuild fit the tree: version, options of CMake, packages, installed
files."""

import ast
import json
import re
import tomllib

import pytest
from conftest import CHECKOUT

SPACK = CHECKOUT / "packaging/spack/spack_repo/heddle/packages/heddle/package.py"
(EASYBUILD,) = (CHECKOUT / "packaging/easybuild").glob("*.eb")
PROJECT = tomllib.loads((CHECKOUT / "python/pyproject.toml").read_text())["project"]
# Components of the binaries that a compiler brings.
OF_THE_COMPILER = {"libstdc++"}
COMPONENTS = {
    one["name"] for one in json.loads((CHECKOUT / "packaging/third_party/components.json").read_text())
} - OF_THE_COMPILER


def options_of_cmake() -> set[str]:
    files = [CHECKOUT / "CMakeLists.txt", *(CHECKOUT / "src").rglob("CMakeLists.txt"), CHECKOUT / "packaging/CMakeLists.txt"]
    return {name for file in files for name in re.findall(r"^ *(?:option|set)\((HEDDLE_\w+)", file.read_text(), re.MULTILINE)}


@pytest.fixture(scope="module")
def directives() -> dict[str, list[ast.Call]]:
    """The calls in the body of the Spack package: depends_on, version, ..."""
    (package,) = (node for node in ast.parse(SPACK.read_text()).body if isinstance(node, ast.ClassDef))
    calls = [node.value for node in package.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    found: dict[str, list[ast.Call]] = {}
    for call in calls:
        found.setdefault(call.func.id, []).append(call)
    return found


def needed(directives: dict[str, list[ast.Call]], kind: str) -> set[str]:
    """Packages that Spack installs for the build, or for a run."""
    packages = set()
    for call in directives["depends_on"]:
        types = next(ast.literal_eval(word.value) for word in call.keywords if word.arg == "type")
        if kind in ([types] if isinstance(types, str) else types):
            packages.add(ast.literal_eval(call.args[0]).partition("@")[0])
    return packages


def test_spack_has_the_version_and_the_licence(directives):
    assert [ast.literal_eval(call.args[0]) for call in directives["version"]] == [PROJECT["version"]]
    assert [ast.literal_eval(call.args[0]) for call in directives["license"]] == [PROJECT["license"]]
    assert f"heddle_mpi-{PROJECT['version']}.tar.gz" in SPACK.read_text()


def test_spack_installs_what_a_run_needs(directives):
    """The dependencies of the wheel, and the library that Heddle loads."""
    python = {"py-" + re.match(r"[\w-]+", text)[0] for text in PROJECT["dependencies"]}
    python = {name for name in python if not name.startswith("py-tree-sitter")}  # Spack has no grammars of C++ and Fortran
    assert needed(directives, "run") == {"python", "libfabric"} | python


def test_spack_builds_with_the_headers_of_others(directives):
    assert {name.lower() for name in COMPONENTS} <= needed(directives, "build")
    assert {"c", "cxx", "cmake", "mpich", "openmpi"} <= needed(directives, "build")


def test_options_are_those_of_cmake():
    options = options_of_cmake()
    for file in (SPACK, EASYBUILD):
        named = {*re.findall(r'define\("(HEDDLE_\w+)"|-D(HEDDLE_\w+)', file.read_text())}
        used = {one or other for one, other in named}
        assert {"HEDDLE_MPI_ROOT", "HEDDLE_TESTS"} <= used <= options, file.name


def test_spack_depends_on_no_folder():
    assert "getcwd" not in SPACK.read_text() and "import os" not in SPACK.read_text()


def test_spack_runs_its_test_after_the_installation():
    (package,) = (node for node in ast.parse(SPACK.read_text()).body if isinstance(node, ast.ClassDef))
    functions = {node.name: node for node in package.body if isinstance(node, ast.FunctionDef)}
    decorated = [ast.unparse(one) for one in functions["check_install"].decorator_list]
    assert decorated == ["run_after('install')", "on_package_attributes(run_tests=True)"]
    assert ast.get_docstring(functions["test_explain"])


@pytest.fixture(scope="module")
def easyconfig() -> dict:
    names: dict = {}
    exec(compile(EASYBUILD.read_text(), EASYBUILD, "exec"), names)
    return names


def test_easybuild_has_the_version(easyconfig):
    assert easyconfig["version"] == PROJECT["version"]
    assert EASYBUILD.name == "{name}-{version}-{toolchain[name]}-{toolchain[version]}.eb".format(**easyconfig)
    assert easyconfig["sources"] == ["heddle_mpi-%(version)s.tar.gz"]


def test_easybuild_builds_with_the_headers_of_others(easyconfig):
    named = {name.lower().replace("_", "-") for name, *_ in easyconfig["builddependencies"]}
    assert {name.lower() for name in COMPONENTS} | {"cmake", "ninja", "mpich", "openmpi"} <= named


def test_easybuild_looks_for_files_that_are_installed(easyconfig):
    table = (CHECKOUT / "docs/install.md").read_text()
    for file in easyconfig["sanity_check_paths"]["files"]:
        assert re.search(rf"[`/]{re.escape(file.rpartition('/')[2])}", table) or file.startswith("include/heddle/"), file
    assert (CHECKOUT / "include/heddle/heddle.h").exists()
