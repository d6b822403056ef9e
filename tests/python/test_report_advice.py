"""A report says which changes of the program would gain more, by the call and its place."""

import json

import pytest
from conftest import report, row


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


def test_short_messages_are_worth_what_the_profile_says_that_one_costs(heddle, written, tmp_path):
    """100,000 messages of 1 us each. The largest gain comes first."""
    (tmp_path / "profile.json").write_text(json.dumps({"mapped_memory": {"announcement_ns": 700, "handover_ns": 300}}))
    file = written(report(row(way="packed", calls=100000), row(call="receive", wait_us=9e4)))
    output = " ".join(heddle("report", file, HEDDLE_PROFILE=str(tmp_path / "profile.json")).stdout.split())
    assert "about 23 ms of a rank: 100,000 messages of 105 bytes by send" in output
    assert output.index("about 23 ms") < output.index("up to 22 ms")
