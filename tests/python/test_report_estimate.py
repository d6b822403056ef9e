"""A report estimates the time of the MPI library alone by a profile, as a range of two digits, or
gives no estimate."""

import json

import pytest
from heddle.reported import table
from heddle.reported.afterwards import lines
from heddle.reported.estimate import LEAST, MOST, estimate
from heddle.reported.machine import LENGTHS, Library, Profile, profile_here
from heddle.reported.reading import rows_of
from heddle.reported.words import rough

# A message of MPICH takes 1 us and 0.1 ns a byte. Holes cost 8 ns a byte in blocks of 4, 2 ns in
# blocks of 16, then 0.5 ns.
HOLES = (8.0, 2.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
PROFILE = Profile("Loom 9000", 4, 1000, {"mpich": Library(1000, 0.1, HOLES), "openmpi": Library(300, 0.1)})
RUN = {"family": "mpich", "processor": "Loom 9000", "cores": 4}


def row(**more) -> dict:
    plain = {
        "call": "send",
        "datatype": "loop 100 × 32 B { block 16 }",
        "way": "bc-spup",
        "ranks": 2,
        "calls": 10,
        "bytes": 16000,
        "blocks": 1000,
    }
    return plain | {"search_us": 0, "pack_us": 20.0, "wait_us": 1.0, "copy_us": 0} | more


@pytest.fixture
def found(tmp_path):
    def read(*rows, ranks=2, run=None, hosts=("node7",), **more):
        by_rank = [
            {"rank": rank, "elapsed_us": 1e3, "us": 500.0, "calls": 1, "bytes": 1, "host": hosts[rank % len(hosts)]}
            for rank in range(ranks)
        ]
        raw = {
            "heddle_report": 2,
            "ranks": ranks,
            "rows": list(rows),
            "run": run if run is not None else RUN,
            "by_rank": by_rank,
        }
        (tmp_path / "r.json").write_text(json.dumps(raw | more))
        return rows_of(tmp_path / "r.json")

    return read


@pytest.mark.parametrize(
    ("change", "us"),
    [
        ({}, 10 + 16000 * 2 / 1e3),  # from rank to rank
        ({"call": "receive", "way": "direct"}, 42),
        ({"blocks": 2000}, 10 + 16000 * 5 / 1e3),  # blocks of 8 bytes: halfway between 4 and 16
        ({"blocks": 16000}, 10 + 16000 * 8 / 1e3),  # blocks shorter than all measured ones
        ({"blocks": 10}, 10 + 16000 * 0.1 / 1e3),  # each message is contiguous
        ({"way": "packed"}, 16000 * 1.9 / 2 / 1e3),  # only packing
        ({"way": "unpacked", "call": "gather"}, 15.2),
        ({"way": "packed", "blocks": 10}, 0),
        ({"way": "by pigeon"}, None),
        ({"blocks": 0}, None),  # from an older build
        ({"datatype": "@24 loop 1000 × 24 B { block 16 }"}, 42),
        ({"datatype": "block 1600", "blocks": 10}, 11.6),
    ],
)
def test_a_row(found, change, us):
    one = found(row(**change))
    assert estimate(one, PROFILE).of(one.rows[0]) == (None if us is None else pytest.approx((us * LEAST, us * MOST)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ranks": 5}, "more ranks than cores"),
        ({"hosts": ("node7", "node8")}, "between nodes"),
        ({"hosts": ("",)}, "does not name its machine"),
        ({"run": {}}, "does not name its machine"),
        ({"run": RUN | {"processor": "Loom 9001"}}, "of another machine"),
        ({"run": RUN | {"family": "openmpi"}}, "lacks messages of Open MPI with holes; run heddle tune"),
    ],
)
def test_where_nothing_is_known_nothing_is_said(found, change, words):
    one = found(row(), **change)
    about = estimate(one, PROFILE)
    assert words in about.why_not and about.of(one.rows[0]) is None
    assert words in about.sentence and words in about.gain(2) and about.as_json() == {"why_not": about.why_not}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"wait_us": 15.0}, "1 row with waiting"),  # a late rank, or more ranks than free cores
        ({"datatype": "at [0, 8, 40] { block 4 }"}, "1 row of irregular or nested datatypes"),
        ({"datatype": "loop 64 × 16 B { loop 64 × 1024 B { block 16 } }"}, "1 row of irregular or nested datatypes"),
        ({"way": "by pigeon"}, "1 row of other ways"),
        ({"blocks": 0}, "1 row without a count of blocks"),
    ],
)
def test_a_row_that_the_model_does_not_reach_is_named(found, change, words):
    alone = estimate(found(row(**change)), PROFILE)
    assert f"No estimate of what the MPI library alone would take: {words}. heddle compare measures it." == alone.sentence
    assert alone.gain(2) == f"no estimate of the gain ({words}); heddle compare measures it"
    both = estimate(found(row(), row(call="receive", **change)), PROFILE)
    assert both.sentence.startswith("Rough estimate, for 1 of 2 rows: ") and f"No estimate: {words}." in both.sentence
    assert both.us == 21 and ", for 1 of 2 rows" in both.gain(2)


