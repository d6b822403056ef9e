"""heddle report: tables and pages from files of HEDDLE_REPORT, and errors without them."""

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import COLUMNS, MPIS, compiled, launcher, prefix
from hypothesis import given, settings
from hypothesis import strategies as st

LAST = {"MPI_Finalize": {"by nature": 2}}
COLUMN = "loop 128 × 16384 B { block 256 }"
IN_WORDS = "128 blocks of 256 B, 16,384 B apart"


def row(**more) -> dict:
    plain = {"call": "send", "datatype": COLUMN, "way": "bc-spup", "ranks": 2, "calls": 10, "bytes": 10 << 20}
    return plain | {"search_us": 1.0, "pack_us": 300.0, "wait_us": 20.5, "copy_us": 0.0} | more


def report(*rows: dict) -> dict:
    return {"heddle_report": 1, "ranks": 4, "rows": list(rows)}


@pytest.fixture
def written(tmp_path):
    def write(content) -> str:
        file = tmp_path / "r.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(file)

    return write


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


def test_the_dearest_come_first(heddle, written):
    file = written(report(row(), row(call="receive", way="direct", copy_us=5000.0)))
    lines = heddle("report", file).stdout.splitlines()
    assert "direct" in lines[1] and "bc-spup" in lines[2] and IN_WORDS in lines[2] and COLUMN not in "".join(lines)
    assert "10 MiB" in lines[1] and "94 %" in lines[1] and "4 ranks" in "\n".join(lines)
    assert "1 more rows" in heddle("report", file, "--rows", 1).stdout


def test_page_stands_alone(heddle, written, tmp_path):
    page = tmp_path / "page.html"
    done = heddle("report", written(report(row(datatype="a <b> & c"), row(call="receive"))), "--html", page)
    assert done.returncode == 0 and str(page) in done.stdout.replace("\n", "")
    text = page.read_text()
    assert "a &lt;b&gt; &amp; c" in text and "a <b>" not in text
    assert "http" not in text and "<script" not in text and "src=" not in text
    pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    drawn = {one.get("id") for picture in pictures for one in ElementTree.fromstring(picture).iter("symbol")}
    used = {one.get("href") for picture in pictures for one in ElementTree.fromstring(picture).iter("use")}
    assert used == {f"#{name}" for name in drawn} and len(drawn) == 1


def test_a_datatype_has_first_its_name_its_call_and_a_picture(heddle, written, tmp_path):
    """The layout itself comes last, and closed. A datatype without a name has a short
    description."""
    place = {"module": "/no/such/app", "offset": "0x10", "symbol": "exchange", "procedure": "MPI_Send"}
    for name, title in (("face", "face"), ("", "128 blocks of 256 B, 16,384 B apart")):
        raw = report(row(datatype_name=name, **place)) | {"heddle_report": 2}
        heddle("report", written(raw), "--html", tmp_path / "r.html")
        text = (tmp_path / "r.html").read_text()
        bars, table = text.partition("What Heddle carried")[::2]
        order = [f"<b>{title}</b>", "MPI_Send send in exchange (app+0x10), bc-spup", '<use href="#layout-0"/>']
        assert [bars.count(part) for part in order] == [1, 1, 1] and sorted(order, key=bars.index) == order
        layout = f"<details><summary>layout</summary><code>{COLUMN}</code></details>"
        order = [f"<b>{title}</b>", '<use href="#layout-0"/>', layout]
        assert [table.count(part) for part in order] == [1, 1, 1] and sorted(order, key=table.index) == order
        assert COLUMN not in bars


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"search_us": 1e4, "search_us_max": 1e3},
            "at least 2 ms of a rank: send of 128 blocks of 256 B, 16,384 B apart analyses the datatype 10 times",
        ),
        ({"search_us": 1e4, "search_us_max": 4.9e3}, ""),  # the first search of each rank is needed
        ({"search_us": 1e4}, ""),  # reports of version 1 do not separate it from the others
        ({"wait_us": 1e4}, "up to 2.5 ms of a rank: send of 128 blocks of 256 B, 16,384 B apart waits for the receiver"),
        ({"wait_us": 1e4, "call": "receive"}, "waits for the sender"),
        ({"way": "packed", "calls": 100000}, ""),  # without a profile of the machine, the cost of a message is unknown
        ({}, ""),
    ],
)
def test_says_what_would_gain_more(heddle, written, change, words):
    output = " ".join(heddle("report", written(report(row(**change)))).stdout.split())
    assert words in output and ("→" in output) == bool(words)


