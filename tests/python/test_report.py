"""heddle report: tables and pages of what HEDDLE_REPORT has written, and of what it has not."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

COLUMN = "loop 128 × 16384 B { block 256 }"


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


def test_the_dearest_come_first(heddle, written):
    file = written(report(row(), row(call="receive", way="direct", copy_us=5000.0)))
    lines = heddle("report", file).stdout.splitlines()
    assert "direct" in lines[1] and "bc-spup" in lines[2] and COLUMN in lines[2]
    assert "10 MiB" in lines[1] and "94 %" in lines[1] and "4 ranks" in "\n".join(lines)
    assert "1 more rows" in heddle("report", file, "--rows", 1).stdout


def test_page_stands_alone(heddle, written, tmp_path):
    page = tmp_path / "page.html"
    done = heddle("report", written(report(row(datatype="a <b> & c"), row(call="receive"))), "--html", page)
    assert done.returncode == 0 and str(page) in done.stdout.replace("\n", "")
    text = page.read_text()
    assert "a &lt;b&gt; &amp; c" in text and "<b>" not in text
    assert "http" not in text and "<script" not in text and "src=" not in text
    ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"search_us": 1e4}, "Commit it once"),
        ({"wait_us": 1e4}, "waiting for the receiver"),
        ({"wait_us": 1e4, "call": "receive"}, "waiting for the sender"),
        ({}, "MPI_Alloc_mem"),
        ({"way": "packed", "calls": 100000}, "Fewer and larger"),
        ({"way": "direct"}, ""),
    ],
)
def test_says_what_would_gain_more(heddle, written, change, words):
    output = " ".join(heddle("report", written(report(row(**change)))).stdout.split())
    assert words in output and ("→" in output) == bool(words)


def test_an_empty_report(heddle, written):
    done = heddle("report", written(report()))
    assert done.returncode == 0 and "no message with holes" in done.stdout


NONSENSE = ["", "{", "[]", "3", "{}", '{"heddle_report": 1}', '{"heddle_report": 1, "ranks": 1, "rows": [3]}', "\x00"]


@pytest.mark.parametrize("text", [*NONSENSE, json.dumps(report(row(calls="x"))), json.dumps(report({"call": "send"}))])
def test_nonsense_gets_a_sentence(heddle, written, text):
    done = heddle("report", written(text))
    assert done.returncode == 1 and done.stderr.startswith("heddle: ") and "is no report" in done.stderr and not done.stdout


def test_other_problems(heddle, written, tmp_path):
    assert "version 2" in heddle("report", written({"heddle_report": 2})).stderr
    assert "cannot read" in heddle("report", tmp_path / "none.json").stderr
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

    from heddle.reported import page, rows_of

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.json"
        file.write_text(json.dumps(report(*rows)))
        assert page.draw(rows_of(file), "r.json").count("<tr>") == len(rows) + 1
