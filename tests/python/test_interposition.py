"""Receives that reach the MPI library by other ways than the name MPI_Recv.

Heddle sees all of them, and announces messages. If it may miss some, it announces none.
"""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import clean_environment, launcher, prefix
from heddle import families
from heddle.native import interposer

SOURCES = Path(__file__).parent / "interposition"
LIBRARY = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}


@pytest.fixture(scope="module")
def built(mpi, tmp_path_factory):
    """Programs and libraries by name, with and without a tool, and with other ways to receive."""
    folder = tmp_path_factory.mktemp(mpi)
    mpicc = prefix(mpi) / "bin/mpicc"

    def make(name: str, *words, compiler=mpicc) -> Path:
        subprocess.run([compiler, *words, "-o", folder / name, "-ldl"], check=True)
        return folder / name

    bound = ("-Wl,-z,relro,-z,now",)
    own = (SOURCES / "receives.c", SOURCES / "own.c", "-DPMPI_Recv=MPI_Recv")  # no receive of the library
    refuses = ("-shared", "-fPIC", SOURCES / "refuses.c")
    refused = {"library": LIBRARY[mpi], "program": "/bound", "tool": "bound_tool.so"}
    tool = make("libtool.so", "-shared", "-fPIC", SOURCES / "tool.c")
    return {
        "program": make("receives", SOURCES / "receives.c"),
        "linked": make("linked", SOURCES / "receives.c", SOURCES / "tool.c"),
        "linked_shared": make("linked_shared", SOURCES / "receives.c", tool, f"-Wl,-rpath,{folder}"),
        "bound": make("bound", SOURCES / "receives.c", *bound),
        "own": make("own", *own),
        "own_sysv": make("own_sysv", *own, "-Wl,--hash-style=sysv"),
        "own_library": make("own.so", "-shared", "-fPIC", SOURCES / "own.c"),
        "bound_tool": make("bound_tool.so", "-shared", "-fPIC", SOURCES / "tool.c", *bound),
        **{f"refuses_{what}": make(f"refuses_{what}.so", *refuses, f'-DOF="{name}"') for what, name in refused.items()},
        "later": make("later", SOURCES / "later.c", compiler="gcc"),
        "contains": make("contains", SOURCES / "contains.c", "-rdynamic", compiler="gcc"),
        "plugin": make("plugin.so", "-shared", "-fPIC", SOURCES / "plugin.c"),
        "asks": make("asks.so", "-shared", "-fPIC", SOURCES / "asks.c"),
        "asks_late": make("asks_late.so", "-shared", "-fPIC", SOURCES / "asks.c", "-DLATE"),
        "files": make("files", SOURCES / "files.c"),
        "tool": tool,
    }


