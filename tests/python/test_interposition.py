"""Receives that reach the MPI library by other ways than the name MPI_Recv: Heddle sees them all, and still announces."""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import MPIS, launcher, prefix

SOURCES = Path(__file__).parent / "interposition"
LIBRARY = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}


@pytest.fixture(scope="module", params=MPIS)
def mpi(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def built(mpi, tmp_path_factory):
    """The program, the plugin, the tool, and the program with the tool linked in; by name."""
    folder = tmp_path_factory.mktemp(mpi)
    mpicc = prefix(mpi) / "bin/mpicc"

    def make(name: str, *words) -> Path:
        subprocess.run([mpicc, *words, "-o", folder / name, "-ldl"], check=True)
        return folder / name

    tool = make("libtool.so", "-shared", "-fPIC", SOURCES / "tool.c")
    return {
        "program": make("receives", SOURCES / "receives.c"),
        "linked": make("linked", SOURCES / "receives.c", SOURCES / "tool.c"),
        "plugin": make("plugin.so", "-shared", "-fPIC", SOURCES / "plugin.c"),
        "tool": tool,
    }


def announced(heddle, mpi, program, *words, ranks=2, **environment):
    """Runs it; the messages must have been right, announced, and received as such. What it said on stderr."""
    report = program.parent / "report.json"
    report.unlink(missing_ok=True)
    line = [*launcher(mpi), "-n", ranks, program, *words]
    done = heddle("run", "--", *line, HEDDLE_REPORT=str(report), **environment)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr
    rows = json.loads(report.read_text())["rows"]
    received = {row["way"] for row in rows if row["call"] == "receive"}
    assert received and not received & {"packed", "unpacked", "native"}, rows
    return done.stderr


@pytest.mark.parametrize("how", ["name", "pmpi", "begun", "large", "committed_past_us", "at_end"])
def test_by_any_name(heddle, mpi, built, how):
    announced(heddle, mpi, built["program"], how)


@pytest.mark.parametrize("name", ["MPI_Recv", "PMPI_Recv"])
def test_taken_by_dlsym_as_language_bindings_do(heddle, mpi, built, name):
    announced(heddle, mpi, built["program"], "dlsym", LIBRARY[mpi], name)


def test_of_a_plugin_that_binds_deeply(heddle, mpi, built):
    announced(heddle, mpi, built["program"], "plugin", built["plugin"])


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("how", ["name", "pmpi", "at_end"])
def test_beneath_a_tool_that_is_preloaded(heddle, mpi, built, how, ranks):
    said = announced(heddle, mpi, built["program"], how, ranks=ranks, LD_PRELOAD=str(built["tool"]))
    assert ("tool: 5 receives" in said) == (how != "pmpi"), said


@pytest.mark.parametrize("program", ["linked"])
def test_beneath_a_tool_that_is_linked(heddle, mpi, built, program):
    assert "tool: 5 receives" in announced(heddle, mpi, built[program], "name")
