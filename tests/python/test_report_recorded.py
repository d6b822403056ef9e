"""A program's run records its report: rows of messages and collectives, why each way was taken,
procedures, communicators, short blocks. With each MPI."""

import json
import subprocess

import pytest
from conftest import COLUMNS, MPIS, compiled, launcher, prefix

LAST = {"MPI_Finalize": {"by nature": 2}}

COLLECTIVES = COLUMNS.replace(
    "  for (int i = 0; i < 10; ++i) {",
    """
  int* all = malloc(2 * 128 * 128 * sizeof(int));
  MPI_Request request;
  MPI_Bcast(matrix, 1, column, 0, MPI_COMM_WORLD);
  MPI_Ibcast(matrix, 1, column, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Gather(matrix, 1, column, all, 128 * 128, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 0; ++i) {""",
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("columns")
    (folder / "columns.c").write_text(COLUMNS)
    (folder / "collectives.c").write_text(COLLECTIVES)
    for mpi in MPIS:
        for name, program in (("columns", mpi), ("collectives", f"collectives-{mpi}")):
            subprocess.run([prefix(mpi) / "bin/mpicc", folder / f"{name}.c", "-o", folder / program], check=True)
    return {name: folder / name for mpi in MPIS for name in (mpi, f"collectives-{mpi}")}


@pytest.mark.parametrize("scheme", ["bc-spup", "multi-w"])
@pytest.mark.parametrize("mpi", MPIS)
def test_a_program_is_reported(heddle, programs, tmp_path, mpi, scheme):
    file = tmp_path / "r.json"
    done = heddle("run", "-n", 2, "--", programs[mpi], HEDDLE_REPORT=str(file), HEDDLE_SCHEME=scheme)
    assert done.returncode == 0, done
    found = json.loads(file.read_text())
    assert found["ranks"] == 2 and [row["call"] for row in found["rows"]] == ["receive", "send"]
    for row in found["rows"]:
        assert (row["way"], row["ranks"], row["calls"], row["bytes"]) == (scheme, 1, 10, 10 * 64 * 1024)
        assert row["datatype"] == "loop 128 × 16384 B { block 512 }"
    receive, send = found["rows"]
    assert receive["copy_us"] > 0 and receive["pack_us"] == 0 and send["copy_us"] == 0 and send["search_us"] > 0
    assert scheme in heddle("report", file).stdout


@pytest.mark.parametrize("mpi", MPIS)
def test_why_a_way_was_taken(heddle, programs, tmp_path, mpi):
    def rows(**settings: str) -> dict[str, dict]:
        done = heddle("run", "-n", 2, "--", programs[mpi], HEDDLE_REPORT=str(tmp_path / "r.json"), **settings)
        assert done.returncode == 0, done
        return {row["call"]: row for row in json.loads((tmp_path / "r.json").read_text())["rows"]}

    chosen = rows()
    assert "us" in chosen["send"]["why"] and chosen["receive"]["why"] == "its sender has chosen it"
    assert rows(HEDDLE_SCHEME="multi-w")["send"]["why"] == "HEDDLE_SCHEME says so"
    short = rows(HEDDLE_RENDEZVOUS="1M", HEDDLE_MESSAGES="packed")["send"]
    assert (short["way"], short["why"]) == ("packed", "65536 bytes are fewer than HEDDLE_RENDEZVOUS (1048576)")


@pytest.mark.parametrize("mpi", MPIS)
def test_why_a_short_non_blocking_send_packs(heddle, tmp_path, mpi):
    """The receiver could read the sender's memory, but the send must complete before its
    receive."""
    sends = "MPI_Isend(matrix, 1, column, 1, 0, MPI_COMM_WORLD, &request), MPI_Wait(&request, MPI_STATUS_IGNORE)"
    text = COLUMNS.replace("MPI_Send(matrix, 1, column, 1, 0, MPI_COMM_WORLD)", sends).replace(
        "int rank;", "int rank; MPI_Request request;"
    )
    (tmp_path / "sends.c").write_text(text)
    program = compiled(mpi, tmp_path / "sends", tmp_path / "sends.c")
    done = heddle("run", "-n", 2, "--", program, HEDDLE_REPORT=str(tmp_path / "r.json"), HEDDLE_PROFILE="builtin")
    assert done.returncode == 0, done
    (why,) = [row["why"] for row in json.loads((tmp_path / "r.json").read_text())["rows"] if row["call"] == "send"]
    assert "cannot read" not in why and ("completes before its receive" in why or "more ranks than cores" in why), why


GATHERS = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int counts[] = {100, 100}, places[] = {0, 100};
  double *out = calloc(200, sizeof(double)), *in = calloc(200, sizeof(double));
  for (int i = 0; i < 5; ++i) {
    MPI_Allgatherv(out, 100, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Bcast(out, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
"""


@pytest.mark.parametrize(("collectives", "why"), [("auto", "trial or library as fast"), ("native", "as set")])
@pytest.mark.parametrize("mpi", MPIS)
def test_why_a_collective_of_data_in_one_piece_was_handed_on(heddle, tmp_path, mpi, collectives, why):
    (tmp_path / "gathers.c").write_text(GATHERS)
    program = compiled(mpi, tmp_path / "gathers", tmp_path / "gathers.c")
    settings = {"HEDDLE_COLLECTIVES": collectives, "HEDDLE_PROFILE": "builtin"}
    done = heddle("run", "-n", 2, "--", program, HEDDLE_REPORT=str(tmp_path / "r.json"), **settings)
    assert done.returncode == 0, done
    passed = {one["name"]: one["passed"] for one in json.loads((tmp_path / "r.json").read_text())["procedures"]}
    assert passed == {"MPI_Allgatherv": {why: 10}, "MPI_Bcast": {"no holes": 10}, **LAST}


@pytest.mark.parametrize("mpi", MPIS)
def test_messages_left_to_the_library_are_left_to_it(heddle, programs, tmp_path, mpi):
    done = heddle("run", "-n", 2, "--", programs[mpi], HEDDLE_REPORT=str(tmp_path / "r.json"), HEDDLE_MESSAGES="native")
    assert done.returncode == 0, done
    found = json.loads((tmp_path / "r.json").read_text())
    assert not found["rows"]
    passed = {one["name"]: (one["carried"], one["passed"]) for one in found["procedures"] if one["name"] not in LAST}
    assert passed == {"MPI_Send": (0, {"as set": 10}), "MPI_Recv": (0, {"as set": 10})}


@pytest.mark.parametrize("switch", ["on", "off"])
@pytest.mark.parametrize("mpi", MPIS)
def test_times_of_procedures_are_told_with_heddle_and_without(heddle, programs, tmp_path, mpi, switch):
    """A procedure counts under all its names."""
    file = tmp_path / "r.json"
    done = heddle("run", "-n", 2, "--", programs[f"collectives-{mpi}"], HEDDLE_REPORT=str(file), HEDDLE=switch)
    assert done.returncode == 0 and not done.stderr, done
    found = json.loads(file.read_text())
    assert found["heddle"] == switch and found["ranks"] == 2 and bool(found["rows"]) == (switch == "on")
    assert {one["name"]: (one["ranks"], one["calls"]) for one in found["procedures"]} == {
        name: (2, 2) for name in ("MPI_Bcast", "MPI_Ibcast", "MPI_Wait", "MPI_Gather", *LAST)
    }
    spent = [one["us"] for one in found["procedures"]]
    assert all(us > 0 for us in spent) and sum(spent) < 2 * found["elapsed_us"]
    if switch == "off":
        shown = heddle("report", file).stdout
        assert "Heddle was off, and carried nothing" in shown and "MPI_Ibcast" in shown and "no message" not in shown


@pytest.mark.parametrize("mpi", MPIS)
def test_counts_what_collectives_pack(heddle, programs, tmp_path, mpi):
    """Counts by procedure and datatype, blocking or not. The root packs, and others unpack."""
    file = tmp_path / "r.json"
    done = heddle("run", "-n", 2, "--", programs[f"collectives-{mpi}"], HEDDLE_REPORT=str(file))
    assert done.returncode == 0, done
    rows = {(row["procedure"], row["call"], row["way"]): row for row in json.loads(file.read_text())["rows"]}
    assert {key: (row["ranks"], row["calls"]) for key, row in rows.items()} == {
        ("MPI_Bcast", "broadcast", "packed"): (1, 1),
        ("MPI_Bcast", "broadcast", "unpacked"): (1, 1),
        ("MPI_Ibcast", "broadcast", "packed"): (1, 1),
        ("MPI_Ibcast", "broadcast", "unpacked"): (1, 1),  # in the MPI_Wait that completes it
        ("MPI_Gather", "gather", "packed"): (2, 2),
    }
    for row in rows.values():
        assert row["bytes"] == row["calls"] * 64 * 1024 and row["datatype"] == "loop 128 × 16384 B { block 512 }"
    for name in ("MPI_Bcast", "MPI_Ibcast"):
        assert rows[name, "broadcast", "packed"]["pack_us"] > 0 and rows[name, "broadcast", "unpacked"]["copy_us"] > 0


@pytest.mark.parametrize("mpi", MPIS)
def test_what_cannot_be_used_is_said_once(heddle, programs, tmp_path, mpi):
    """A damaged profile and an unwritable file give two sentences. The program does not notice.

    heddle run does not check the file before: the ranks of a launcher may be on other machines."""
    (tmp_path / "p.json").write_text("{")
    wrong = {"HEDDLE_PROFILE": str(tmp_path / "p.json"), "HEDDLE_REPORT": str(tmp_path / "no/r.json"), "HEDDLE_SCHEME": "auto"}
    done = heddle("run", "--", *launcher(mpi), "-n", 2, programs[mpi], **wrong)
    assert done.returncode == 0
    assert done.stderr.count("is damaged") == 1 and done.stderr.count("the report is lost") == 1, done.stderr


GRID = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int dims[2] = {3, 2}, periods[2] = {0, 0}, rows[2] = {0, 1}, columns[2] = {1, 0}, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm made[5];
  MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made[1]);
  MPI_Cart_sub(made[1], rows, &made[2]);
  MPI_Cart_sub(made[1], columns, &made[3]);
  MPI_Comm_split(made[0], rank % 2, 0, &made[4]);
  for (int i = 0; i < 5; ++i) MPI_Comm_free(&made[i]);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("mpi", MPIS)
def test_communicators_are_reported(heddle, tmp_path, mpi):
    (tmp_path / "grid.c").write_text(GRID)
    subprocess.run([prefix(mpi) / "bin/mpicc", tmp_path / "grid.c", "-o", tmp_path / "grid"], check=True)
    file = tmp_path / "r.json"
    assert heddle("run", "-n", 6, "--", tmp_path / "grid", HEDDLE_REPORT=str(file)).returncode == 0
    found = {
        (one["call"], one["size"]): one for one in json.loads(file.read_text())["communicators"] if one["members_bytes"] != 4
    }
    shared = found["MPI_Comm_dup", 6]
    assert (shared["kept"], shared["count"], shared["members_bytes"], shared["pointers_bytes"]) == ("identity", 6, 0, 48)
    columns, split = found["MPI_Cart_sub", 3], found["MPI_Comm_split", 3]
    assert (columns["kept"], columns["count"], columns["members_bytes"], columns["list_bytes"]) == ("stride", 6, 12, 12)
    assert (split["kept"], split["count"]) == ("stride", 6)
    output = heddle("report", file, "--html", tmp_path / "r.html").stdout
    assert "no message with holes" in output and "shared" in output and "MPI_Cart_sub" in output
    assert (tmp_path / "r.html").read_text().count("MPI_Cart_sub") >= 2


SHORT = r"""
#include <mpi.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static char sent[20000], got[20000];
  int rank, at[2] = {0, 10000};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  int out[2] = {0, 0}, in[2] = {0, 0};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  out[other] = in[other] = 100;
  for (int i = 0; i < 20; ++i) MPI_Alltoallv(sent, out, at, MPI_BYTE, got, in, at, MPI_BYTE, comm);
  if (rank == 1) in[other] = 9000;  /* more room than is sent, and than a mailbox has */
  for (int i = 0; i < 10; ++i) {
    if (rank == i % 2) usleep(2000);
    MPI_Alltoallv(sent, out, at, MPI_BYTE, got, in, at, MPI_BYTE, comm);
  }
  in[other] = 100;
  MPI_Request request;
  MPI_Alltoallv_init(sent, out, at, MPI_BYTE, got, in, at, MPI_BYTE, comm, MPI_INFO_NULL, &request);
  for (int i = 0; i < 7; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("mpi", MPIS)
def test_short_blocks_without_messages_are_counted(heddle, tmp_path, mpi):
    """2 ranks agree on mailboxes in the first three exchanges. Later, 10 blocks are retracted,
    because their receiver expects a message."""
    (tmp_path / "short.c").write_text(SHORT)
    subprocess.run([prefix(mpi) / "bin/mpicc", tmp_path / "short.c", "-o", tmp_path / "short"], check=True)
    file = tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 2, "--", tmp_path / "short", HEDDLE_TRIALS="off")
    assert done.returncode == 0, done
    found = {one["name"]: one for one in json.loads(file.read_text())["mailboxes"]}
    by_sender, by_reader = (found.get(f"retracted by {who}", {"blocks": 0})["blocks"] for who in ("sender", "reader"))
    assert by_sender + by_reader == 10
    assert found["blocking"] == {"name": "blocking", "ranks": 2, "blocks": 54 - by_sender, "bytes": 100 * (54 - by_sender)}
    assert found["persistent"] == {"name": "persistent", "ranks": 2, "blocks": 14, "bytes": 1400}
    assert f"carried: {68 - by_sender} short blocks without messages" in done.stderr
    shown = heddle("report", file, "--html", tmp_path / "r.html").stdout
    assert "short blocks without messages" in shown and "persistent" in shown
    assert "Short blocks within a node" in (tmp_path / "r.html").read_text()
    off = heddle("run", "-n", 2, "--", tmp_path / "short", HEDDLE_REPORT=str(file), HEDDLE_MAILBOXES="off")
    assert off.returncode == 0 and json.loads(file.read_text())["mailboxes"] == []
