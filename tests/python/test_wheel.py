"""make wheel: the wheel works in a new environment without a compiler, and its tag is right."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CHECKOUT, MPIS, clean_environment, compiled, once, own_copy, prefix
from heddle.installations import at_path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    def make(folder: Path) -> None:
        subprocess.run([CHECKOUT / "scripts/wheel", folder], check=True, stdout=subprocess.DEVNULL)

    (made,) = once(tmp_path_factory, "wheel", make).iterdir()
    return made


@pytest.fixture(scope="module")
def place(wheel, tmp_path_factory) -> Path:
    """A virtual environment with the wheel. Dependencies come from .vendor, without a network."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--python", venv / "bin/python", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-index", "--no-deps", wheel], check=True)
    (packages,) = venv.glob("lib/python3*/site-packages")
    (packages / "vendor.pth").write_text(f"{CHECKOUT}/.vendor\n")
    return venv


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> dict[str, Path]:
    """The two MPIs without their mpicc, as on machines where nobody compiles."""
    copies = {}
    for mpi in MPIS:
        copies[mpi] = tmp_path_factory.mktemp("bare") / mpi
        shutil.copytree(prefix(mpi), copies[mpi], symlinks=True, ignore=lambda folder, names: {"mpicc"} & {*names})
    return copies


