"""Late ranks: in the report, in the lines after a run, on the page. Arrows of a timeline. 3
ranks."""

import json
import re

import pytest
from conftest import compiled
from heddle.reported import Site, waits
from heddle.reported.reading import rows_of

# Rank 1 comes 30 ms late to each exchange, then rank 0 to the barrier, then rank 1 to a long
# message. The exchange has a wildcard and ignores its statuses.
LATE = r"""
#include <mpi.h>
#include <unistd.h>
#define TIMES 5
static double a[400000], b[100];
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int i = 0; i < TIMES; ++i) {
    MPI_Request requests[4];
    if (rank == 1) usleep(30000);
    MPI_Irecv(a, 100, MPI_DOUBLE, left, 1, other, &requests[0]);
    MPI_Irecv(b, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a + 100, 100, MPI_DOUBLE, right, 1, other, &requests[2]);
    MPI_Isend(a + 200, 100, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) usleep(30000);
    MPI_Barrier(other);
    if (rank == 0) MPI_Send(a, 400000, MPI_DOUBLE, 1, 3, other);
    if (rank == 1) {
      usleep(30000);
      MPI_Recv(a, 400000, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
"""

# Each message has a length of its own, and is received by a call with room for exactly so much.
# So an arrow of the timeline must join calls of the same bytes.
UNEQUAL = r"""
#include <mpi.h>
#include <stdlib.h>
#define MOST 400
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comms[3] = {MPI_COMM_WORLD};
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]); /* in reverse order */
  static char out[3 * MOST + 10], in[3 * MOST + 10];
  MPI_Request sends[MOST];
  for (int i = 0; i < MOST; ++i) {
    int me;
    MPI_Comm comm = comms[i % 3];
    MPI_Comm_rank(comm, &me);
    MPI_Isend(out, 3 * i + rank, MPI_CHAR, (me + 1) % ranks, i % 4, comm, &sends[i]);
  }
  for (int pass = 0; pass < 3; ++pass) /* the communicators in another order than they were sent on */
    for (int i = 2 - pass; i < MOST; i += 3) {
      int me;
      MPI_Comm comm = comms[i % 3];
      MPI_Comm_rank(comm, &me);
      int left = (me + ranks - 1) % ranks, from = comm == comms[2] ? (rank + 1) % ranks : (rank + ranks - 1) % ranks;
      int count = 3 * i + from;
      MPI_Status status;
      if (i % 5 == 0) { /* the probe waits */
        MPI_Probe(MPI_ANY_SOURCE, i % 4, comm, &status);
        MPI_Recv(in, count, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(in, count, MPI_CHAR, i % 2 ? MPI_ANY_SOURCE : left, i % 4, comm, MPI_STATUS_IGNORE);
      }
    }
  MPI_Waitall(MOST, sends, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 30; ++i) { /* persistent requests, in the order of their starts */
    MPI_Request pair[2];
    int left = (rank + ranks - 1) % ranks;
    MPI_Send_init(out, 3 * i + rank, MPI_CHAR, (rank + 1) % ranks, 9, comms[1], &pair[0]);
    MPI_Start(&pair[0]);
    MPI_Recv(in, 3 * i + left, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[1], MPI_STATUS_IGNORE);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&pair[0]);
  }
  MPI_Finalize();
  return 0;
}
"""


def _program(mpi, folder, name, text):
    source = folder / f"{name}.c"
    source.write_text(text)
    return compiled(mpi, folder / f"{name}.out", "-g", source)


@pytest.fixture(scope="module")
def late(mpi, tmp_path_factory):
    return _program(mpi, tmp_path_factory.mktemp(mpi), "late", LATE)


@pytest.fixture(scope="module")
def unequal(mpi, tmp_path_factory):
    return _program(mpi, tmp_path_factory.mktemp(mpi), "unequal", UNEQUAL)


