"""`heddle bench seek`: both ways are measured, a flat curve is flat, and the figure is drawn."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest


@pytest.fixture(scope="module")
def seeking(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seek")
    command = [sys.executable, "-m", "heddle", "bench", "seek", "--quick"]
    command += ["--json", str(folder / "rows.json"), "--plot", str(folder / "figure.svg")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "rows.json").read_text()), (folder / "figure.svg").read_text()


def test_both_ways_and_the_host_are_measured(seeking):
    rows, _ = seeking
    seen = {(row["variant"], row["metric"]) for row in rows}
    for variant in ("dual-context", "single-context", "host"):
        assert {(variant, "search_us"), (variant, "pack_us"), (variant, "share"), (variant, "seek_ns")} <= seen


def test_one_context_searches_longer_the_further_it_is(seeking):
    rows, _ = seeking
    at = {
        row["case"].split(" at ")[1]: row["value"]
        for row in rows
        if row["variant"] == "single-context" and " at " in row["case"]
    }
    assert at["99 %"] > 5 * at["1 %"]


def test_the_figure_has_a_panel_for_each_way(seeking):
    _, figure = seeking
    texts = [text.text for text in ElementTree.fromstring(figure).iter("{http://www.w3.org/2000/svg}text")]
    assert {text[:3] for text in texts if text.startswith("(")} == {"(a)", "(b)", "(c)"}
    assert {"search", "look ahead", "pack", "25 %", "64²"} <= set(texts)


def test_a_figure_of_another_kind_is_refused():
    command = [sys.executable, "-m", "heddle", "bench", "seek", "--quick", "--plot", "figure.bmp"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "figure.bmp ends in neither .svg nor .png" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