@pytest.mark.parametrize(
    ("us", "text"),
    [(0, "0 us"), (0.4, "0.4 us"), (1.26, "1.3 us"), (42615, "43 ms"), (999999, "1 s"), (7.64e8, "760 s")],
)
def test_estimates_have_at_most_two_digits(us, text):
    assert rough(us) == text


def write_profile(tmp_path, monkeypatch) -> None:
    messages = {"one_ns": 1000, "byte_ns": 0.1}
    messages["with_holes_ns_per_byte"] = {f"{length} B": ns for length, ns in zip(LENGTHS, HOLES, strict=True)}
    raw = {"mapped_memory": {"announcement_ns": 700, "handover_ns": 300}, "messages_of_mpich": messages}
    raw |= {"messages_of_openmpi": {"one_ns": 300, "byte_ns": 0.1}, "machine": {"processor": "Loom 9000", "cores": 4}}
    (tmp_path / "p.json").write_text(json.dumps(raw))
    monkeypatch.setenv("HEDDLE_PROFILE", str(tmp_path / "p.json"))


def test_the_profile_is_that_of_heddle_tune(tmp_path, monkeypatch):
    write_profile(tmp_path, monkeypatch)
    assert profile_here() == PROFILE
    for text in ("", "{", "[]", '{"mapped_memory": 3}', '{"mapped_memory": {}}'):
        (tmp_path / "p.json").write_text(text)
        assert profile_here() is None
    monkeypatch.setenv("HEDDLE_PROFILE", "builtin")
    assert profile_here() is None


def test_a_settings_file_names_the_profile(tmp_path, monkeypatch):
    write_profile(tmp_path, monkeypatch)
    monkeypatch.delenv("HEDDLE_PROFILE")
    (tmp_path / "heddle.conf").write_text(f"HEDDLE_PROFILE={tmp_path / 'p.json'}\n")
    monkeypatch.setenv("HEDDLE_CONFIG", str(tmp_path / "heddle.conf"))
    assert profile_here() == PROFILE


def test_it_is_shown_beside_what_was_measured(found, heddle, tmp_path, monkeypatch):
    write_profile(tmp_path, monkeypatch)
    procedures = [{"name": "MPI_Send", "ranks": 2, "calls": 10, "us": 60.0}]
    one = found(row(procedure="MPI_Send"), row(call="receive", way="by pigeon"), procedures=procedures)
    file, page = tmp_path / "r.json", tmp_path / "r.html"
    named = {"HEDDLE_PROFILE": str(tmp_path / "p.json")}
    output = heddle("report", file, "--html", page, **named).stdout
    ours = "Heddle's packing and copying took 21 us of the 60 us in these calls"
    alone = f"Rough estimate, for 1 of 2 rows: {ours}, the MPI library's would have taken 5.2 us to 210 us."
    sentence = f"{alone} No estimate: 1 row of other ways. heddle compare measures the gain."
    assert output.count("5.2 us to 210 us") == 2 and sentence in output and "library alone" in output
    assert "5.2 us to 210 us" in page.read_text() and sentence in page.read_text().replace("&#39;", "'")
    exported = json.loads(heddle("report", file, "--json", **named).stdout)
    assert [(each["host_us_least"], each["host_us_most"]) for each in exported["rows"]] == [(5.25, 210), (None, None)]
    left = {"of other ways": 1}
    assert exported["estimate"] == {
        **{"host_us_least": 5.25, "host_us_most": 210, "us": 21, "calls_us": 60},
        **{"rows": 1, "left": left},
    }
    text = "\n".join(lines(one, 1.0))
    assert (
        "the estimate is too rough to tell a gain (Heddle's packing and copying takes a rank 10 us of the 30 us in these"
        in text
    )
    without = heddle("report", file, HEDDLE_PROFILE="builtin").stdout
    assert "No estimate" in without and "run heddle tune" in without and "library alone  " not in without


