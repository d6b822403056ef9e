"""published.py [TREE]: names the fields that a release must have, and that hold no address yet.

Prints a line for each, and exits with 1. Packages of a release must tell their users where the
repository is, who maintains it, and where to report a fault of security.
"""

import re
import sys
from pathlib import Path

ADDRESS = r"https://(?!example\.)[\w.-]+\.\w+[\w./~-]*"
MAIL = r"[\w.+-]+@(?!packages\.debian\.org|example\.)[\w-]+\.[\w.-]+"
# File, field, a pattern that finds it filled in.
FIELDS = (
    ("python/pyproject.toml", "Repository in [project.urls]", rf'^(?:urls = .*)?\b[Rr]epository *= *"{ADDRESS}"'),
    ("packaging/debian/control", "Homepage", rf"^Homepage: *{ADDRESS}$"),
    ("packaging/debian/control", "Maintainer", rf"^Maintainer: .+ <{MAIL}>$"),
    ("CITATION.cff", "repository-code", rf'^repository-code: *"?{ADDRESS}"?$'),
    ("SECURITY.md", "an address, in 'Reporting a fault'", rf"^## Reporting a fault\n(?:(?!^## )[\s\S])*?(?:{ADDRESS}|{MAIL})"),
)


def missing(tree: Path) -> list[str]:
    texts = {file: (tree / file).read_text(encoding="utf-8") for file, *_ in FIELDS}
    return [f"{file}: {field}" for file, field, filled in FIELDS if not re.search(filled, texts[file], re.MULTILINE)]


if __name__ == "__main__":
    lines = missing(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("".join(f"{line}\n" for line in lines), end="")
    sys.exit(1 if lines else 0)
