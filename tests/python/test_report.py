"""heddle report: tables and pages from files of HEDDLE_REPORT, and errors without them."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import COLUMN, IN_WORDS, report, row
from hypothesis import given, settings
from hypothesis import strategies as st


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


def test_a_slow_access_has_a_speed(heddle, written):
    """3 MiB in 367 ms."""
    shown = heddle("report", written(report(row(bytes=3 << 20, pack_us=367e3)))).stdout
    assert re.search(r" 0\.0086\b", shown), shown


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


def test_communicators_that_no_call_made(heddle, written):
    sizes = {"members_bytes": 4, "whole_bytes": 64, "list_bytes": 8, "pointers_bytes": 16}
    kept = [{"call": call, "kept": "identity", "size": 2, "count": 2} | sizes for call in ("MPI_COMM_WORLD", "first message")]
    shown = heddle("report", written(report() | {"communicators": kept[:1]})).stdout
    assert "How many is the sum over all processes." in shown and "no call" not in shown
    shown = heddle("report", written(report() | {"communicators": kept})).stdout
    assert "first message" not in shown and re.search(r"^no call +2 +identity +2", shown, re.MULTILINE), shown
    assert 'A row "no call" has MPI_COMM_SELF' in shown


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
