"""Pictures and short descriptions of datatypes on a report's page. heddle-tool tells the true
blocks."""

import re

import pytest
from conftest import CHECKOUT
from heddle import native
from heddle.picture import colours
from heddle.reported import Found, Site
from heddle.reported.datatypes import MOST_CELLS, MOST_PICTURES, MOST_ROWS, WIDTH, Datatypes
from heddle.reported.layouts import read
from heddle.reported.lines import Place
from heddle.reported.sections import about_sections
from hypothesis import given, settings
from hypothesis import strategies as st

COLUMN = "loop 128 × 16384 B { block 256 }"
FACES = [f"@{at} loop 64 × 34848 B {{ block 512 }}" for at in (35384, 68648)]
TYPES = [
    "vector(128, 8, 4096, int)",
    "contiguous(64, resized(vector(64, 1, 64, double_complex), 0, 16))",
    "indexed_block(2, [7, 0, 12], double)",
    "indexed([3, 1, 2], [0, 5, 9], double)",
    "struct(int @0, vector(30, 1, 2, double) @8, int @1000)",
    "subarray([8, 9, 10], [3, 4, 5], [2, 1, 3], double)",
    "hvector(5, 1, -64, struct(int @8, char @0))",
    "contiguous(10, int)",
]


@pytest.mark.parametrize("type_", TYPES)
def test_the_text_of_a_layout_has_its_blocks(type_):
    about = native.tool("explain", "--segments", "10000", "--json", "--", type_)
    found = read(about["canonical"])
    assert found.node.whole
    assert found.pieces(10_000) == [(one["offset"], one["length"], 1) for one in about["segments"]]


def test_every_program_of_the_manual_is_read():
    text = (CHECKOUT / "docs/layout.md").read_text()
    programs = {one for one in re.findall(r"^\| `[^`]+` \| `([^`]+)` \|$", text, re.MULTILINE)} - {"nothing"}
    assert len(programs) > 15 and not [one for one in programs if read(one) is None]


@pytest.mark.parametrize("type_", TYPES)
def test_a_text_that_is_cut_gives_blocks_of_the_datatype_or_none(type_):
    text = native.tool("explain", "--json", "--", type_)["canonical"]
    blocks = {*read(text).pieces(10_000)}
    for end in range(len(text)):
        found = read(text[:end] + "…")
        assert found is None or {*found.pieces(10_000)} <= blocks, (text[:end], found)
        assert text.startswith("block") or read(text[:end]) is None, text[:end]  # only the mark of the cut allows it


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (COLUMN, "128 blocks of 256 B, 16,384 B apart"),
        ("@24 loop 64 × 16 B { loop 32 × 1024 B { block 8 } }", "64 × 32 blocks of 8 B, 16 and 1,024 B apart, from byte 24"),
        ("at [0, 24, 40, … 2000 in all] { block 16 }", "2,000 blocks of 16 B at listed offsets"),
        ("loop 400 × 280 B { at [0, 64] { block 16 } }", "400 × (2 blocks of 16 B at listed offsets), 280 B apart"),
        ("pieces at [0, 40, 72] of [24, 8, 16]", "3 blocks of different lengths"),
        ("sequence { @0 block 4; @8 block 2 … 12 in all }", "12 different parts"),
        ("sequence { @0 block 4; @8 loop 3…", "1 or more different parts"),
        ("block 80", "1 block of 80 B"),
    ],
)
def test_a_datatype_without_a_name_is_described(text, words):
    assert Datatypes().of("", text).title == words
    named = Datatypes().of("face", text)
    assert (named.title, named.words, named.layout) == ("face", words, text)


def test_a_text_that_is_no_layout_is_its_own_title():
    one, long = Datatypes().of("", "other datatypes"), Datatypes().of("", "x" * 500)
    assert (one.title, one.layout, one.picture) == ("other datatypes", "", None)
    assert len(long.title) < 100 and long.layout == "x" * 500


def test_a_column_is_a_column_in_its_picture():
    picture = Datatypes().of("", COLUMN).picture
    assert len(picture.rows) == MOST_ROWS and picture.title == "2,081,024 B of memory, in rows of 262,144 B"
    assert {run.y for run in picture.runs} == {*picture.rows}
    assert all(float(run.x) + float(run.width) <= 2 * WIDTH / MOST_CELLS for run in picture.runs)
    assert next(run.colour for run in picture.runs if run.x == "0.0") == colours.hexadecimal(0)


def test_a_picture_has_the_whole_extent():
    """The left half of a matrix: the picture shows the right half, too. A far extent would hide the
    data."""
    half = "loop 8 × 128 B { block 64 }"
    plain, resized = Datatypes().of("", half).picture, Datatypes().of("", half, 8 * 128).picture
    assert plain.title == "960 B of memory, in rows of 128 B"
    assert resized.title == "1,024 B of memory (the extent), in rows of 128 B"
    assert [run.width for run in resized.runs] == [run.width for run in plain.runs]
    shifted = Datatypes().of("", half, 8 * 128 + 128, -128)
    assert shifted.title.endswith("; extent 1,152 B") and shifted.picture.title.startswith("1,152 B of memory (the extent)")
    assert Datatypes().of("", half, 1 << 40).picture.title == plain.title
    assert Datatypes().of("", half, 16).picture.title == plain.title  # elements that interleave


