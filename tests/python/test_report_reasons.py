"""A report's rows have the reason for their way, in the units of the tables, and say why they took
longer than predicted."""

import json

import pytest
from conftest import report, row

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


def test_a_long_analysis_of_one_call_is_named_beside_the_average(heddle, written):
    """80 messages. The first one met the datatype."""
    times = {"search_us": 3000.0, "search_us_max": 2882.0, "pack_us": 408.0, "wait_us": 0.0}
    shown = heddle("report", written(report(row(why=PREDICTED, calls=80, **times)) | {"heddle_report": 2})).stdout
    said = "A message took 42.6 us on average, of which 37.5 us analysing the datatype (2.88 ms of 3 ms in one call): the"
    assert said in shown, shown
    even = times | {"search_us_max": 50.0}
    shown = heddle("report", written(report(row(why=PREDICTED, calls=80, **even)) | {"heddle_report": 2})).stdout
    assert "37.5 us analysing the datatype: the" in shown, shown
