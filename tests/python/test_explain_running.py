"""HEDDLE_EXPLAIN: a running program describes its datatypes, like heddle explain. 2 ranks."""

import json
import re
import subprocess

import pytest
from conftest import clean_environment, compiled, launcher, prefix
from heddle import native, places, preload
from heddle.families import by_name
from heddle.installations import at_path

PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
static MPI_Datatype face, edge;
static void exchange(double* from, double* to, int other) {
  MPI_Request request;
  MPI_Irecv(to, 3, face, other, 0, MPI_COMM_WORLD, &request);
  MPI_Send(from, 3, face, other, 0, MPI_COMM_WORLD); /* line 7 */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
void __attribute__((noinline)) corner(double* from, double* to, int other) {
  MPI_Sendrecv(from, 2, edge, other, 1, to, 30, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line 11 */
}
static void __attribute__((noinline)) turn(double* from, double* to) {
  MPI_Datatype types[2] = {face, edge}, plain[2] = {MPI_DOUBLE, MPI_DOUBLE};
  const int one[2] = {1, 1}, here[2] = {0, 8}, at[2] = {0, 30000};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int come = rank ? 15 : 256 * 8, mine[2] = {come, come};
  MPI_Alltoallw(from, one, here, types, to, mine, at, plain, MPI_COMM_WORLD);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double* data = calloc(8 * 256 * 64, sizeof(double));
  for (int i = 0; i < 3; ++i) {
    MPI_Type_vector(256, 8, 64, MPI_DOUBLE, &face);
    MPI_Type_set_name(face, "face, front");
    MPI_Type_commit(&face);
    MPI_Type_create_indexed_block(5, 3, (int[]){0, 9, 4, 40, 33}, MPI_DOUBLE, &edge);
    MPI_Type_set_name(edge, "edge");
    MPI_Type_commit(&edge);
    exchange(data, data + 4 * 256 * 64, 1 - rank);
    corner(data, data + 4096, 1 - rank);
    turn(data, data + 4 * 256 * 64);
    MPI_Type_free(&face);
    MPI_Type_free(&edge);
  }
  MPI_Finalize();
  return 0;
}
"""
# Arguments without meaning are not valid addresses.
IGNORED = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, n[2] = {1, 1}, d[2] = {0, 800}, one[1] = {2}, periodic[1] = {1};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *a = calloc(1000, 8), *b = calloc(1000, 8);
  MPI_Datatype column, both[2], nonsense = (MPI_Datatype)(long)0x7fabcd;
  MPI_Type_vector(10, 2, 5, MPI_DOUBLE, &column);
  MPI_Type_set_name(column, "edge");
  MPI_Type_commit(&column);
  both[0] = both[1] = column;
  MPI_Gather(rank ? a : MPI_IN_PLACE, 1, rank ? column : nonsense, b, 20, rank ? nonsense : MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(b, 20, rank ? nonsense : MPI_DOUBLE, a, 1, column, 0, MPI_COMM_WORLD);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, (MPI_Datatype*)0x10, b, n, d, both, MPI_COMM_WORLD);
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, one, periodic, 0, &ring);
  MPI_Aint places[2] = {0, 800};
  MPI_Neighbor_alltoallw(a, n, places, both, b, n, places, both, ring);
  MPI_Request never;
  MPI_Send_init(a, 7, column, 1 - rank, 0, MPI_COMM_WORLD, &never);
  MPI_Request_free(&never);
  MPI_Finalize();
  return 0;
}
"""
FACE, EDGE = "face, front", "edge"


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp(mpi)
    (folder / "halo.c").write_text(PROGRAM.strip("\n"))
    return compiled(mpi, folder / "halo", "-g", "-O2", folder / "halo.c")


@pytest.fixture
def told(heddle, program):
    """told(names) returns the description of each datatype, and all lines."""

    def call(names: str, **more: str) -> tuple[dict[str, dict[str, str]], list[str]]:
        done = heddle("run", "-n", 2, "--", program, HEDDLE_EXPLAIN=names, **more)
        assert done.returncode == 0, done
        return parsed(done.stderr)

    return call


def parsed(text: str) -> tuple[dict[str, dict[str, str]], list[str]]:
    lines, about = text.splitlines(), {}
    for line in lines:
        assert line.startswith("heddle: "), line
        for name in (FACE, EDGE, "MPI_DOUBLE"):
            if line.startswith(f"heddle: {name}: "):
                what, _, value = line.removeprefix(f"heddle: {name}: ").partition(": ")
                assert what not in about.setdefault(name, {}), f"said twice: {line}"
                about[name][what] = value
    return about, lines


def test_a_datatype_by_its_name_once_and_by_one_rank(told):
    about, _ = told("edge")
    assert set(about) == {EDGE}
    (used,) = (what for what in about[EDGE] if what.startswith("used by"))
    assert used.startswith("used by MPI_Sendrecv from ")
    assert about[EDGE]["size"] == "120" and about[EDGE]["count"] == "2" and about[EDGE]["blocks"].startswith("10, ")


def test_a_name_with_a_comma_and_several_names(told):
    assert set(told(FACE)[0]) == {FACE}
    assert set(told("edge,MPI_DOUBLE")[0]) == {EDGE, "MPI_DOUBLE"}
    assert set(told("all")[0]) == {FACE, EDGE, "MPI_DOUBLE"}


@pytest.mark.parametrize("name", [FACE, EDGE])
def test_what_is_said_is_what_heddle_explain_says(heddle, told, name):
    said = told(name)[0][name]
    done = subprocess.run(
        [native.program("heddle-tool"), "explain", said["type"], "--count", said["count"]],
        capture_output=True,
        text=True,
        env=clean_environment(),
        check=True,
    )
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    for what in ("type", "size", "extent", "lower_bound", "true_extent", "canonical", "blocks"):
        assert said[what] == lines[what], what
    assert heddle("explain", said["type"]).returncode == 0
    assert said["size"] == ("16384" if name == FACE else "120") and "double" in said["type"]


def test_the_way_of_a_message_is_that_of_its_settings(told):
    way = "within a node, any memory"
    assert "HEDDLE" not in told(FACE)[0][FACE][way]
    forced = told(FACE, HEDDLE_SCHEME="p-rrs")[0][FACE][way]
    assert forced.startswith("p-rrs: ") and "by HEDDLE_SCHEME=p-rrs" in forced
    assert "HEDDLE_SCHEME=native" in told(FACE, HEDDLE_SCHEME="native")[0][FACE]["within a node"]
    assert "HEDDLE_RENDEZVOUS (1048576)" in told(FACE, HEDDLE_RENDEZVOUS="1M")[0][FACE]["within a node"]
    assert "Heddle is off" in told(FACE, HEDDLE="off")[0][FACE]["within a node"]


def test_datatypes_by_the_function_that_uses_them(told):
    about, lines = told("exchange")
    assert set(about) == {FACE}, lines  # even if the compiler has inlined the function into main
    assert any(line.endswith("used by MPI_Irecv from exchange (halo.c:6)") for line in lines), lines
    assert set(told("corner")[0]) == {EDGE, "MPI_DOUBLE"}
    assert {FACE, EDGE} <= set(told("turn")[0])  # in lists of types of MPI_Alltoallw
    assert set(told("MPI_Send")[0]) == {FACE}


def test_datatypes_by_a_line(told):
    assert set(told("halo.c:7")[0]) == {FACE}
    about, _ = told("halo.c:11")
    assert EDGE in about and FACE not in about
    assert set(told("halo.c:7,halo.c:11")[0]) >= {FACE, EDGE}


def test_datatypes_by_module_and_offset_as_it_is_said(heddle, program):
    """Without debug information, no call has a line."""
    bare = program.parent / "bare"
    subprocess.run(["strip", "-g", "-o", bare, program], check=True)

    def told(names: str) -> tuple[dict, list[str]]:
        return parsed(heddle("run", "-n", 2, "--", bare, HEDDLE_EXPLAIN=names).stderr)

    _, lines = told("MPI_Send")
    place = re.search(r"bare\+0x[0-9a-f]+", "\n".join(lines))[0]
    assert set(told(place)[0]) == {FACE}


def test_lines_of_all(told):
    """Each datatype is used first in a line that rank 0 names."""
    _, lines = told("all")
    used = {line.partition(" from ")[2] for line in lines if ": used by " in line}
    assert used == {"exchange (halo.c:6)", "corner (halo.c:11)"}, lines


def test_what_nobody_has_is_said_at_the_end(told):
    about, lines = told("edge,egde")
    assert set(about) == {EDGE}
    (line,) = (line for line in lines if "HEDDLE_EXPLAIN" in line)
    assert "met nothing called egde, and other ranks are not asked." in line and FACE in line and "edge" in line
    assert "exchange (halo.c:6)" in line and "HEDDLE_EXPLAIN=all" in line and line == lines[-1]
    assert "`heddle run` looked for functions and lines of these names" in line and "are found by" not in line


def test_exported_functions_need_no_heddle_run(mpi, program):
    exported = compiled(mpi, program.parent / "exported", "-O1", "-rdynamic", program.parent / "halo.c")
    found = at_path(prefix(mpi))
    value = preload.value(by_name(mpi), found.library)
    environment = clean_environment(HEDDLE_EXPLAIN="corner")
    more = ["-x", "HEDDLE_EXPLAIN", "-x", f"LD_PRELOAD={value}"] if mpi == "openmpi" else ["-genv", "LD_PRELOAD", value]
    done = subprocess.run([*launcher(mpi), *more, "-n", "2", exported], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done
    assert EDGE in parsed(done.stderr)[0]
    assert "from corner (exported+0x" in done.stderr


def test_a_report_is_the_same_beside_it(heddle, program, tmp_path):
    calls = []
    for names in ("", "all"):
        more = {"HEDDLE_EXPLAIN": names} if names else {}
        file = tmp_path / f"{names or 'none'}.json"
        done = heddle("run", "-n", 2, "--", program, HEDDLE_REPORT=str(file), **more)
        assert done.returncode == 0 and bool(done.stderr) == bool(names), done
        sites = json.loads(file.read_text())["sites"]
        calls.append(sorted((one["procedure"], one["datatype_name"], one["calls"]) for one in sites))
    assert calls[0] == calls[1] and calls[0]


@pytest.mark.parametrize(
    ("call", "count"),
    [("MPI_Scatter", "1"), ("MPI_Alltoallw", "1"), ("MPI_Neighbor_alltoallw", "1"), ("MPI_Send_init", "7")],
)
def test_what_a_call_ignores_is_not_looked_at(heddle, mpi, tmp_path, call, count):
    (tmp_path / "ignored.c").write_text(IGNORED)
    program = compiled(mpi, tmp_path / "ignored", "-w", tmp_path / "ignored.c")
    done = heddle("run", "-n", 2, "--", program, HEDDLE_EXPLAIN=call)
    assert done.returncode == 0, done
    about, lines = parsed(done.stderr)
    assert about[EDGE]["count"] == count and about[EDGE]["size"] == "160" and f"used by {call} " in lines[0]


@pytest.mark.parametrize(
    ("name", "symbol", "same"),
    [
        ("exchange", "exchange", True),
        ("exchange", "exchange.part.0", True),
        ("exchange", "exchange_all", False),
        ("Exchange", "exchange_", True),  # Fortran
        ("exchange", "__halo_MOD_exchange", True),
        ("exchange", "_ZN4halo8exchangeEi", True),
        ("exchange", "_Z8exchangePdi", True),
        ("halo", "_ZN4halo8exchangeEi", False),
        ("exchange", "_ZNK4Halo8exchangeERKSt6vectorIdSaIdEE", True),
    ],
)
def test_symbols_are_functions(name, symbol, same):
    assert places.names(name, symbol) == same


NOBODY = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, side;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype types[4];
  const char* const names[4] = {"empty", "nobody", "sent", "got"};
  for (int i = 0; i < 4; ++i) {
    MPI_Type_vector(10, 2, 5 + i, MPI_DOUBLE, &types[i]);
    MPI_Type_set_name(types[i], names[i]);
    MPI_Type_commit(&types[i]);
  }
  static double data[400];
  MPI_Send(data, 0, types[0], 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(data, 0, types[0], 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(data, 0, types[0], 0, MPI_COMM_WORLD);
  MPI_Send(data, 1, types[1], MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(data, 1, types[1], MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  side = rank ? 0 : MPI_PROC_NULL; /* rank 0 has no neighbour on one side */
  MPI_Sendrecv(data, 1, types[2], rank ? MPI_PROC_NULL : 1, 0, data + 200, 1, types[1], side, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, 1, types[1], rank ? 0 : MPI_PROC_NULL, 1, data + 200, 1, types[3], rank ? MPI_PROC_NULL : 1, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i) MPI_Type_free(&types[i]);
  MPI_Finalize();
  return 0;
}
"""


def test_data_that_does_not_move_is_not_explained(heddle, mpi, tmp_path):
    (tmp_path / "nobody.c").write_text(NOBODY)
    program = compiled(mpi, tmp_path / "nobody", tmp_path / "nobody.c")
    done = heddle("run", "-n", 2, "--", program, HEDDLE_EXPLAIN="all")
    assert done.returncode == 0, done
    assert re.findall(r"^heddle: (\w+): used by", done.stderr, re.MULTILINE) == ["sent", "got"], done.stderr
