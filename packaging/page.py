"""page.py FILE [BASE]: prints a page of the tree, for readers who have not the tree (the wheel's
page, release notes).

Links to files of the tree begin with BASE, the address of the tree. Without BASE, only their text
stays.

page.py --installed FOLDER: changes the pages below FOLDER, which has a part of the tree. Links to
files that it lacks become their text.
"""

import posixpath
import re
import sys
from collections.abc import Callable
from pathlib import Path

CODE = re.compile(r"(^ *```.*?^ *```[^\n]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def readable(text: str, folder: str = "", base: str = "") -> str:
    """Returns a page whose links do not depend on its place. `folder` is its place in the tree."""

    def link(found: re.Match) -> str:
        words, target = found.groups()
        if re.match(r"\w+:", target):
            return found[0]
        if not base or target.startswith("#"):
            return "" if found[0].startswith("!") else words
        path = posixpath.normpath(posixpath.join(folder, target))
        return found[0].replace(f"({target})", f"({base.rstrip('/')}/{path})")

    return relinked(text, link)


def keep_links_of(root: Path) -> None:
    """Keeps the links of the pages below a folder that lead to files of the folder. Of others, only
    the text stays."""
    for page in sorted(root.rglob("*.md")):

        def link(found: re.Match, page: Path = page) -> str:
            words, target = found.groups()
            path = target.partition("#")[0]
            inside = root.resolve() in [file := (page.parent / path).resolve(), *file.parents]
            if not path or re.match(r"\w+:", target) or (inside and file.exists()):
                return found[0]
            return "" if found[0].startswith("!") else words

        text = page.read_text(encoding="utf-8")
        if (new := relinked(text, link)) != text:
            page.write_text(new, encoding="utf-8")


def relinked(text: str, link: Callable[[re.Match], str]) -> str:
    """Returns a page with the answers of `link` in place of its links. Code stays as it is."""
    pieces = CODE.split(text)
    # A link may have code in its text, so inline code is put back before links are looked for.
    whole, kept = "", []
    for number, piece in enumerate(pieces):
        if number % 2:
            kept.append(piece)
            piece = f"\0{len(kept) - 1}\0"
        whole += piece
    whole = re.sub(r"\n{3,}", "\n\n", LINK.sub(link, whole))
    return re.sub("\0(\\d+)\0", lambda place: kept[int(place[1])], whole)


if __name__ == "__main__":
    if sys.argv[1] == "--installed":
        keep_links_of(Path(sys.argv[2]))
        sys.exit()
    file = Path(sys.argv[1])
    sys.stdout.write(readable(file.read_text(encoding="utf-8"), posixpath.dirname(sys.argv[1]), *sys.argv[2:3]))
