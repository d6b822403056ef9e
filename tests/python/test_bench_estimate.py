"""`heddle bench estimate`: the model's figure of an exchange, its error over the cases, and the
reason where there is no figure."""

import json
from dataclasses import replace

import pytest
from heddle.bench import estimate
from heddle.bench.estimate import EXCHANGE, LIBRARY, MODEL, NONE, ONE_PIECE, OVER, Model, compared, model_of
from heddle.bench.rows import Row
from heddle.reported.estimate import LEAST, MOST
from heddle.reported.machine import LENGTHS
from test_report_estimate import PROFILE, RUN, found, row

__all__ = ["found"]  # a fixture

COLUMN = "loop 128 × 1584 B { block 24 }"
ROWS = "loop 2 × 1584 B { block 1536 }"
SENT = 2 * 128 * 24 + 2 * 2 * 1536  # bytes that a rank sends in an exchange of image 128
# PROFILE: a message takes 1 us. A byte takes 0.1 ns in one piece, and 0.5 ns in long blocks.
COLUMN_NS = PROFILE.libraries["mpich"].holed_byte_ns(24)


def side(call, datatype, exchanges=10, **more):
    """A row of two ranks with two messages each in an exchange."""
    calls, size = 4 * exchanges, 3072
    blocks = calls * (128 if datatype == COLUMN else 2)
    return row(call=call, datatype=datatype, calls=calls, bytes=calls * size, blocks=blocks) | more


def all_sides(**more):
    return [side(call, datatype, **more) for call in ("send", "receive") for datatype in (COLUMN, ROWS)]


def figure(found, *rows, code="image", sent=SENT, **more):
    return model_of(found(*rows, **more), code, sent, PROFILE)


def test_the_figure_is_of_a_rank_in_an_exchange(found):
    one = figure(found, *all_sides())
    # Four messages are sent and four received. Both sides are busy for as long as a message takes.
    assert one.us == pytest.approx(2 * (4 * 1 + 2 * 3072 * (COLUMN_NS + 0.5) / 1e3)) and one.one_piece_us == 0
    assert figure(found, *all_sides(exchanges=9000)).us == pytest.approx(one.us)


def test_the_rest_of_an_exchange_is_in_one_piece(found):
    columns = [side(call, COLUMN) for call in ("send", "receive")]
    one = figure(found, *columns, code="jacobi", sent=2 * 3072 + 2 * 4000)
    assert one.one_piece_us == pytest.approx(2 * (2 * 1 + 2 * 4000 * 0.1 / 1e3))
    assert one.us - one.one_piece_us == pytest.approx(2 * (2 * 1 + 2 * 3072 * COLUMN_NS / 1e3))


def test_the_library_carries_packed_data_in_one_piece(found):
    one = figure(found, *all_sides(way="packed"))
    assert one.one_piece_us == pytest.approx(2 * (4 * 1 + SENT * 0.1 / 1e3))
    packing = 2 * 3072 * (COLUMN_NS - 0.1 + 0.5 - 0.1) / 1e3  # half of the extra time on either side
    assert one.us - one.one_piece_us == pytest.approx(packing)


def test_a_collective_is_one_call_of_several_messages(found):
    both = [
        side("neighbor_alltoall", datatype, way=way) | {"calls": 20}
        for way in ("packed", "unpacked")
        for datatype in (COLUMN, ROWS)
    ]
    one, messages = figure(found, *both), figure(found, *all_sides(way="packed"))
    assert (one.us, one.one_piece_us) == pytest.approx((messages.us, messages.one_piece_us))


def test_messages_by_several_ways_count_once(found):
    halves = all_sides(exchanges=5) + all_sides(exchanges=5, way="direct")
    assert figure(found, *halves).us == pytest.approx(figure(found, *all_sides()).us)


SITE = {"procedure": "MPI_Isend", "ranks": 2, "calls": 40, "us": 1.0, "bytes": 1}
MAILED = {"name": "published by blocking calls", "ranks": 2, "blocks": 9, "bytes": 9}


@pytest.mark.parametrize(
    ("rows", "more", "why"),
    [
        (all_sides()[:3], {"sites": [SITE | {"passed": {"library as fast": 40}}]}, "left to the library: library as fast"),
        ([], {"sites": [SITE | {"passed": {"too little": 40, "no holes": 9}}]}, "left to the library: too little"),
        ([], {"sites": [SITE | {"passed": {"too little": 40}, "datatype_name": "MPI_FLOAT"}]}, "Heddle carried none of it"),
        ([], {"mailboxes": [MAILED]}, "carried by mailboxes, which have no rows"),
        ([*all_sides()[:3], side("receive", ROWS, wait_us=15.0)], {}, "rows with waiting"),
        (
            all_sides(),
            {"run": RUN | {"family": "openmpi"}},
            "the profile lacks messages of Open MPI with holes; run heddle tune",
        ),
    ],
)
def test_why_there_is_no_figure(found, rows, more, why):
    assert figure(found, *rows, **more) == Model(why_not=why)


def measured(us, **more):
    case = {"family": "image", "size": "128", "pattern": "messages"}
    known = {"bytes": SENT, "cores": "near", "ranks": 2} | case | more
    return Row("study", "image 128, messages", "datatypes alone", "exchange", us, "us", "MPICH 5", **known)


