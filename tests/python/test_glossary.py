"""docs/glossary.md: the files and folders that it names exist."""

import re

import pytest
from conftest import CHECKOUT

GLOSSARY = (CHECKOUT / "docs/glossary.md").read_text()
PATH = re.compile(r"`([\w/]+/(?:\w+\.\w+)?)`")


@pytest.mark.parametrize("name", sorted(set(PATH.findall(GLOSSARY))))
def test_files_exist(name):
    assert any((CHECKOUT / base / name).exists() for base in ("", "src", "tests")), f"there is no {name}"


def test_names_are_found():
    assert len(PATH.findall(GLOSSARY)) > 20
