"""All packages of .venv are pinned, so later installations have the same versions."""

import re
from importlib.metadata import requires

import pytest
from conftest import CHECKOUT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def pinned(file: str) -> set[str]:
    text = (CHECKOUT / "python" / file).read_text()
    names = set(re.findall(r"^([\w.-]+)==[\w.]+$", text, re.MULTILINE))
    for other in re.findall(r"^-r (\S+)$", text, re.MULTILINE):
        assert not names & pinned(other), "pinned twice"
        names |= pinned(other)
    return names


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-all.txt"])
def test_what_a_package_needs_is_pinned_with_it(file):
    names = pinned(file)
    known = {canonicalize_name(name) for name in names}
    assert len(known) > 5
    for name in names:
        needed = [Requirement(text) for text in requires(name) or ()]
        asked = {canonicalize_name(one.name) for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})}
        assert asked <= known, f"{name} needs {asked - known}"