def announced(heddle, mpi, program, *words, ranks=2, **environment):
    """Runs a program, and checks that its messages were right and announced. Returns stderr."""
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
def test_what_the_library_calls_itself_is_not_caught(heddle, mpi, built, tmp_path, ranks):
    """The library's file procedures exchange data by PMPI_ names. The report has only calls of the
    program: two accesses to the file, and no message."""
    report = tmp_path / "report.json"
    line = [*launcher(mpi), "-n", ranks, built["files"], tmp_path / "matrix"]
    done = heddle("run", "--", *line, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done
    found = json.loads(report.read_text())
    assert found["ranks"] == ranks, found
    assert [row["call"] for row in found["rows"]] == ["file read", "file write"], found["rows"]
    files = (f"MPI_File_{what}" for what in ("open", "set_view", "write_all", "read_all", "close"))
    assert {one["name"]: one["calls"] for one in found["procedures"]} == dict.fromkeys(
        (*files, "MPI_Reduce", "MPI_Finalize"), ranks
    )


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("how", ["name", "pmpi", "at_end"])
def test_beneath_a_tool_that_is_preloaded(heddle, mpi, built, how, ranks):
    said = announced(heddle, mpi, built["program"], how, ranks=ranks, LD_PRELOAD=str(built["tool"]))
    assert ("tool: 5 receives" in said) == (how != "pmpi"), said


@pytest.mark.parametrize("program", ["linked", "linked_shared"])
def test_beneath_a_tool_that_is_linked(heddle, mpi, built, program):
    assert "tool: 5 receives" in announced(heddle, mpi, built[program], "name")


@pytest.mark.parametrize("how", ["name", "begun", "dlsym"])
def test_beneath_a_tool_that_asks_the_loader(heddle, mpi, built, how):
    words = (LIBRARY[mpi], "MPI_Recv") if how == "dlsym" else ()
    said = announced(heddle, mpi, built["program"], how, *words, LD_PRELOAD=str(built["asks"]))
    assert ("tool: 5 receives" in said) == (how == "name"), said


def test_beneath_two_tools(heddle, mpi, built):
    """The first tool finds the second by dlsym."""
    said = announced(heddle, mpi, built["program"], "name", LD_PRELOAD=f"{built['asks']}:{built['tool']}")
    assert said.count("tool: 5 receives") == 2, said


def test_beneath_a_tool_that_asks_too_late_nothing_is_announced(heddle, mpi, built):
    """Before its first receive, Heddle cannot know where that will go."""
    why = "asks_late.so has receives of its own"
    packed(heddle, mpi, built["program"], "name", why=why, LD_PRELOAD=str(built["asks_late"]))


def packed(heddle, mpi, program, *words, why, mpi_at=None, **environment):
    """Runs a program. Its messages must be right and not announced, and Heddle prints the
    reason."""
    report = program.parent / "report.json"
    report.unlink(missing_ok=True)
    line = [*(["--mpi", mpi_at] if mpi_at else []), "--", *launcher(mpi), "-n", 2, program, *words]
    done = heddle("run", *line, HEDDLE_REPORT=str(report), HEDDLE_MESSAGES="packed", HEDDLE_VERBOSE="1", **environment)
    assert (done.returncode, done.stdout) == (0, "right\n") and why in done.stderr, done.stdout + done.stderr
    ways = {row["way"] for row in json.loads(report.read_text())["rows"]}
    assert ways and ways <= {"packed", "unpacked", "native"}, ways


def test_of_a_program_that_was_bound_before(heddle, mpi, built):
    announced(heddle, mpi, built["bound"], "name")


REFUSED = {
    "library": "the system does not let them be written. The program runs without Heddle.",
    "program": "the system does not let calls of some objects be redirected. They go straight to the MPI library.",
}


@pytest.mark.parametrize("how", ["name", "pmpi", "dlsym"])
@pytest.mark.parametrize("what", REFUSED)
def test_if_the_system_refuses_is_native(heddle, mpi, built, how, what):
    report = built["bound"].parent / "refused.json"
    line = [*launcher(mpi), "-n", 2, built["bound"], how, *([LIBRARY[mpi], "MPI_Recv"] if how == "dlsym" else [])]
    done = heddle("run", "--", *line, HEDDLE_REPORT=str(report), LD_PRELOAD=str(built[f"refuses_{what}"]))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr
    assert done.stderr.count(REFUSED[what]) == 2 and not report.exists(), done.stderr
    asked = heddle("doctor", "--json", "--", built["bound"], how, LD_PRELOAD=str(built[f"refuses_{what}"]))
    said = {finding["what"]: finding["seen"] for finding in json.loads(asked.stdout)}
    assert REFUSED[what] in said["Heddle says"] and "did not come to Heddle" in said["MPI_Init"], said


def test_if_the_system_refuses_a_tools_nothing_is_announced(heddle, mpi, built):
    why = "the system does not let calls of some objects be redirected"
    packed(heddle, mpi, built["program"], "name", why=why, LD_PRELOAD=f"{built['refuses_tool']}:{built['bound_tool']}")


@pytest.mark.parametrize("program", ["own", "own_sysv"])
def test_of_its_own_nothing_is_announced(heddle, mpi, built, program):
    packed(heddle, mpi, built[program], "name", why="the program has receives of its own")


def test_of_a_librarys_own_nothing_is_announced(heddle, mpi, built):
    packed(heddle, mpi, built["program"], "name", why="own.so has receives of its own", LD_PRELOAD=str(built["own_library"]))


def test_pointed_back_at_the_library_nothing_is_announced(heddle, mpi, built):
    why = "the program calls MPI_Recv of the MPI library itself"
    packed(heddle, mpi, built["program"], "pointed_back", interposer(families.by_name(mpi)), why=why)


@pytest.mark.parametrize(
    ("name", "newer", "why"),
    [
        ("MPI_Wtick", "MPI_Atick", "the MPI library has MPI_Atick, which this Heddle does not know"),
        ("MPI_Op_c2f", "MPI_Test_c", "the MPI library has MPI_Test_c, which this build of Heddle does not carry out"),
    ],
)
def test_in_a_newer_library_nothing_is_announced(heddle, mpi, built, tmp_path, name, newer, why):
    """Imitates it by the installed library, in which an unused procedure is renamed."""
    library = prefix(mpi) / "lib" / LIBRARY[mpi]
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
        for file in (prefix(mpi) / folder).iterdir():
            (tmp_path / folder / file.name).symlink_to(file)
    renamed = library.read_bytes().replace(f"{name}\0".encode(), f"{newer}\0".encode())
    (tmp_path / "lib" / library.name).unlink()
    (tmp_path / "lib" / library.name).write_bytes(renamed)
    packed(heddle, mpi, built["program"], "name", why=why, mpi_at=tmp_path)


def alone(mpi, interposed, *line, **environment):
    """Preloads the interposer without its library. Only users do so, by hand."""
    library = str(interposer(families.by_name(mpi)))
    preload = ["-genv", "LD_PRELOAD", library] if mpi == "mpich" else ["-x", f"LD_PRELOAD={library}"]
    line = [*launcher(mpi), *preload, "-n", "1", interposed, *line]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, env=clean_environment(**environment))


def test_library_that_comes_later_is_noticed_at_the_end(mpi, built):
    library = prefix(mpi) / "lib" / LIBRARY[mpi]
    used = alone(mpi, built["later"], library, "use")
    assert used.returncode == 0 and "loaded its MPI library later than Heddle, and ran without it" in used.stderr, used
    unused = alone(mpi, built["later"], library)
    assert unused.returncode == 0 and "heddle:" not in unused.stderr, unused


def test_library_within_the_program_is_noticed_at_the_end(mpi, built):
    done = alone(mpi, built["contains"])
    assert (done.returncode, done.stdout) == (0, "own work\n") and "the program contains its MPI library" in done.stderr, done
    asked = alone(mpi, built["contains"], HEDDLE_DOCTOR="on")
    assert (asked.returncode, asked.stdout) == (0, "") and "the program contains its MPI library" in asked.stderr, asked
