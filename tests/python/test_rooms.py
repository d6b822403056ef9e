"""The rooms of CONTRIBUTING.md: files include only allowed rooms. No arrow points up."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
NAMED = re.compile(r"[a-z0-9_]+")
INCLUDED = re.compile(r'#include "([\w/]+)\.hpp"')

LONGEST = 400  # lines of a file


def sources(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.suffix in (".hpp", ".cpp")]


def includes(folder: Path, first: str) -> set[tuple[str, str]]:
    """Returns pairs: a file, and a header of the folder `first` that it includes."""
    return {
        (path.relative_to(ROOT).as_posix(), name.removeprefix(first))
        for path in sources(folder)
        for name in INCLUDED.findall(path.read_text())
        if name.startswith(first)
    }


def allowed() -> dict[str, set[str]]:
    """Returns the rooms that each room of src/ may include, by the table."""
    rows = re.findall(r"^\| `src/(\w+)/` \| .* \| ([^|]*) \|$", TEXT, re.MULTILINE)
    return {room: set() if may.startswith("nothing") else set(NAMED.findall(may)) for room, may in rows}


def test_every_room_has_its_row():
    rooms = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert rooms == set(allowed())


def test_rooms_include_what_their_rows_allow():
    rooms = allowed()
    wrong = []
    for room, may in rooms.items():
        if may == {"everything"}:
            continue
        for path, name in includes(ROOT / "src" / room, ""):
            other = name.split("/")[0]
            if other in rooms and other != room and other not in may:
                wrong.append(f"{path} includes {name}: {room} may include {', '.join(sorted(may)) or 'nothing'}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room, first", [("engine", "base"), ("mpi", "process")])
def test_no_arrow_within_a_room_points_up(room, first):
    paragraph = next(part for part in TEXT.split("\n\n") if part.startswith(f"`{first}` ←"))
    order = NAMED.findall(paragraph)
    folders = {path.name for path in (ROOT / "src" / room).iterdir() if path.is_dir()}
    assert set(order) == folders
    wrong = []
    for path, name in includes(ROOT / "src" / room, f"{room}/"):
        inner, other = path.split("/")[2], name.split("/")[0]
        if order.index(other) > order.index(inner):
            wrong.append(f"{path} includes {room}/{name}")
    assert not wrong, "\n".join(wrong)


def test_no_header_name_occurs_twice():
    paths = defaultdict(list)
    for path in sources(ROOT / "src"):
        if path.suffix == ".hpp":
            paths[path.name].append(path.relative_to(ROOT).as_posix())
    assert [found for found in paths.values() if len(found) > 1] == []


def test_files_are_read_in_one_go():
    long = {path.name: lines for path in sources(ROOT / "src") if (lines := len(path.read_text().splitlines())) > LONGEST}
    assert not long
