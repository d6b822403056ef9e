"""make sdist: the contents of the tarball. `scripts/sdist --check` tests a build from it."""

import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import CHECKOUT


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    subprocess.run([CHECKOUT / "scripts/sdist", folder], check=True, capture_output=True)
    (tarball,) = folder.iterdir()
    return tarball


@pytest.fixture(scope="module")
def tree(made) -> Path:
    subprocess.run(["tar", "-xf", made], cwd=made.parent, check=True)
    return made.parent / made.name.removesuffix(".tar.gz")


def test_the_same_commit_gives_the_same_bytes(made, tmp_path):
    subprocess.run([CHECKOUT / "scripts/sdist", tmp_path], check=True, capture_output=True)
    assert (tmp_path / made.name).read_bytes() == made.read_bytes()


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout.strip()


def test_says_of_which_commit_it_is(tree):
    """`heddle --version --verbose` of a build from the tarball prints this commit."""
    assert git("rev-parse", "HEAD").startswith((tree / "src/tool/commit.txt").read_text().split()[0])


def test_is_a_project_of_its_own(tree):
    """Its table [project] is that of the checkout, with additions for pip."""
    with open(tree / "pyproject.toml", "rb") as file, open(tree / "python/pyproject.toml", "rb") as other:
        made, ours = tomllib.load(file), tomllib.load(other)
    added = tomllib.loads((tree / "packaging/project.toml").read_text())
    assert made["project"] == ours["project"] | added
    assert all([*tree.glob(pattern)] for pattern in added["license-files"])
    assert tree.name == f"heddle_mpi-{ours['project']['version']}"
    assert f"\nVersion: {ours['project']['version']}\n" in (tree / "PKG-INFO").read_text()
    backend = made["build-system"]
    assert all((tree / folder / f"{backend['build-backend']}.py").exists() for folder in backend["backend-path"])
    packages = made["tool"]["scikit-build"]["wheel"]["packages"].values()
    assert all((tree / folder).is_dir() for folder in packages)


def test_has_what_is_committed_alone(tree):
    files = {str(file.relative_to(tree)) for file in tree.rglob("*") if file.is_file()}
    assert files - {"PKG-INFO", "pyproject.toml"} == {*git("ls-tree", "-r", "--name-only", "HEAD").splitlines()}