@pytest.mark.parametrize(
    ("procedure", "call", "words"),
    [
        ("MPI_Send", "send", "do something else meanwhile (MPI_Isend)."),
        ("MPI_Recv_c", "receive", "do something else meanwhile (MPI_Irecv)."),
        ("MPI_Sendrecv", "receive", "do something else meanwhile (MPI_Isend and MPI_Irecv)."),
        ("MPI_Alltoallv", "receive", "do something else meanwhile (MPI_Ialltoallv)."),
        ("MPI_Neighbor_alltoallw", "send", "do something else meanwhile (MPI_Ineighbor_alltoallw)."),
        (
            "MPI_Irecv",
            "receive",
            "Let the sender come earlier, or post it earlier and complete it later, with work in between.",
        ),
        ("MPI_Startall", "send", "or post it earlier and complete it later, with work in between."),
        ("MPI_Waitall", "receive", "or do more work between the call that begins it and this call."),
        ("MPIX_New", "receive", "Let the sender come earlier."),
    ],
)
def test_advice_fits_the_call_and_names_its_place(heddle, written, procedure, call, words):
    place = {"module": "/no/such/app", "offset": "0x10", "symbol": "exchange"}
    raw = report(row(procedure=procedure, call=call, wait_us=1e4, **place)) | {"heddle_report": 2}
    (said,) = [
        one["what"] + ". " + one["change"] for one in json.loads(heddle("report", written(raw), "--json").stdout)["advice"]
    ]
    assert said.startswith(
        f"{procedure} in exchange (app+0x10) of 128 blocks of 256 B, 16,384 B apart waits for the "
    ) and said.endswith(words), said


def test_rows_name_the_procedure_the_communicator_and_why(heddle, written, tmp_path):
    """MPI_Bcast and MPI_Ibcast have separate rows. `why` is near its row on the page, and in its
    line."""
    sides = {"call": "broadcast", "way": "packed", "communicator": "grid", "datatype_name": "face"}
    why = "512 pieces of 8 B: packing costs 3 us, a list 9 us"
    raw = report(row(procedure="MPI_Bcast", **sides), row(procedure="MPI_Ibcast", why=why, **sides)) | {"heddle_report": 2}
    shown = heddle("report", written(raw), "--html", tmp_path / "r.html").stdout.splitlines()
    plain, waiting = [line for line in shown if line.startswith(f"face: {IN_WORDS}  ")]
    assert "  MPI_Bcast  " in plain and "  grid  " in plain and "broadcast" not in plain
    assert "  MPI_Ibcast  " in waiting and waiting.endswith(why)
    page = (tmp_path / "r.html").read_text()
    assert f'<td colspan="11">{why}</td>' in page and "What Heddle carried" in page
    assert '<td class="w">MPI_Ibcast<br><small>grid</small></td>' in page
    assert "<b>face</b><br><small>128 blocks of 256 B, 16,384 B apart</small>" in page