@pytest.mark.parametrize("settings", [{}, {"HEDDLE": "off"}, {"HEDDLE_NODES": "2"}], ids=["on", "off", "nodes"])
def test_the_report_names_the_late_ranks(heddle, late, tmp_path, settings):
    file = tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 3, "--", late, **settings)
    assert done.returncode == 0, done
    found = rows_of(file)
    sites = {}
    for name in ("MPI_Waitall", "MPI_Barrier", "MPI_Send"):
        (sites[name],) = (one for one in found.sites if one.name == name)
    exchange, barrier, long = sites["MPI_Waitall"], sites["MPI_Barrier"], sites["MPI_Send"]
    # The ranks 0 and 2 wait 5 times for rank 1, the ranks 1 and 2 for rank 0, rank 0 for rank 1.
    # A busy machine makes other ranks late, too.
    assert exchange.waited_for[1] > 2 * 5 * 7e3, exchange
    assert barrier.waited_for[0] > 2 * 5 * 3e3, barrier
    assert long.waited_for[1] > 5 * 3e3 and "late receiver" in long.waited_us, long
    assert exchange.waited_us["late sender"] > sum(exchange.waited_us.values()) / 2
    assert set(barrier.waited_us) == {"collective"}
    for one in found.sites:
        assert sum(one.waited_for.values()) == pytest.approx(sum(one.waited_us.values()))
        assert sum(one.waited_for.values()) <= one.us + 1
    assert sum(sum(one.waited_for.values()) for one in found.by_rank) == pytest.approx(
        sum(sum(one.waited_for.values()) for one in found.sites)
    )
    assert all(rank not in one.waited_for for rank, one in enumerate(found.by_rank))
    (said,) = (line for line in done.stderr.splitlines() if "waiting for late ranks" in line)
    late_rank = max(range(3), key=lambda rank: sum(one.waited_for.get(rank, 0) for one in found.sites))
    most = max(found.sites, key=lambda one: sum(one.waited_for.values()))
    assert re.search(rf"for rank {late_rank} \(\d+ %\)", said) and f"most in {most.name} in main (late.c:" in said, said
    shown = heddle("report", file).stdout
    assert said.removeprefix("heddle: ") in " ".join(shown.split()) and "waiting for late ranks" in shown


def test_the_page_shows_who_waits_for_whom(heddle, late, tmp_path):
    file, page = tmp_path / "r.json", tmp_path / "r.html"
    assert heddle("run", f"--report={file}", "-n", 3, "--", late).returncode == 0
    assert heddle("report", file, f"--html={page}").returncode == 0
    text = page.read_text()
    assert "Who waits for whom" in text and re.search(r"<title>rank 0, waits for rank 1: \d+ ms", text)
    assert "late sender" in text
    assert json.loads(heddle("report", "--json", file).stdout)["by_rank"][0]["waited_for"]["1"] > 0


@pytest.mark.parametrize("switch", ["on", "off"])
def test_arrows_join_the_ends_of_messages(heddle, unequal, tmp_path, switch):
    file = tmp_path / "t.json"
    done = heddle("run", "-n", 3, "--", unequal, HEDDLE_TRACE=str(file), HEDDLE=switch)
    assert done.returncode == 0, done
    events = json.loads(file.read_text())["traceEvents"]
    calls = {rank: [one for one in events if one["ph"] == "X" and one["pid"] == rank] for rank in range(3)}

    def call(arrow):
        (found,) = (
            one
            for one in calls[arrow["pid"]]
            if one["tid"] == arrow["tid"] and one["ts"] <= arrow["ts"] <= one["ts"] + one["dur"]
        )
        return found

    begins = {one["id"]: one for one in events if one["ph"] == "s"}
    ends = {one["id"]: one for one in events if one["ph"] == "f"}
    assert len(begins) == 3 * 430 and set(begins) == set(ends)
    assert all(one["ph"] not in "sf" or one["cat"] == "message" for one in events)
    probed = 0
    for number, begin in begins.items():
        end = ends[number]
        assert begin["ts"] <= end["ts"]
        sent, received = call(begin), call(end)
        assert sent["name"] in ("MPI_Isend", "MPI_Start")
        if received["name"] == "MPI_Probe":
            probed += 1
        else:
            assert received["name"] == "MPI_Recv" and sent["args"]["bytes"] == received["args"]["bytes"], (sent, received)
            assert sent["name"] == "MPI_Start" or sent["args"]["to"] == end["pid"]
    assert probed == 3 * 80


