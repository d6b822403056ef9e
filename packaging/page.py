"""page.py FILE [BASE]: prints a page of the tree, for readers who have not the tree (the wheel's
page, release notes).

Links to files of the tree begin with BASE, the address of the tree. Without BASE, only their text
stays.
"""

import posixpath
import re
import sys
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
    file = Path(sys.argv[1])
    sys.stdout.write(readable(file.read_text(encoding="utf-8"), posixpath.dirname(sys.argv[1]), *sys.argv[2:3]))