PREDICTED = "bc-spup: 128 blocks of 256 B to 128 blocks of 256 B: packing 0.9 us beside unpacking 0.7 us, 1.6 us in all"


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ({"pack_us": 10.0, "wait_us": 990.0}, "A message took 100 us on average, of which 99 us waiting: the prediction is"),
        ({"pack_us": 500.0, "search_us": 400.0, "wait_us": 100.0}, "of which 40 us analysing the datatype and 50 us packing"),
        ({"pack_us": 16.0, "wait_us": 1.0}, ""),  # 10 messages as predicted
    ],
)
def test_a_row_that_took_longer_than_predicted_says_why(heddle, written, tmp_path, times, said):
    none = dict.fromkeys(("search_us", "pack_us", "wait_us", "copy_us"), 0.0)
    raw = report(row(why=PREDICTED, **none | times)) | {"heddle_report": 2}
    shown = heddle("report", written(raw), "--html", tmp_path / "r.html").stdout
    for text in (shown, (tmp_path / "r.html").read_text()):
        assert PREDICTED in text and ("A message took" in text) == bool(said) and said in text, text


def test_reasons_have_the_units_of_the_tables(heddle, written, tmp_path):
    why = "bc-spup: 262144 blocks of 8 B: packing 87.0 us, 185.4 us in all; p-rrs would take 4373.3 us (packing beside "
    why += "1 remote entries at 400 ns and 262144 local entries at 15 ns); 8388608 bytes of 8388608, HEDDLE_X=65536"
    said = "bc-spup: 262,144 blocks of 8 B: packing 87 us, 185 us in all; p-rrs would take 4.37 ms (packing beside "
    said += "1 remote entry at 400 ns and 262,144 local entries at 15 ns); 8,388,608 bytes of 8,388,608, HEDDLE_X=65536"
    file = written(report(row(why=why)) | {"heddle_report": 2})
    assert said in heddle("report", file, "--html", tmp_path / "r.html").stdout and said in (tmp_path / "r.html").read_text()
    assert json.loads(heddle("report", file, "--json").stdout)["rows"][0]["why"] == why


def test_a_slow_access_has_a_speed(heddle, written):
    """3 MiB in 367 ms."""
    shown = heddle("report", written(report(row(bytes=3 << 20, pack_us=367e3)))).stdout
    assert re.search(r" 0\.0086\b", shown), shown


def test_a_long_analysis_of_one_call_is_named_beside_the_average(heddle, written):
    """80 messages. The first one met the datatype."""
    times = {"search_us": 3000.0, "search_us_max": 2882.0, "pack_us": 408.0, "wait_us": 0.0}
    shown = heddle("report", written(report(row(why=PREDICTED, calls=80, **times)) | {"heddle_report": 2})).stdout
    said = "A message took 42.6 us on average, of which 37.5 us analysing the datatype (2.88 ms of 3 ms in one call): the"
    assert said in shown, shown
    even = times | {"search_us_max": 50.0}
    shown = heddle("report", written(report(row(why=PREDICTED, calls=80, **even)) | {"heddle_report": 2})).stdout
    assert "37.5 us analysing the datatype: the" in shown, shown


def test_accesses_that_a_fence_carries_out_have_no_speed(heddle, written):
    """The row has the call of MPI_Put alone. The target copies in MPI_Win_fence."""
    put = {"call": "put", "procedure": "MPI_Put", "way": "fence", "pack_us": 3.0, "wait_us": 0.0}
    for change, speed in (({}, ""), ({"copy_us": 1000.0}, "10.4"), ({"way": "window"}, "2621.4")):
        heads, cells = heddle("report", written(report(row(**put | change)))).stdout.splitlines()[:2]
        at = heads.index("GB/s")
        assert cells[at - 2 : at + 4].strip() == speed, cells


def test_where_ranks_are_not_known_nothing_is_said_of_them(heddle, written):
    calls = [{"name": "MPI_Send", "ranks": 4, "calls": 3, "us": 4e6, "us_min": 1e5, "us_max": 2e6}]
    raw = report() | {"heddle_report": 3, "elapsed_us": 5e6, "procedures": calls}
    (whole,) = [line for line in heddle("report", written(raw)).stdout.splitlines() if line.startswith("in all")]
    assert whole.split() == ["in", "all", "3", "1", "s", "20.0", "%"]
    ranks = [{"rank": i, "elapsed_us": 5e6, "us": 1e6, "calls": 1, "bytes": 0} for i in range(4)]
    (whole,) = [line for line in heddle("report", written(raw | {"by_rank": ranks})).stdout.splitlines() if "in all" in line]
    assert whole.split() == ["in", "all", "3", "1", "s", "1", "s", "1", "s", "20.0", "%"]


