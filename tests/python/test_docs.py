"""Manuals: links have targets, and shown code is that of examples/. mkdocs checks the site."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import CHECKOUT

MANUALS = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("examples/*.md")])
FENCED = re.compile(r"^ *```.*?^ *```[^\n]*$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SHOWN = re.compile(r"<!-- (examples/\S+) -->\n```\w+\n(.*?)```", re.S)


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub makes from headings."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# A file of the sources, without a pattern. Some files are made by the build, or are a host's.
NAMED = re.compile(r"`([\w/.-]+\.(?:cpp|hpp|h|c|py|csv|inc|pml))(?::\w+)?`")
NOT_HERE = {"entry_points.hpp", "mpi.h", "mpif.h"}


@pytest.mark.parametrize("manual", MANUALS, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_links_lead_somewhere(manual):
    for target in LINK.findall(FENCED.sub("", manual.read_text())):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (manual.parent / path) if path else manual
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


@pytest.fixture(scope="module")
def files() -> set[str]:
    """Returns the ends of all paths: a/b/c.hpp, b/c.hpp, c.hpp."""
    folders = ("src", "tests", "python", "include", "sim", "bench", "apps", "examples", "scripts", "packaging")
    paths = [path.relative_to(CHECKOUT).parts for folder in folders for path in (CHECKOUT / folder).rglob("*.*")]
    return {"/".join(parts[i:]) for parts in paths for i in range(len(parts))}


@pytest.mark.parametrize("manual", MANUALS, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_files_that_are_named_exist(manual, files):
    missing = set(NAMED.findall(manual.read_text())) - NOT_HERE - files
    assert not missing


def test_code_that_is_shown_is_that_of_the_examples():
    shown = SHOWN.findall((CHECKOUT / "docs/datatypes.md").read_text())
    assert len({file for file, _ in shown}) > 6
    for file, code in shown:
        assert code in (CHECKOUT / file).read_text(), f"{file} has no\n{textwrap.indent(code, '  ')}"


def test_pages_of_the_site_have_titles_of_their_own():
    """The site takes the title of a page from its first line, so the two cannot differ."""
    navigation = (CHECKOUT / "mkdocs.yml").read_text().partition("nav:\n")[2]
    parts = ["Tutorial", "How-to guides", "Reference", "Explanation"]
    assert re.findall(r"^  - ([\w -]+):$", navigation, re.M) == parts
    assert not re.search(r": \w+\.md$", navigation, re.M)
    for page in CHECKOUT.glob("docs/*.md"):
        assert page.read_text().startswith("# "), page.name


def test_the_page_of_commands_has_every_command():
    script = [sys.executable, CHECKOUT / "scripts/site/commands.py"]
    text = subprocess.run(script, check=True, capture_output=True, text=True, timeout=60).stdout
    for name in ("run", "compare", "doctor", "explain", "report", "env", "tune"):
        assert f"## heddle {name}\n\n```\nheddle {name} " in text
    assert "`--report [=FILE]`" in text


@pytest.mark.parametrize("section", re.findall(r"^## .*?(?=^## |\Z)", (CHECKOUT / "CHANGELOG.md").read_text(), re.M | re.S))
def test_a_release_has_at_most_40_lines_in_the_changelog(section):
    """A section says what the release has. The diary is the history of commits."""
    assert len(section.strip().splitlines()) <= 40, section.splitlines()[0]


def test_every_page_is_in_the_navigation_of_the_site():
    """mkdocs also checks it, but it is not one of the tests."""
    named = set(re.findall(r"([\w-]+\.md)$", (CHECKOUT / "mkdocs.yml").read_text(), re.M))
    assert {page.name for page in CHECKOUT.glob("docs/*.md")} <= named


def shown_elsewhere(*words: str) -> str:
    page = [sys.executable, CHECKOUT / "packaging/page.py", "README.md", *words]
    return subprocess.run(page, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout


def test_the_page_of_the_wheel_has_no_link_into_the_tree():
    """PyPI shows it without the tree. The text of links stays, and so does all code."""
    own, page = (CHECKOUT / "README.md").read_text(), shown_elsewhere()
    assert not [target for target in LINK.findall(FENCED.sub("", page)) if "://" not in target]
    assert FENCED.findall(page) == FENCED.findall(own)
    plain = re.sub(r"!\[[^\]]*\]\([^)]*\)|\[|\]\([^)\s]*\)|\]", "", own)
    assert re.sub(r"[\[\]]", "", page).split() == re.sub(r"[\[\]]", "", plain).split()


def test_the_page_of_the_wheel_leads_to_the_tree_if_its_address_is_known():
    targets = LINK.findall(FENCED.sub("", shown_elsewhere("https://example.org/heddle")))
    assert "https://example.org/heddle/docs/install.md" in targets
    assert all("://" in target for target in targets)
