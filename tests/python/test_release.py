"""make release refuses a checkout that is no release, before it builds or removes anything."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECKOUT

VERSION = re.search(r'^version = "(.*)"', (CHECKOUT / "python/pyproject.toml").read_text(), re.MULTILINE)[1]


@pytest.fixture
def clone(tmp_path) -> Path:
    """The last commit, with a section of CHANGELOG.md that has a date."""
    tree = tmp_path / "heddle"
    subprocess.run(["git", "clone", "-q", "--shared", CHECKOUT, tree], check=True)
    changes = tree / "CHANGELOG.md"
    changes.write_text(re.sub(rf"^## {re.escape(VERSION)}, .*$", f"## {VERSION}, 2026-12-01", changes.read_text(), flags=re.M))
    (tree / "dist").mkdir()
    (tree / "dist/precious").touch()
    git(tree, "commit", "-qam", "A date")
    return tree


def git(tree: Path, *words: str) -> None:
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=tree, check=True, capture_output=True)


def refusal(tree: Path) -> str:
    done = subprocess.run([tree / "scripts/release"], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and (tree / "dist/precious").exists()
    return done.stderr


def test_a_change_that_is_not_committed(clone):
    (clone / "README.md").write_text("changed\n")
    assert re.search(r"release: something is not committed:\n M README\.md", refusal(clone))


def test_a_commit_without_its_tag(clone):
    assert f"there is no tag: git tag -a v{VERSION}" in refusal(clone)
    git(clone, "tag", "-am", "wrong", f"v{VERSION}", "HEAD~1")
    assert f"v{VERSION} is another commit than this" in refusal(clone)


@pytest.mark.parametrize(
    "file, text",
    [
        ("CMakeLists.txt", f"project(heddle VERSION {VERSION} "),
        ("python/heddle/__init__.py", f'__version__ = "{VERSION}"'),
        ("include/heddle/version.h", f'#define HEDDLE_VERSION "{VERSION}"'),
        ("CITATION.cff", f"version: {VERSION}"),
        ("CHANGELOG.md", f"## {VERSION}, 2026-12-01"),
    ],
)
def test_a_version_that_differs(clone, file, text):
    path = clone / file
    assert text in path.read_text()
    path.write_text(path.read_text().replace(text, text.replace(VERSION, "9.9.9")))
    git(clone, "commit", "-qam", "Another version")
    assert f"{file} has" in refusal(clone)


ADDRESSES = {
    "python/pyproject.toml": (
        "[project.scripts]",
        '[project.urls]\nRepository = "https://git.heddle.dev/heddle"\n\n[project.scripts]',
    ),
    "packaging/debian/control": ("Section: science", "Section: science\nHomepage: https://git.heddle.dev/heddle"),
    "CITATION.cff": ("license:", "repository-code: https://git.heddle.dev/heddle\nlicense:"),
    "SECURITY.md": ("in private: ", "in private to security@heddle.dev: "),
}


def unnamed(tree: Path) -> list[str]:
    done = subprocess.run([sys.executable, "packaging/published.py"], cwd=tree, capture_output=True, text=True)
    assert done.returncode == bool(done.stdout) and not done.stderr, done
    return done.stdout.splitlines()


def test_addresses_that_nobody_has_filled_in(clone):
    """Each is missed until it is there."""
    for file in ADDRESSES:
        text = (clone / file).read_text()
        plain = re.sub(r"(https://|Maintainer: .*<)[^\s>\"]*", r"\1", text)
        (clone / file).write_text(re.sub(r"^(Homepage|repository-code):.*\n", "", plain, flags=re.M))
    left = unnamed(clone)
    assert len(left) == 5 and {line.partition(":")[0] for line in left} == ADDRESSES.keys()
    for file, (old, new) in ADDRESSES.items():
        path = clone / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))
    assert unnamed(clone) == ["packaging/debian/control: Maintainer"]
    for mail, wrong in (("heddle@packages.debian.org", True), ("us@heddle.dev", False)):
        control = clone / "packaging/debian/control"
        control.write_text(re.sub(r"^Maintainer: .*$", f"Maintainer: Heddle <{mail}>", control.read_text(), flags=re.M))
        assert bool(unnamed(clone)) == wrong


def test_a_release_without_addresses(clone):
    if not unnamed(clone):
        pytest.skip("all addresses are filled in")
    git(clone, "tag", "-am", "release", f"v{VERSION}")
    said = refusal(clone)
    assert "no address of the publisher yet" in said and "packaging/debian/control: Homepage" in said


def test_a_program_reads_the_version_of_the_headers(tmp_path):
    (tmp_path / "version.c").write_text(
        "#include <heddle/heddle.h>\n#include <stdio.h>\n"
        "#if !HEDDLE_VERSION_AT_LEAST(0, 0, 9) || HEDDLE_VERSION_AT_LEAST(99, 0, 0)\n#error the order of versions\n#endif\n"
        'int main(void) { printf("%s %d.%d.%d", HEDDLE_VERSION, HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR,'
        " HEDDLE_VERSION_PATCH); }\n"
    )
    program = tmp_path / "version"
    subprocess.run(["cc", "-I", CHECKOUT / "include", tmp_path / "version.c", "-o", program], check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == f"{VERSION} {VERSION}"


def test_notes_are_the_section_of_the_changelog(clone):
    done = subprocess.run([clone / "scripts/release", "--notes"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith(f"# Heddle {VERSION}\n")
    section = (clone / "CHANGELOG.md").read_text().partition(f"## {VERSION}, 2026-12-01\n")[2].partition("\n## ")[0]
    bold = re.findall(r"\*\*.*?\*\*", section)
    assert bold and re.findall(r"\*\*.*?\*\*", done.stdout) == bold
    assert "](" not in done.stdout and "sha256sum --check SHA256SUMS" in done.stdout