def test_an_extent_is_named_if_it_is_not_that_of_the_data():
    types = Datatypes()
    for text, extent, lower, said in (
        ("block 8", 8, 0, False),
        ("block 8", 16, 0, True),
        ("@8 block 8", 8, 8, False),
        ("@8 block 8", 16, 0, True),
        ("at [0, 24, … 2000 in all] { block 8 }", 16000, 0, True),  # the report does not have the last block
    ):
        assert (f"; extent {extent:,} B" in types.of("", text, extent, lower).title) == said, text
    assert len({types.of("", "block 8", extent).title for extent in (8, 16, 24)}) == 3


def test_colours_are_the_packed_order():
    """A transposed matrix is packed column by column: colours change along each row. Otherwise they
    change from row to row."""
    across = Datatypes().of("", "loop 64 × 8 B { loop 64 × 512 B { block 8 } }").picture.runs
    first = [run.colour for run in across if run.y == 0]
    assert len(first) > 8 and len({*first}) == len(first)
    along = Datatypes().of("", "loop 64 × 1024 B { block 512 }").picture.runs
    assert len({run.colour for run in along if run.y == 0}) == 1 and len({run.colour for run in along}) > 4


def test_two_faces_of_a_box_look_different():
    types = Datatypes()
    low, high = (types.of("", face).picture for face in FACES)
    assert max(float(run.x) for run in low.runs) < WIDTH / 4 and min(float(run.x) for run in high.runs) > WIDTH / 2
    assert types.of("other", FACES[0]).picture is low and types.pictures == [low, high]


def test_a_picture_of_many_blocks_shows_all_of_them():
    """4096 × 4096 blocks: those that are looked at stand for their neighbours."""
    picture = Datatypes().of("", "loop 4096 × 8 B { loop 4096 × 32768 B { block 8 } }").picture
    assert len(picture.rows) == MOST_ROWS and {run.shade for run in picture.runs} == {"1.00"}
    for y in picture.rows:
        assert abs(sum(float(run.width) for run in picture.runs if run.y == y) - WIDTH) < 2


NUMBERS = st.one_of(st.integers(-9, 99), st.integers(-(1 << 62), 1 << 62))
TREES = st.recursive(
    st.builds("block {}".format, NUMBERS),
    lambda inner: st.one_of(
        st.builds("loop {} × {} B {{ {} }}".format, NUMBERS, NUMBERS, inner),
        st.builds("at [{}, {}] {{ {} }}".format, NUMBERS, NUMBERS, inner),
        st.builds("sequence {{ @{} {}; @{} {} }}".format, NUMBERS, inner, NUMBERS, inner),
    ),
)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60), TREES, st.lists(st.sampled_from("@ 8 loop × B { } block at [ ] , … ; -3 of in all".split()))
    )
)
def test_any_text_has_a_title_and_a_small_picture_or_none(text):
    found = Datatypes().of("", text if isinstance(text, str) else " ".join(text))
    assert found.picture is None or 0 < len(found.picture.runs) <= MOST_ROWS * MOST_CELLS


def test_a_deep_text_is_no_layout():
    assert read("loop 2 × 8 B { " * 5000 + "block 4" + " }" * 5000) is None
    assert read("loop 2 × 8 B { " * 200 + "block 4" + " }" * 200) is None


def test_a_page_has_so_many_pictures_at_most():
    types = Datatypes()
    made = [types.of("", f"loop 128 × {512 + i} B {{ block 256 }}") for i in range(MOST_PICTURES + 5)]
    assert [bool(one.picture) for one in made] == [True] * MOST_PICTURES + [False] * 5
    assert made[-1].title == f"128 blocks of 256 B, {512 + MOST_PICTURES + 4} B apart" and len(types.pictures) == MOST_PICTURES


@pytest.mark.parametrize(
    ("site", "said"),
    [
        ({"name": "MPI_Barrier"}, False),
        ({"name": "MPI_Allreduce", "datatype_name": "MPI_REAL8", "sizes": {8: 2}}, False),
        ({"name": "MPI_Send", "datatype": "loop 600 × 4800 B { block 16 }", "sizes": {8192: 2}}, False),
        ({"name": "MPI_Send", "datatype": "loop 600 × 4800 B { block 16 }", "sizes": {8192: 1, 16384: 1}}, True),
        ({"name": "MPI_Allreduce", "datatype_name": "MPI_REAL8", "sizes": {16: 2}}, True),
        ({"name": "MPI_Gather", "datatype_name": "MPI_REAL8", "sizes": {8: 2}}, True),  # the root receives more
        ({"name": "MPI_Send", "datatype_name": "mine", "sizes": {8: 2}}, True),
        ({"name": "MPI_Reduce_scatter", "datatype_name": "MPI_REAL8"}, True),  # without bytes in the report
    ],
)
def test_fortran_without_sections_has_no_sentence_about_them(site, said):
    place = Place("/no/app", "0x10")
    barrier = Site("MPI_Barrier", 2, 2, 1.0, place=place)
    found = Found(2, [], [], sites=[barrier, Site(ranks=2, calls=2, us=1.0, place=place, **site)])
    assert bool(about_sections(found, {place: "swap (a.f90:3)"})) == said
    assert about_sections(found, {place: "swap (a.c:3)"}) == ""