def test_a_gain_needs_the_whole_range(found):
    """The model has been wrong by a factor of eight on Open MPI. The library alone takes 5.2 us to
    210 us here."""
    slow, unclear, quick = (estimate(found(row(pack_us=us, wait_us=0)), PROFILE).gain(1) for us in (500.0, 50.0, 5.0))
    ours, host = "Heddle's packing and copying takes a rank", "the MPI library's would take 5.2 us to 210 us"
    assert slow == f"the rough estimate finds no gain ({ours} 500 us, {host}); heddle compare measures it"
    assert unclear == f"the estimate is too rough to tell a gain ({ours} 50 us, {host}); heddle compare measures it"
    assert quick == f"rough estimate: {ours} 5 us, {host}; heddle compare measures the gain"


def test_there_is_no_estimate_of_a_gain_if_heddles_part_of_the_calls_is_small(found):
    """A rank waits in the library's own matching. No phase has this time."""

    def of(name="MPI_Sendrecv", us=60.0, **more):
        calls = [{"name": name, "ranks": 2, "calls": 10, "us": us}]
        return estimate(found(row(procedure=name), procedures=calls, **more), PROFILE)

    part = (
        "Heddle's packing and copying takes 10 us of the 50 us in these calls; the rest is waiting, or the MPI library's work"
    )
    assert of(us=100.0).gain(2) == f"no estimate of the gain ({part}); heddle compare measures it"
    assert "21 us of the 100 us in these calls" in of(us=100.0).sentence and "21 us of" in of(us=100.0).as_json()["why_not"]
    assert "21 us of the 60 us in these calls, the MPI library's would have taken" in of().sentence
    # A site of the same procedure without carried data does not count. Waits for requests do.
    place = {"module": "/no/app", "offset": "0x1"}
    sites = [{"procedure": "MPI_Isend", "ranks": 2, "calls": 9, "bytes": 1} | at for at in (place | {"us": 9.0}, {"us": 500.0})]
    waits = [{"name": name, "ranks": 2, "calls": 10, "us": us} for name, us in (("MPI_Isend", 509.0), ("MPI_Waitall", 40.0))]
    one = found(row(procedure="MPI_Isend", **place), procedures=waits, sites=sites)
    assert estimate(one, PROFILE).calls_us == 49
    assert estimate(found(row()), PROFILE).calls_us == 0  # from an older build


def test_files_and_one_sided_accesses_have_no_model(found):
    accesses = estimate(found(row(call="file write", way="file"), row(call="put", way="window")), PROFILE)
    words = "2 rows of files and one-sided accesses, for which there is no model"
    assert accesses.gain(2) == f"no estimate of the gain ({words}); heddle compare measures it"


def test_what_is_not_measured_yet_is_named(found, monkeypatch):
    one, compare = found(row()), "heddle compare -- ./app"
    monkeypatch.setenv("HEDDLE_PROFILE", "builtin")
    why = "there is no profile of this machine; run heddle tune"
    assert estimate(one).gain(2, compare) == f"no estimate of the gain ({why}); {compare} measures it"
    lacking = estimate(found(row(), run=RUN | {"family": "openmpi"}), PROFILE).gain(2, compare)
    assert "the profile lacks messages of Open MPI with holes; run heddle tune" in lacking


def test_ranks_that_are_far_from_each_other_are_named(found, heddle, tmp_path):
    spread = {f"{part}_us_{end}": 0.0 for part in ("search", "pack", "wait", "copy") for end in ("min", "max")}
    spread |= {"search_us_rank_max": 0.0, "pack_us_min": 9.0, "pack_us_max": 11.0, "wait_us_min": 0.5, "wait_us_max": 4.5}
    far, near = found(row(**spread), row(**spread | {"wait_us_min": 2.0, "wait_us_max": 3.0}, call="receive")).rows
    assert table.ranks_differ(far) == "wait 0.5 us to 4.5 us" and table.ranks_differ(near) == ""
    assert table.ranks_differ(found(row()).rows[0]) == ""  # from an older build
    found(row(**spread))
    output = heddle("report", tmp_path / "r.json", "--html", tmp_path / "r.html").stdout
    assert "ranks differ" in output and "wait 0.5 us to 4.5 us" in output
    assert "20 us<br><small>9 us<br>to 11 us</small>" in (tmp_path / "r.html").read_text()
    exported = json.loads(heddle("report", tmp_path / "r.json", "--json").stdout)["rows"][0]
    assert {name: exported[name] for name in spread if name != "search_us_max"} == {
        name: us for name, us in spread.items() if name != "search_us_max"
    }
    found(row())
    assert "ranks differ" not in heddle("report", tmp_path / "r.json").stdout