def by_name(rows):
    return {(one.variant, one.metric): one for one in rows}


def test_a_case_has_both_times_and_their_ratio():
    times = (10, 12, 14, 16, 18, 20, 30)
    models = [Model(us, 3) for us in (9, 10, 11)] + [Model(why_not="rows with waiting")] * 4
    rows = by_name(compared([measured(us) for us in times], models))
    alone, model, over = rows[LIBRARY, EXCHANGE], rows[MODEL, EXCHANGE], rows[LIBRARY, OVER]
    assert (alone.value, alone.lower, alone.upper, alone.best, alone.unit) == (16, 10, 30, 10, "us")
    assert (model.value, rows[MODEL, ONE_PIECE].value) == (10, 3)
    assert (over.value, over.lower, over.upper, over.rounds, over.unit) == (1.6, 1, 3, 7, "1")
    lacking = rows[NONE, "rows with waiting"]
    assert (lacking.value, lacking.samples, lacking.unit) == (4, 7, "reports")
    (line,) = estimate.lines_of(rows.values())
    assert line.told == "inside; rows with waiting (4 of 7 reports)"


def test_rounds_count_at_any_distance_of_the_cores():
    rows = compared([measured(10), measured(40, cores="far")], [Model(10)])
    assert [(line.over.value, line.measured.cores) for line in estimate.lines_of(rows)] == [(2.5, "")]
    assert estimate.lines_of(compared([measured(10)], [Model(10)]))[0].measured.cores == "near"


def line(ratio, case="image 128, messages"):
    rows = compared([replace(measured(ratio * 10), case=case)], [Model(10) if ratio else Model(why_not="rows with waiting")])
    return estimate.lines_of(rows)[0]


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (LEAST, "inside"),
        (MOST, "inside"),
        (0.9 * LEAST, "[red]below 0.125[/]"),
        (1.1 * MOST, "[red]above 5[/]"),
        (0, "rows with waiting"),
    ],
)
def test_a_line_tells_where_its_ratio_is(ratio, said):
    assert line(ratio).told == said


def test_the_error_is_over_all_cases():
    assert estimate.error([line(0.1), line(2), line(4), line(9), line(1), line(0)]) == (
        "The library alone took 2.00 times the figure of the model (median; 0.10 to 9.00), over 5 cases; "
        "2 outside of 0.125 to 5. 1 case has no estimate."
    )
    assert estimate.error([line(0)]) == "No case has an estimate."


def profile_of(heddle, mpi, to):
    """The profile of this machine, with a slow library, so that the model has figures."""
    assert heddle("tune", "--quick", "--anyway", "--mpi", "none", "--output", to).returncode == 0
    holes = {f"{length} B": 2.0 for length in LENGTHS}
    messages = {"one_ns": 1000, "byte_ns": 0.1, "with_holes_ns_per_byte": holes}
    to.write_text(json.dumps(json.loads(to.read_text()) | {f"messages_of_{mpi}": messages}))
    return to


def test_a_real_run(heddle, mpi, tmp_path):
    file = tmp_path / "rows.json"
    words = ["--quick", "--rounds", 1, "--mpi", mpi, "--codes", "image", "jacobi", "--sizes", 16, "--calls", "messages"]
    settings = {"HEDDLE_PROFILE": str(profile_of(heddle, mpi, tmp_path / "p.json")), "HEDDLE_MESSAGES": "packed"}
    done = heddle("bench", "estimate", *words, "--json", file, **settings)
    assert done.returncode == 0, done
    rows = [Row.of(one) for one in json.loads(file.read_text())]
    found = {line.measured.case: line for line in estimate.lines_of(rows)}
    # Packed messages never wait. Image sends 4 messages with holes: columns of 16 blocks
    # of 24 B, and rows of 2 blocks of 192 B.
    for case, holed, size in (("image 16, messages", 4 * 384, 4 * 384), ("jacobi 16, messages", 2 * 128, 4 * 128)):
        one_piece = 2 * (4 * 1 + size * 0.1 / 1e3)
        assert found[case].one_piece.value == pytest.approx(one_piece)
        assert found[case].model.value == pytest.approx(one_piece + holed * 1.9 / 1e3)
        assert found[case].over.value == pytest.approx(found[case].measured.value / found[case].model.value)
    lines = done.stdout.rstrip().splitlines()
    assert lines[-1].startswith("The library alone took ") and lines[-1].endswith("0 cases have no estimate.")
    again = heddle("bench", "estimate", "--rows", file)
    assert again.returncode == 0 and again.stdout.splitlines()[:-2] == done.stdout.splitlines()[:-2]


def test_a_run_without_a_profile_says_so(heddle):
    words = ["--quick", "--rounds", 1, "--mpi", "mpich", "--codes", "life", "--sizes", 6, "--calls", "messages"]
    done = heddle("bench", "estimate", *words, HEDDLE_PROFILE="builtin")
    assert done.returncode == 0 and "There is no profile of this machine, so no case will have an estimate." in done.stderr
    assert "run heddle tune" in done.stdout and done.stdout.rstrip().endswith("No case has an estimate.")