def test_a_report_is_headed_by_what_it_has(heddle, written, tmp_path):
    for rows, head in (((row(),), "What Heddle did"), ((), "Time in MPI")):
        heddle("report", written(report(*rows)), "--html", tmp_path / "r.html")
        assert f"<h1>{head}: " in (tmp_path / "r.html").read_text()


def test_a_layout_has_its_extent(heddle, written, tmp_path):
    """A column of a matrix: the next one begins 256 B behind it."""
    raw = report(row(extent=256, lower_bound=0, hash="1"), row(extent=2080768 + 256, lower_bound=0, hash="2"))
    file = written(raw | {"heddle_report": 3})
    page = tmp_path / "r.html"
    heddle("report", file, "--html", page)
    described = "128 blocks of 256 B, 16,384 B apart"
    assert page.read_text().count(f"<b>{described}; extent 256 B</b>") == 2  # a bar and a row of the table
    assert page.read_text().count(f"<b>{described}</b>") == 2
    assert {one["extent"] for one in json.loads(heddle("report", file, "--json").stdout)["rows"]} == {256, 2081024}
    for wrong in ("x", 1 << 70, -(1 << 70)):
        assert "is no" in heddle("report", written(report(row(extent=wrong)))).stderr


def test_short_messages_are_worth_what_the_profile_says_that_one_costs(heddle, written, tmp_path):
    """100,000 messages of 1 us each. The largest gain comes first."""
    (tmp_path / "profile.json").write_text(json.dumps({"mapped_memory": {"announcement_ns": 700, "handover_ns": 300}}))
    file = written(report(row(way="packed", calls=100000), row(call="receive", wait_us=9e4)))
    output = " ".join(heddle("report", file, HEDDLE_PROFILE=str(tmp_path / "profile.json")).stdout.split())
    assert "about 23 ms of a rank: 100,000 messages of 105 bytes by send" in output
    assert output.index("about 23 ms") < output.index("up to 22 ms")


def test_communicators_that_no_call_made(heddle, written):
    sizes = {"members_bytes": 4, "whole_bytes": 64, "list_bytes": 8, "pointers_bytes": 16}
    kept = [{"call": call, "kept": "identity", "size": 2, "count": 2} | sizes for call in ("MPI_COMM_WORLD", "first message")]
    shown = heddle("report", written(report() | {"communicators": kept[:1]})).stdout
    assert "How many is the sum over all processes." in shown and "no call" not in shown
    shown = heddle("report", written(report() | {"communicators": kept})).stdout
    assert "first message" not in shown and re.search(r"^no call +2 +identity +2", shown, re.MULTILINE), shown
    assert 'A row "no call" has MPI_COMM_SELF' in shown


@pytest.mark.parametrize(
    ("other", "ranks", "said"),
    [
        (["/b/app", "/b/in.dat"], 4, ""),  # the same program in another folder
        (["./halo", "in.dat"], 4, "different runs: `/a/app in.dat` and `./halo in.dat`. Their ratios may mean nothing."),
        (["./app"], 8, "different runs: `/a/app in.dat` and `./app`; 4 and 8 ranks. Their ratios"),
        (["./app", "in.dat"], 8, "different runs: 4 and 8 ranks."),
        (None, 4, ""),  # from an older build
    ],
)
def test_two_reports_of_different_programs_get_a_warning(heddle, tmp_path, other, ranks, said):
    calls = {"procedures": [{"name": "MPI_Send", "ranks": 4, "calls": 3, "us": 5.0}]}
    one = report() | calls | {"heddle_report": 3, "run": {"command": ["/a/app", "in.dat"]}}
    two = one | {"ranks": ranks, "run": {"command": other} if other else {}}
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, raw in zip(files, (one, two), strict=True):
        file.write_text(json.dumps(raw))
    shown = heddle("report", *files).stdout
    assert said in shown and ("→ The reports are of" in shown) == bool(said), shown
    assert said in json.loads(heddle("report", *files, "--json").stdout).get("warning", "")


