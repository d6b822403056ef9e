"""`make check`: the tests that a change selects."""

import importlib.machinery
import importlib.util
import re
import shutil
import subprocess
import sys

import pytest
from conftest import CHECKOUT

SCRIPT = CHECKOUT / "scripts/check"
loader = importlib.machinery.SourceFileLoader("heddle_check", str(SCRIPT))
spec = importlib.util.spec_from_loader("heddle_check", loader)
check = importlib.util.module_from_spec(spec)
sys.modules["heddle_check"] = check
loader.exec_module(check)


def selected(*files: str) -> "check.Selection":
    selection = check.Selection()
    for file in files:
        selection.of_file(file)
    return selection


def folders(path: str) -> set[str]:
    return {each.name for each in (CHECKOUT / path).iterdir() if each.is_dir() and any(each.glob("*.cpp"))}


def test_each_room_has_tests():
    assert folders("src/mpi") == set(check.SUITES)
    assert {f"engine/{name}" for name in folders("src/engine")} <= set(check.USED_BY)
    rooms = {name for name in folders("src") if (CHECKOUT / "tests" / name / "CMakeLists.txt").exists()}
    assert rooms - {"mpi"} <= set(check.UNITS)
    assert all((CHECKOUT / "tests" / name / "CMakeLists.txt").exists() for name in check.UNITS)
    assert {room for rooms in check.USED_BY.values() for room in rooms} <= set(check.SUITES)


def suites() -> set[str]:
    return {*check.FASTEST_CTEST, *(suite for suites in check.SUITES.values() for suite in suites)}


def test_each_suite_has_a_source():
    for suite in suites():
        kind, _, name = suite.partition(".")
        name = name.split(".")[0]
        paths = [f"tests/mpi/{kind}/{name}.cpp", f"tests/mpi/traps/programs/{name}.cpp", f"tests/{kind}/{name}.pml"]
        paths += [f"tests/{kind}/{name}_fuzz.cpp", f"tests/{kind}.sh"]
        assert any((CHECKOUT / path).exists() for path in paths), suite
    assert all((CHECKOUT / f"tests/python/{name}.py").exists() for name in check.FASTEST_PYTHON)


@pytest.mark.skipif(not (check.BUILD / "CTestTestfile.cmake").exists(), reason="nothing is configured")
def test_each_suite_is_in_ctest():
    listed = subprocess.run(["ctest", "--test-dir", str(check.BUILD), "-N"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"Test +#\d+: (\S+)", listed)
    for suite in suites():
        assert any(re.search(check.pattern_of(suite), name) for name in names), suite
    forced = [name for name in names if re.search(check.pattern_of("semantics.sparse"), name)]
    assert set(forced) <= {"semantics.sparse.mpich", "semantics.sparse.openmpi"}


def test_a_changed_room_selects_its_tests_and_those_over_ranks():
    found = selected("src/engine/p2p/staging.cpp")
    assert set(found.units) == {"engine"} and "semantics.messages" in found.suites and not found.python
    found = selected("src/mpi/sparse/call.cpp")
    assert not found.units and set(found.suites) == {"semantics.sparse", "semantics.multigraph"}
    assert set(selected("src/settings/files.cpp").units) == {"settings"}


def test_a_changed_test_selects_itself():
    assert set(selected("tests/mpi/semantics/halos.cpp").suites) == {"semantics.halos"}
    assert set(selected("tests/mpi/traps/order.cpp").suites) == {"traps.order"}
    assert set(selected("tests/mpi/traps/programs/types.cpp").suites) == {"traps.types"}
    assert set(selected("tests/mpi/traps/programs/driver.c").suites) == {"traps.devices"}
    assert set(selected("tests/python/test_run.py").python) == {"test_run"}
    assert set(selected("tests/engine/p2p/staging_test.cpp").units) == {"engine"}
    assert not selected("tests/mpi/semantics/deleted.cpp").suites


def test_a_changed_module_script_or_page_selects_the_tests_that_name_it():
    assert "test_compare" in selected("python/heddle/commands/compare.py").python
    assert "test_fabric" in selected("scripts/hosts").python
    assert "test_docs" in selected("docs/fabric.md").python


def test_what_takes_long_is_left_out_and_named():
    found = selected("tests/python/test_wheel.py", "tests/verbs/job")
    assert not found.python and set(found.left) == {"tests/python/test_wheel.py", "tests/verbs/job"}
    assert set(selected("apps/fft2d/main.cpp").builds) == {"apps/all"}


def test_changed_tests_come_before_the_fastest():
    selection = selected("tests/mpi/semantics/halos.cpp")
    selection.fastest()
    steps = selection.steps()
    assert steps[0].name == "semantics.halos" and steps[0].targets == ["heddle-semantics-mpich", "heddle-semantics-openmpi"]
    assert {step.name for step in steps} > {*check.FASTEST_CTEST}


def git(folder, *words: str) -> None:
    me = ["-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *me, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """Two commits on main. The second adds a test."""
    for name in ("scripts", "tests/mpi/semantics"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "scripts/check")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    (tmp_path / "tests/mpi/semantics/halos.cpp").touch()
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "second")
    return tmp_path


def listed(folder, *words: str) -> str:
    line = [sys.executable, folder / "scripts/check", "--list", *words]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


def test_without_a_difference_from_main_the_last_commit_counts(repository):
    assert "semantics.halos" in listed(repository)


def test_a_branch_is_compared_with_main_and_files_outside_commits_count(repository):
    git(repository, "checkout", "-b", "mine")
    (repository / "tests/mpi/semantics/places.cpp").touch()
    (repository / "tests/mpi/semantics/errors.cpp").touch()
    git(repository, "add", "tests/mpi/semantics/errors.cpp")
    git(repository, "commit", "-m", "third")
    said = listed(repository)
    assert "semantics.errors" in said and "tests/mpi/semantics/places.cpp has changed" in said and "semantics.halos" not in said
    assert "semantics.halos" in listed(repository, "HEAD~2")


def test_an_unknown_commit_is_said(repository):
    done = subprocess.run([repository / "scripts/check", "nowhere"], capture_output=True, text=True)
    assert done.returncode != 0 and "there is no commit nowhere" in done.stderr


def test_no_test_begins_after_the_time(capsys):
    step = check.Step("one", "it has changed", [sys.executable, "-c", "pass"], [])
    assert check.run([step], -1) == 0 and "no time was left for: one" in capsys.readouterr().out
    wrong = check.Step("two", "it has changed", [sys.executable, "-c", "print('why'); raise SystemExit(3)"], [])
    assert check.run([step, wrong], 5) == 1
    said = capsys.readouterr().out
    assert "why" in said and "1 passed, 1 failed, 0 not run" in said
