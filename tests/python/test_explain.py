"""heddle explain: known types look right, and nonsense gets an error message."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from heddle.picture import colours, lay_out, svg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

COLUMN = "vector(8, 1, 8, contiguous(3, double))"  # column of an 8 × 8 matrix of three doubles (Balaji et al.)
TRANSPOSE = "hvector(8, 1, 24, vector(8, 1, 8, contiguous(3, double)))"
BLOCKS = "vector(128, 8, 4096, int)"  # Wu, Wyckoff and Panda
LONG = f"struct({', '.join(f'int @ {place * place}' for place in range(4, 90, 3))})"


def section(output: str, title: str) -> list[str]:
    lines = output.splitlines()
    start = lines.index(title) + 1
    end = next((i for i in range(start, len(lines)) if not lines[i].strip()), len(lines))
    return [line.strip() for line in lines[start:end]]


def test_column_of_a_matrix_looks_like_a_column(heddle):
    output = heddle("explain", COLUMN, COLUMNS="80").stdout
    assert output.splitlines()[0] == COLUMN
    picture = section(output, "in memory")
    assert picture[:8] == [f"{192 * row:,}   {row} · · · · · · ·" for row in range(8)]
    assert picture[8].strip() == "a cell is 24 bytes, a row 192; packed first to last, numbered by that order"


def test_with_room_there_are_elements(heddle):
    picture = section(heddle("explain", COLUMN, COLUMNS="120").stdout, "in memory")
    assert [row.split()[1:5] for row in picture[:8]] == [[str(3 * i), str(3 * i + 1), str(3 * i + 2), "·"] for i in range(8)]


def test_transpose_is_numbered_down_the_columns(heddle):
    picture = section(heddle("explain", TRANSPOSE, COLUMNS="80").stdout, "in memory")
    assert [row.split()[1:] for row in picture[:8]] == [[str(8 * column + row) for column in range(8)] for row in range(8)]


def test_what_is_empty_is_left_out(heddle):
    picture = section(heddle("explain", BLOCKS).stdout, "in memory")
    assert picture[0].split() == ["0", *map(str, range(8)), "⋯", "+16,352", "B"]
    assert "104 more rows" in picture[24]


def test_facts(heddle):
    output = heddle("explain", BLOCKS).stdout
    assert "(int, 0), (int, 4)" in output and "1,024 in all" in output
    assert "loop 128 × 16384 B { block 32 }" in section(output, "canonical layout")
    shape = "\n".join(section(output, "shape"))
    assert "4,096 bytes of data" in shape and "128, 32 bytes each" in shape and "2,080,800 bytes from 0" in shape
    assert section(output, "how Heddle packs it")


def test_kernels_and_why(heddle):
    lines = " ".join(section(heddle("explain", BLOCKS, HEDDLE_ISA="avx2", COLUMNS="200").stdout, "by which kernels"))
    assert "pack blocks: few-loads" in lines and "unpack blocks: few-stores" in lines
    assert "128 blocks 16384 B apart at the source share 1 of 64 sets" in lines
    assert "by which kernels" not in heddle("explain", "contiguous(8, int)").stdout


def test_records_one_behind_the_other(heddle):
    picture = section(heddle("explain", "struct(int, 2 double @ 16)", "--count", 3).stdout, "in memory")
    assert [row.split() for row in picture[:3]] == [
        ["0", "0", "·", "·", "·", "1", "2", "3", "4"],
        ["32", "5", "·", "·", "·", "6", "7", "8", "9"],
        ["64", "10", "·", "·", "·", "11", "12", "13", "14"],
    ]


def test_negative_strides_lie_before_the_origin(heddle):
    picture = section(heddle("explain", "vector(4, 1, -2, int)").stdout, "in memory")
    assert [row.split()[:2] for row in picture[:4]] == [["-24", "3"], ["-16", "2"], ["-8", "1"], ["0", "0"]]


def test_nothing_at_all(heddle):
    done = heddle("explain", "contiguous(0, int)")
    assert done.returncode == 0 and section(done.stdout, "in memory") == ["nothing"]


@pytest.mark.parametrize(
    "spec", [COLUMN, TRANSPOSE, BLOCKS, "contiguous(0, int)", "indexed([1, 2], [9, 0], short)", "contiguous(100000, double)"]
)
def test_svg_is_well_formed_and_shows_every_piece(heddle, tmp_path, spec):
    file = tmp_path / "picture.svg"
    done = heddle("explain", spec, "--svg", file)
    assert done.returncode == 0 and str(file) in done.stdout.replace("\n", ""), done
    root = ElementTree.parse(file).getroot()
    assert root.tag.endswith("svg")
    tips = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")][1:]
    if spec == TRANSPOSE:
        assert len(tips) == 192 and "8 bytes at 24, packed at 192" in tips
    if spec == COLUMN:
        assert len(tips) == 24 and tips[-1] == "8 bytes at 1,360, packed at 184"


@pytest.mark.parametrize("spec", ["subarray([98, 98, 98], [96, 96, 1], [0, 0, 0], double)", LONG], ids=["face", "long"])
def test_words_of_an_svg_fit_into_it(heddle, tmp_path, spec):
    file = tmp_path / "picture.svg"
    assert heddle("explain", spec, "--count", 12345, "--svg", file).returncode == 0
    root = ElementTree.parse(file).getroot()
    sizes = {"title": 16, "small": 11, "order": 10}
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        if text.get("text-anchor") != "end" and text.get("class") != "order":
            wide = 0.602 * sizes.get(text.get("class"), 12) * len(text.text)  # width of a monospaced letter
            assert float(text.get("x")) + wide <= float(root.get("width")), text.text


def test_svg_that_cannot_be_written(heddle, tmp_path):
    done = heddle("explain", COLUMN, "--svg", tmp_path / "no" / "folder.svg")
    assert done.returncode == 1 and done.stderr.startswith("heddle: cannot write")


def way(heddle, *line, **environment) -> str:
    lines = heddle("explain", *line, **environment).stdout.splitlines()
    start = next(i for i, text in enumerate(lines) if text.startswith("to a rank of the same node"))
    return "\n".join(lines[start:])


def test_way_to_a_rank_of_the_same_node(heddle):
    told = way(heddle, "vector(128, 64, 4096, int)")
    assert "bc-spup: 128 blocks of 256 B" in told and "not known yet" in told and "segments of 8,192 bytes" in told
    told = way(heddle, TRANSPOSE, "--count", 64, "--to", "double")
    assert "across memory order to one piece" in told and "not known" not in told
    assert "HEDDLE_RENDEZVOUS" in way(heddle, "vector(4, 1, 2, int)")
    unless = "unless the MPI library sends it unpacked as fast"  # MPICH does, Open MPI does not
    assert unless in way(heddle, "vector(600, 1, 602, double)")
    assert "without holes" in way(heddle, "contiguous(100000, int)")
    assert "without holes" not in way(heddle, "contiguous(100000, int)", "--to", "vector(10, 1, 2, int)")
    assert "no bytes" in way(heddle, "contiguous(0, int)")


def test_way_by_another_profile(heddle, tmp_path):
    """A machine on which process_vm_readv costs nothing."""
    file = tmp_path / "p.json"
    heddle("tune", "--quick", "--anyway", "--mpi", "none", "--output", file)
    profile = json.loads(file.read_text())
    profile["process_vm_readv"] = {"call_ns": 10, "remote_entry_ns": 0, "local_entry_ns": 0, "byte_ns": 0.001}
    file.write_text(json.dumps(profile))
    told = way(heddle, "vector(128, 64, 4096, int)", HEDDLE_PROFILE=str(file))
    assert "multi-w" in told and str(file) in told
    file.write_text(file.read_text()[:100])
    done = heddle("explain", BLOCKS, HEDDLE_PROFILE=str(file))
    assert done.returncode == 0 and "damaged" in done.stderr and "built in profile" in done.stdout


def test_receiver_that_does_not_fit(heddle):
    done = heddle("explain", "vector(128, 64, 4096, int)", "--to", "contiguous(3, int)")
    assert done.returncode == 2 and "no whole number" in done.stderr and not done.stdout
    done = heddle("explain", BLOCKS, "--to", "vctor(1, 1, 1, int)")
    assert done.returncode == 2 and "vector" in done.stderr and "vctor(1, 1, 1, int)\n^" in done.stderr


@pytest.mark.parametrize(
    ("spec", "to", "said"),
    [
        ("vector(512, 64, 4096, int)", "contiguous(16384, double)", "item 1 is int at the sender, and double at the receiver"),
        ("struct(int, 2 double @ 16)", "struct(int, double @ 8, 2 int @ 16)", "item 3 is double at the sender, and int at the"),
        ("vector(512, 64, 4096, int)", "contiguous(32768, int)", ""),
        ("contiguous(100000, int)", "int", ""),
        ("contiguous(4, int)", "packed", ""),
        ("contiguous(1000000000, int)", "contiguous(2, int)", ""),
        ("struct(int, double @ 8)", "struct(int @ 8, double @ 0)", ""),
    ],
)
def test_signatures_that_differ_are_told(heddle, spec, to, said):
    done = heddle("explain", spec, "--to", to, "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["way"]["to"] == to, done
    assert (f"heddle: the signatures differ: {said}" in done.stderr) if said else not done.stderr, done


def test_json(heddle):
    about = json.loads(heddle("explain", COLUMN, "--json").stdout)
    fields = "input type count type_map size extent lower_bound true_extent canonical tree shape plan segments".split()
    assert set(fields) <= about.keys()
    assert about["segments"][1] == {"offset": 192, "length": 24, "packed": 24}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("vectr(3, 1, 2, int)", "vector"),
        ("vector(3, 1, 2", "column"),
        ("", "expected"),
        ("vector(-1, 1, 2, int)", "column"),
        ("contiguous(9223372036854775807, contiguous(9223372036854775807, double))", ""),
        ("--count", ""),
        ("\x00\x01", ""),
    ],
)
def test_nonsense_gets_a_sentence(heddle, spec, words):
    if "\0" in spec:
        spec = spec.replace("\0", "\x02")
    done = heddle("explain", "--", spec)
    assert done.returncode not in (0, 1) and done.stderr.startswith("heddle: ") and words in done.stderr, done
    assert not done.stdout


WORDS = "vector contiguous struct indexed subarray resized int double ( ) [ ] , : @ * 3 -1 0 999999999999".split()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_any_words_end_well(heddle, spec):
    done = heddle("explain", "--json", "--", spec)
    assert done.returncode in (0, 2)  # the fixture checks that there is no traceback
    assert bool(done.stdout) == (done.returncode == 0) and bool(done.stderr) == (done.returncode != 0)


def test_group(heddle):
    output = heddle("explain", "--group", "0:90000:300").stdout
    assert "0, 300, 600" in section(output, "members")[0]
    assert section(output, "kept as")[0].startswith("stride: 12 bytes")
    about = json.loads(heddle("explain", "--group", "cart(100 x 100 x 100; *, 7, *)", "--json").stdout)
    assert about["size"] == 10_000 and about["format"] == "grid" and about["bytes"] == 32


def test_collective(heddle):
    output = heddle("explain", "--collective", "allgatherv: 32k, 47 x 8").stdout
    assert "dissemination" in output and "4096 times" in output and "48 ranks on 1 node" in output
    about = json.loads(heddle("explain", "--collective", "alltoallv: 26 x 8; 256 ranks, 256 nodes", "--json").stdout)
    assert [way["name"] for way in about["ways"] if way["chosen"]] == ["bruck"]


def test_group_stands_alone(heddle):
    for line in (
        ["explain"],
        ["explain", "int", "--group", "0:4"],
        ["explain", "--group", "0:4", "--collective", "x"],
        ["explain", "--group", "0:4:x"],
    ):
        done = heddle(*line)
        assert done.returncode == 2 and done.stderr.startswith("heddle: ") and not done.stdout, line


def test_algorithms(heddle):
    output = heddle("algorithms").stdout
    assert "Formats of groups" in output and "bitmap" in output
    tables = {table["title"]: table["rows"] for table in json.loads(heddle("algorithms", "--json").stdout)}
    assert [row["name"] for row in tables["Formats of groups"]][:2] == ["identity", "stride"]
    protocols = [row["name"] for row in tables["Protocols of a message"]]
    assert protocols == ["passthrough", "packed", "eager", "rendezvous", "local"]


def test_bad_options(heddle):
    for line in (
        ["explain"],
        ["explain", COLUMN, "--count", "-1"],
        ["explain", COLUMN, "--count", "x"],
        ["explain", COLUMN, "--sgv", "f"],
    ):
        done = heddle(*line)
        assert done.returncode == 2 and done.stderr and not done.stdout, line


# The picture is drawn from the segments alone.


@st.composite
def explained(draw) -> dict:
    """Draws output of heddle-tool for a few pieces at random places."""
    offset, packed, segments = draw(st.integers(-500, 500)), 0, []
    for _ in range(draw(st.integers(1, 30))):
        length = draw(st.integers(1, 64))
        segments.append({"offset": offset, "length": length, "packed": packed})
        offset, packed = offset + draw(st.integers(-200, 200)), packed + length
    low = min(segment["offset"] for segment in segments)
    high = max(segment["offset"] + segment["length"] for segment in segments)
    stride = draw(st.integers(0, 300))
    return {
        "type": "any<type> & so on",
        "canonical": "…",
        "count": 1,
        "size": packed,
        "extent": high - low,
        "true_lower_bound": low,
        "true_extent": high - low,
        "segments": segments,
        "type_map": {"total": 1, "entries": [{"offset": 0, "length": 1, "name": "byte"}]},
        "tree": {"offset": 0, "node": {"kind": "loop", "stride": stride, "count": 2}} if stride else {"kind": "nothing"},
        "shape": {"blocks": len(segments), "median_block": 8},
    }


def test_rows_that_nothing_touches_are_shown(heddle, tmp_path):
    spec, file = "subarray([16, 16], [9, 4], [3, 2], double)", tmp_path / "p.svg"
    picture = section(heddle("explain", spec, "--svg", file).stdout, "in memory")
    assert picture[0] == "⋮  3 rows that nothing touches" and picture[10] == "⋮  4 rows that nothing touches"
    assert [line.split()[0] for line in picture[1:10]] == [f"{128 * row:,}" for row in range(3, 12)]
    drawn = file.read_text()
    assert "⋮ 3 rows that nothing touches" in drawn and "⋮ 4 rows that nothing touches" in drawn and ">1,408<" in drawn
    picture = section(heddle("explain", "hindexed([2, 2, 2], [0, 256, 1280], double)").stdout, "in memory")
    assert [line.split()[0] for line in picture[:5]] == ["0", "128", "256", "⋮", "1,280"]  # a single hidden row is shown


def test_what_is_canonical_can_be_pasted(heddle):
    for spec in (COLUMN, TRANSPOSE, BLOCKS, "struct(int, 2 double @ 16)", "subarray([8, 8], [3, 4], [2, 1], int)"):
        about = json.loads(heddle("explain", spec, "--json").stdout)
        assert about["written"] in section(heddle("explain", spec, COLUMNS="200").stdout, "canonical layout")
        again = json.loads(heddle("explain", about["written"], "--json").stdout)
        for what in ("size", "extent", "lower_bound", "canonical", "segments"):
            assert again[what] == about[what]


def test_what_a_row_leaves_out_is_said_beside_a_row(heddle, tmp_path):
    """It must not be beside the line that stands for untouched rows."""
    file = tmp_path / "box.svg"
    assert heddle("explain", "subarray([64, 64], [2, 3], [30, 2], int)", "--svg", file).returncode == 0
    texts = [one for one in ElementTree.parse(file).getroot() if one.tag.endswith("text") and one.text]
    heights = {text.split()[0]: float(one.get("y")) for one in texts if (text := one.text)[0] in "⋯⋮"}
    rows = [float(one.get("y")) for one in texts if one.get("text-anchor") == "end"]
    assert heights["⋯"] == rows[0] != heights["⋮"]


@settings(deadline=None)
@given(explained(), st.integers(1, 200))
def test_a_grid_has_every_byte_once(about, columns):
    grid = lay_out(about, columns)
    drawn = {}
    for piece in grid.pieces:
        assert 0 <= piece.row < grid.rows and 0 <= piece.start < piece.end <= grid.row_bytes
        assert piece.start % grid.unit == 0 and piece.length % grid.unit == 0
        for i in range(piece.length):
            drawn[piece.packed + i] = grid.first_byte + piece.row * grid.row_bytes + piece.start + i
    told = {s["packed"] + i: s["offset"] + i for s in about["segments"] for i in range(s["length"])}
    assert drawn == told and grid.whole
    lines, more = grid.lines(10**6)
    assert more == 0 and sum(max(1, line.untouched) for line in lines) == grid.rows
    assert {piece.row for piece in grid.pieces} <= {line.row for line in lines if not line.untouched}
    assert ElementTree.fromstring(svg.draw(grid, about))[0].text == about["type"]


@given(st.floats(allow_nan=False))
def test_colours_are_colours(position):
    assert all(0 <= part <= 255 for part in colours.at(position))