@pytest.fixture
def run(place) -> Callable[..., subprocess.CompletedProcess]:
    """run("heddle", ...) runs a program of the environment (not active), or another."""

    def call(name: object, *words: object, **more: str) -> subprocess.CompletedProcess:
        inherited = {key: value for key, value in clean_environment().items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment = inherited | {"PATH": "/usr/bin:/bin"} | more
        command = [place / "bin" / name, *map(str, words)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, cwd=place)

    return call


def test_doctor_without_a_compiler(run, bare):
    path = ":".join([*(str(copy / "bin") for copy in bare.values()), "/usr/bin", "/bin"])
    done = run("heddle", "doctor", PATH=path)
    versions = [at_path(prefix(mpi)).version for mpi in MPIS]
    for mpi, version in zip(MPIS, versions, strict=True):
        assert re.search(rf"✓ +{mpi} {version} +two ranks exchange", done.stdout), done.stdout + done.stderr
    assert done.returncode == 0 and not (bare["mpich"] / "bin/mpicc").exists()


def test_run(run, place, bare, mpi, who):
    path = f"{bare[mpi]}/bin:/usr/bin:/bin"
    done = run("heddle", "run", "-n", 2, who[mpi], PATH=path)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 2, done.stderr
    assert all(
        re.search(rf"preload {place}/lib/python3\.\d+/site-packages/heddle/native/lib/libheddle_{mpi}.so", line)
        for line in lines
    )
    assert all(f": libheddle_{mpi}" in line for line in lines), lines


def test_messages_are_measured_and_a_gain_is_estimated(run, bare, mpi, tmp_path):
    settings = {"PATH": f"{bare[mpi]}/bin:/usr/bin:/bin", "XDG_CONFIG_HOME": str(tmp_path)}
    program = compiled(mpi, tmp_path / "transpose", CHECKOUT / "examples/c/transpose.c")
    start = ("heddle", "run", "--report", "-n", 2, program, 256, 3)
    assert "there is no profile of this machine; run heddle tune" in " ".join(run(*start, **settings).stderr.split())
    tuned = run("heddle", "tune", "--quick", "--anyway", "--mpi", mpi, **settings)
    assert tuned.returncode == 0 and "not measured" not in tuned.stdout, tuned.stdout + tuned.stderr
    said = " ".join(run(*start, **settings).stderr.split())
    assert re.search(
        "rough estimate|too rough to tell a gain|no estimate of the gain [(]([0-9]+ row|Heddle's packing)", said
    ), said


def test_mpi_of_the_same_environment(run, place, tmp_path):
    """`pip install mpich` puts mpiexec beside python, whose folder need not be on the PATH."""
    beside = own_copy(place, tmp_path / "venv")
    (beside / "bin/mpiexec").symlink_to(prefix("mpich") / "bin/mpiexec")
    done = run(beside / "bin/python", "-m", "heddle", "mpi")
    assert f"{beside}/bin/mpiexec" in done.stdout, done.stdout + done.stderr


def test_advice_is_for_a_user(run, place, tmp_path):
    part = own_copy(place, tmp_path / "venv")
    (tool,) = part.glob("lib/python3*/site-packages/heddle/native/bin/heddle-tool")
    assert os.access(tool, os.X_OK)
    tool.unlink()
    asked, looked = (run(part / "bin/python", "-m", "heddle", word) for word in ("env", "doctor"))
    for said in (asked.stderr, looked.stdout):
        assert "pip install --force-reinstall heddle-mpi" in " ".join(said.split()) and "make build" not in said, said


def test_commands(run):
    assert "2-D loop nest" in run("heddle", "explain", "hvector(8, 1, 24, vector(8, 1, 8, contiguous(3, double)))").stdout
    for words in (["pack"], ["--help"]):
        done = run("heddle", "bench", *words)
        assert done.returncode == 2 and "checkout" in done.stderr, done
    assert (
        Path(run("python", "-c", "import heddle.native as n; print(n.FOLDER)").stdout.strip()) / "include/heddle/heddle.h"
    ).exists()


def test_tag_and_contents(wheel):
    """It is for every Python, and for the oldest system that its symbols allow."""
    needed = set()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        binaries = [name for name in names if re.search("/native/(lib|bin)/|/scripts/heddle$", name)]
        for name in binaries:
            content = archive.read(name)
            assert str(CHECKOUT).encode() not in content, name
            needed |= {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\0", content)}
    ours = {Path(name).name for name in binaries}
    links = {f"libheddle_links_{mpi}.so" for mpi in MPIS}
    assert ours == {"heddle", "heddle-tool", "libheddle_mpich.so", "libheddle_openmpi.so", "libheddle_abi.so", *links}
    assert {
        f"heddle/native/include/heddle/{name}.h" for name in ("heddle", "exchange", "plain_exchange", "version", "weak")
    } <= {*names}
    assert not [name for name in names if re.search("/(bench|demo|__pycache__)/", name)]
    package = CHECKOUT / "python/heddle"
    templates = {file.relative_to(package.parent).as_posix() for file in package.rglob("*.j2") if "bench" not in file.parts}
    assert "heddle/pages/page.html.j2" in templates and templates == {name for name in names if name.endswith(".j2")}
    assert max(needed) <= 28, f"glibc 2.{max(needed)} is asked for: objdump -T says what for, src/glibc/older.c is its place"
    tag = re.fullmatch(r"heddle_mpi-[\d.]+-py3-none-(\w+)\.whl", wheel.name)[1]
    assert tag.startswith(f"manylinux_2_{max(needed)}_") or not importlib.util.find_spec("auditwheel"), tag


def test_has_licences_the_list_of_software_and_a_page_whose_links_work(wheel):
    with zipfile.ZipFile(wheel) as archive:
        texts = {name.partition(".dist-info/")[2]: archive.read(name) for name in archive.namelist() if ".dist-info/" in name}
        times = {entry.date_time for entry in archive.infolist()}
    made = json.loads(texts["sboms/heddle.cdx.json"])
    assert {one["name"] for one in made["components"]} >= {"CLI11", "fmt", "nlohmann-json", "libstdc++"}
    for file in [CHECKOUT / "LICENSE", *(CHECKOUT / "packaging/third_party").glob("*.txt")]:
        assert texts[f"licenses/{file.relative_to(CHECKOUT)}"] == file.read_bytes()
    page = texts["METADATA"].decode().partition("\n\n")[2]
    assert "# Heddle" in page and not re.search(r"\]\((?!\w+:)", re.sub(r"(?ms)^```.*?^```", "", page))
    assert len(times) == 1, "each build would have other bytes"