def test_two_reports_name_different_libraries_and_the_run_without_heddle(heddle, tmp_path):
    one = report() | {"heddle_report": 3, "heddle": "off", "run": {"mpi": "MPICH Version: 5.0.2"}}
    files = [tmp_path / "a.json", tmp_path / "b.json"]

    def compared(**other) -> tuple[str, dict]:
        for file, raw in zip(files, (one, one | other), strict=True):
            file.write_text(json.dumps(raw))
        return heddle("report", *files).stdout, json.loads(heddle("report", *files, "--json").stdout)

    shown, raw = compared(run={"mpi": "Open MPI v4.1.4"})
    said = "The reports are of different runs: MPICH Version: 5.0.2 and Open MPI v4.1.4."
    assert f"→ {said}" in shown and said in raw["warning"] and "Heddle was" not in shown
    shown, raw = compared(heddle="on")
    assert "Heddle was off before and on after, so" in shown and "→" not in shown
    assert (raw["heddle_before"], raw["heddle_after"]) == ("off", "on") and "warning" not in raw


def test_an_empty_report(heddle, written):
    done = heddle("report", written(report()))
    assert done.returncode == 0 and "no message with holes" in done.stdout


NONSENSE = ["", "{", "[]", "3", "{}", '{"heddle_report": 1}', '{"heddle_report": 1, "ranks": 1, "rows": [3]}', "\x00"]


@pytest.mark.parametrize("text", [*NONSENSE, json.dumps(report(row(calls="x"))), json.dumps(report({"call": "send"}))])
def test_nonsense_gets_a_sentence(heddle, written, text):
    done = heddle("report", written(text))
    assert done.returncode == 1 and done.stderr.startswith("heddle: ") and "is no report" in done.stderr and not done.stdout
    assert "HEDDLE_REPORT=r.json heddle run ... makes one" in done.stderr  # FILE may be a source, so the text does not name it


def test_other_problems(heddle, written, tmp_path):
    assert "version 4" in heddle("report", written({"heddle_report": 4})).stderr
    (tmp_path / "halo.json").touch()
    missing = heddle("report", tmp_path / "hallo.json")
    assert "cannot read" in missing.stderr and f"Did you mean {tmp_path / 'halo.json'}?" in missing.stderr
    assert heddle("report", ".", cwd=tmp_path).stderr == "heddle: . is a folder. Name a report in it.\n"
    assert "is a timeline; open it in Perfetto" in heddle("report", written({"traceEvents": []})).stderr
    done = heddle("report", written(report(row())), "--html", tmp_path / "no/folder.html")
    assert done.returncode == 1 and "cannot write" in done.stderr


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "call": st.text(max_size=9),
                "datatype": st.text(max_size=99),
                "way": st.text(max_size=9),
                "ranks": st.integers(0, 99),
                "calls": st.integers(0, 1 << 60),
                "bytes": st.integers(0, 1 << 60),
            }
            | {f"{part}_us": st.floats(0, 1e15) for part in ("search", "pack", "wait", "copy")}
        ),
        max_size=4,
    )
)
def test_any_rows_are_drawn(rows):
    import tempfile
    from pathlib import Path

    from heddle.reported import page
    from heddle.reported.reading import rows_of

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.json"
        file.write_text(json.dumps(report(*rows)))
        assert page.draw(rows_of(file), "r.json").count("<tr>") == len(rows) + bool(rows)