def test_the_words():
    site = Site(
        "MPI_Wait", 3, 9, 900.0, waited_us={"late sender": 540.0, "late receiver": 60.0}, waited_for={2: 400.0, 1: 200.0}
    )
    assert waits.of_site(site, 3) == "200 us, for rank 2 (67 %): late sender or late receiver"


def test_odd_reports_do_no_harm(heddle, tmp_path):
    """Times of 0, and reasons that are missing. Times below 0 are refused."""
    site = {"procedure": "MPI_Wait", "ranks": 2, "calls": 1, "us": 9.0, "bytes": 0}
    report = {"heddle_report": 3, "ranks": 2, "elapsed_us": 10.0, "rows": [], "sites": [site]}
    report["procedures"] = [{"name": "MPI_Wait", "ranks": 2, "calls": 1, "us": 9.0}]
    file = tmp_path / "r.json"
    for waited, words in (({}, None), ({"0": 0, "1": 0.0}, None), ({"1": 4.0}, "2 us, for rank 1")):
        site["waited_for"] = waited
        file.write_text(json.dumps(report))
        done = heddle("report", file)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done
        assert ("waiting for late ranks" in done.stdout) == (words is not None)
        assert not words or words in done.stdout
        assert heddle("report", file, f"--html={tmp_path / 'r.html'}").returncode == 0
    for waited in ({"1": 1e308, "0": 1e308}, {"0": -1, "1": -5}):
        site["waited_for"] = waited
        file.write_text(json.dumps(report))
        done = heddle("report", file)
        assert done.returncode != 0 and "is no time" in done.stderr, done


# MPICH has about 2000 communicators. The program takes all of them, and its messages still have
# their times.
EXHAUSTED = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 0, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2500 && !failed; ++i) {
    MPI_Comm made;
    failed = MPI_Comm_dup(MPI_COMM_WORLD, &made) != MPI_SUCCESS;
  }
  if (rank == 1) usleep(30000);
  MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("settings", [{}, {"HEDDLE": "off"}], ids=["on", "off"])
def test_a_program_may_use_up_all_communicators(heddle, mpi, tmp_path, settings):
    program, file = _program(mpi, tmp_path, "exhausted", EXHAUSTED), tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 2, "--", program, **settings)
    assert done.returncode == 0, done
    assert rows_of(file).ranks == 2


# Rank 0 alone imitates two nodes. A setting is read when the program starts.
DIFFERENT = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  const char* rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
  if (rank && strcmp(rank, "0") == 0 && !getenv("HEDDLE_NODES")) {
    setenv("HEDDLE_NODES", "2", 1);
    execv("/proc/self/exe", argv);
  }
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def test_ranks_may_differ_in_what_they_take_for_a_node(heddle, mpi, tmp_path):
    """The ranks compare their clocks by what they tell each other, and not by a setting."""
    program, file = _program(mpi, tmp_path, "different", DIFFERENT), tmp_path / "t.json"
    done = heddle("run", "-n", 3, "--", program, HEDDLE_TRACE=str(file), HEDDLE="off")
    assert done.returncode == 0, done
    barriers = [one for one in json.loads(file.read_text())["traceEvents"] if one["name"] == "MPI_Barrier"]
    assert len(barriers) == 3 and max(one["ts"] for one in barriers) <= min(one["ts"] + one["dur"] for one in barriers)
