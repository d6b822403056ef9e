"""make uninstall: the prefix is afterwards as it was before make install."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import CHECKOUT, own_copy


def make(target: str, prefix: Path, destdir: str = "") -> subprocess.CompletedProcess:
    words = ["make", "-s", target, f"PREFIX={prefix}", f"DESTDIR={destdir}"]
    return subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, timeout=300)


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """An installation below a DESTDIR, in a prefix that was not there."""
    stage = tmp_path_factory.mktemp("stage")
    done = make("install", Path("/opt/heddle"), str(stage))
    assert done.returncode == 0, done.stderr
    return stage


def test_the_list_names_all_files(installed):
    root = installed / "opt/heddle"
    listed = {*(root / "lib/heddle/installed.txt").read_text().splitlines()}
    assert listed == {f"{path}/" if (root / path).is_dir() else path for path in tree(root)} | {"./"}
    assert os.access(root / "bin/heddle", os.X_OK) and len(listed) > 200


def test_a_prefix_of_its_own_is_gone(installed, tmp_path):
    stage = own_copy(installed, tmp_path / "stage")
    (stage / "opt/heddle/lib/heddle/python/heddle/__pycache__/cli.cpython-399.pyc").write_bytes(b"by another Python")
    done = make("uninstall", Path("/opt/heddle"), str(stage))
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert tree(stage) == {"opt"}


def test_a_shared_prefix_keeps_what_was_there(tmp_path):
    """Two installations, one over the other, leave no more than one."""
    shared = tmp_path / "local"
    for folder in ("bin", "lib/pkgconfig", "share/man/man1", "share/doc"):
        (shared / folder).mkdir(parents=True)
    for file in ("bin/other", "share/man/man1/other.1"):
        (shared / file).write_text("of others\n")
    before = tree(shared)
    for _ in range(2):
        assert make("install", shared).returncode == 0
    done = make("uninstall", shared)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert tree(shared) == before


def test_files_of_others_stay(installed, tmp_path):
    stage = own_copy(installed, tmp_path / "stage")
    root = stage / "opt/heddle"
    (root / "share/modulefiles/heddle/.modulerc").write_text("of the administrator\n")
    done = make("uninstall", Path("/opt/heddle"), str(stage))
    assert done.returncode == 0 and f"{root}/share/modulefiles/heddle stays: it has files of others" in done.stderr
    kept = {"share", "share/modulefiles", "share/modulefiles/heddle", "share/modulefiles/heddle/.modulerc"}
    assert tree(root) == kept


def test_nothing_is_removed_without_a_list_that_fits(tmp_path):
    done = make("uninstall", tmp_path)
    assert done.returncode != 0 and "make install has not installed Heddle into" in done.stderr
    (tmp_path / "lib/heddle").mkdir(parents=True)
    (tmp_path / "outside").write_text("precious\n")
    for line in ("../outside", "lib/../../outside", str(tmp_path / "outside")):
        (tmp_path / "lib/heddle/installed.txt").write_text(f"lib/heddle/installed.txt\n{line}\n")
        done = make("uninstall", tmp_path)
        assert done.returncode != 0 and "Nothing was removed" in done.stderr
    assert (tmp_path / "outside").exists() and (tmp_path / "lib/heddle/installed.txt").exists()


SMALL = r"""
cmake_minimum_required(VERSION 3.20)
project(small NONE)
file(WRITE ${CMAKE_BINARY_DIR}/heddle "a program")
file(WRITE ${CMAKE_BINARY_DIR}/deep/folder/heddle.h "a header")
install(FILES ${CMAKE_BINARY_DIR}/heddle DESTINATION bin)
install(DIRECTORY ${CMAKE_BINARY_DIR}/deep DESTINATION include/heddle)
install(CODE [[
  file(WRITE $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/heddle/__pycache__/made.pyc "by a script")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_PREFIX}/lib/heddle/__pycache__/made.pyc)
  if(DEFINED ENV{FULL})
    file(WRITE $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/heddle-new "of the new version")
    message(STATUS "Installing: $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/heddle-new")
    message(FATAL_ERROR "the disk is full")
  endif()
]])
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """A build of few files, whose installation fails if FULL is set."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "CMakeLists.txt").write_text(SMALL)
    subprocess.run(["cmake", "-S", folder, "-B", folder / "build"], check=True, stdout=subprocess.DEVNULL)
    return folder / "build"


def script(name: str, prefix: Path, build: Path, **more: str) -> subprocess.CompletedProcess:
    environment = os.environ | {"BUILD": str(build), "PREFIX": str(prefix), "DESTDIR": ""} | more
    return subprocess.run([CHECKOUT / "scripts" / name], env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("shared", [False, True])
def test_a_failed_installation_leaves_no_files(shared, small, tmp_path):
    if shared:
        (tmp_path / "prefix/bin").mkdir(parents=True)
        (tmp_path / "prefix/bin/other").write_text("of others\n")
    before = tree(tmp_path)
    done = script("install", tmp_path / "prefix", small, FULL="1")
    assert done.returncode == 1 and "the disk is full" in done.stderr and "its files are removed again" in done.stderr
    assert tree(tmp_path) == before


def test_a_failed_second_installation_can_be_removed(small, tmp_path):
    prefix = tmp_path / "prefix"
    assert script("install", prefix, small).returncode == 0
    done = script("install", prefix, small, FULL="1")
    assert done.returncode == 1 and "files of an earlier installation and of this one" in done.stderr
    assert (prefix / "bin/heddle").exists() and (prefix / "bin/heddle-new").exists()
    assert script("uninstall", prefix, small).returncode == 0
    assert not [path for path in tmp_path.rglob("*") if not path.is_dir()]
