"""docs/tour.md: each step `file:function` is a function of that file."""

import re

import pytest
from conftest import CHECKOUT

TOUR = (CHECKOUT / "docs/tour.md").read_text()
STEP = re.compile(r"`([\w/.]+\.(?:cpp|hpp|py)):(\w+)`")
FILE = re.compile(r"`((?:src/)?\w+/[\w/]+\.(?:cpp|hpp))`")
BREAKPOINT = re.compile(r"^\| `([\w:]+)` \|", re.M)
BASES = (CHECKOUT / "src", CHECKOUT / "python/heddle", CHECKOUT)


def found(name: str):
    return next((base / name for base in BASES if (base / name).is_file()), None)


@pytest.mark.parametrize("name, function", sorted(set(STEP.findall(TOUR))))
def test_a_step_names_a_function_of_its_file(name, function):
    file = found(name)
    assert file, f"there is no {name}"
    # Not a call of an object's method (x.f(), x->f()): the function is declared, defined or called
    # by its name here.
    assert re.search(rf"(?<![.>\w]){function}\(", file.read_text()), f"{name} has no {function}()"


def test_the_tour_goes_through_both_sides_of_the_crossing():
    files = {name for name, _ in STEP.findall(TOUR)}
    assert len(files) > 30
    for room in ("mpi/calls", "mpi/p2p", "mpi/exchange", "engine/node", "engine/exchange", "select", "layout", "interposition"):
        assert any(name.startswith(f"{room}/") for name in files), room


@pytest.mark.parametrize("name", sorted(set(FILE.findall(TOUR))))
def test_files_exist(name):
    assert found(name), f"there is no {name}"


@pytest.mark.parametrize("place", BREAKPOINT.findall(TOUR))
def test_breakpoints_are_functions(place):
    function = place.split("::")[-1]
    sources = (CHECKOUT / "src").rglob("*.cpp")
    assert any(re.search(rf"(?<![.>\w]){function}\(", source.read_text()) for source in sources), place
