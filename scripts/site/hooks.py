"""Hooks of mkdocs (see mkdocs.yml): they make pages from files outside docs/, and repair links.

A link to a file of the repository becomes a link to the page that is made from the file. If there
is no such page, only the link's text stays. A link to a missing file stays: mkdocs --strict fails
on it.
"""

import json
import posixpath
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(Path(__file__).parent))
import calls  # noqa: E402

EXAMPLES = {
    "halo": "Halo exchange",
    "transpose": "Transpose",
    "particles": "Particles as structs",
    "gather": "Irregular gather",
}
LANGUAGES = {"C": ("c", "c"), "Fortran": ("fortran", "f90"), "Python": ("python", "py")}
# Files outside docs/, and the pages that are made from them.
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "examples/README.md": "examples/index.md",
}
SOURCES = {f"examples/{folder}/{name}.{end}": f"examples/{name}.md" for name in EXAMPLES for folder, end in LANGUAGES.values()}
# Pages that are not made from files with links.
FROM_COMMANDS = ("settings.md", "commands.md", "calls.md")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def on_files(files, config):
    for name, text in generated().items():
        files.append(File.generated(config, name, content=text))
    return files


def generated() -> dict[str, str]:
    pages = {page: (ROOT / file).read_text() for file, page in ELSEWHERE.items() if page != "index.md"}
    pages |= {f"examples/{name}.md": program(name, title) for name, title in EXAMPLES.items()}
    pages |= {"settings.md": settings(), "commands.md": commands(), "calls.md": calls.page(ROOT)}
    return pages | {"site.css": (ROOT / "scripts/site/site.css").read_text()}


def program(name: str, title: str) -> str:
    more = f"[What it shows, and how to run it](../examples/README.md). [How its types are made](../docs/datatypes.md#{name})."
    parts = [f"# {title}\n\n{more}\n"]
    for language, (folder, end) in LANGUAGES.items():
        code = (ROOT / f"examples/{folder}/{name}.{end}").read_text()
        shown = "".join(f"    {line}\n" if line else "\n" for line in f"```{end}\n{code}```".split("\n"))
        parts.append(f'=== "{language}"\n\n    `examples/{folder}/{name}.{end}`\n\n{shown}')
    return "\n".join(parts)


def settings() -> str:
    """Returns a page with all settings that `heddle env` lists."""
    words = [ROOT / ".venv/bin/heddle", "env", "--json"]
    rows = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    what = "Environment variables; none is needed. `heddle env` lists them with what is set now, and finds misspelt ones."
    text = [f"# Settings\n\n{what}\n"]
    readers = {"library": "Read by the library, in every rank", "command line": "Read by the command line"}
    for reader, title in readers.items():
        text.append(f"\n## {title}\n\n| variable | default | values | meaning |\n|---|---|---|---|")
        for row in rows:
            if row["read_by"] == reader:
                cells = (f"`{row['name']}`", row["default"], row["values"], row["meaning"])
                text.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(text) + "\n"


def commands() -> str:
    """Returns a page with the help texts of all commands. mkdocs has not the packages of the
    command line."""
    words = [ROOT / ".venv/bin/python", ROOT / "scripts/site/commands.py"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def on_page_markdown(markdown, page, config, files):
    source = next((file for file, name in ELSEWHERE.items() if name == page.file.src_uri and name != "index.md"), None)
    if source is None and page.file.generated_by and page.file.src_uri not in FROM_COMMANDS:
        source = page.file.src_uri  # in examples/
    here = posixpath.dirname(source or f"docs/{page.file.src_uri}")
    pieces = re.split(r"(^ *```.*?^ *```[^\n]*$)", markdown, flags=re.M | re.S)  # code stays as it is
    rewritten = [LINK.sub(lambda link: linked(link, here, page.file.src_uri), piece) for piece in pieces[::2]]
    pieces[::2] = rewritten
    return "".join(pieces)


def linked(link: re.Match, here: str, page: str) -> str:
    mark, text, target = link.groups()
    path, hash_, anchor = target.partition("#")
    if not path or "://" in target or target.startswith("mailto:"):
        return link[0]
    file = posixpath.normpath(posixpath.join(here, path))
    to = ELSEWHERE.get(file) or SOURCES.get(file)
    if to is None and file.startswith("docs/"):
        to = file.removeprefix("docs/")
    if to is None:
        if page.startswith("examples/") and file.removeprefix("examples/").endswith(".md"):
            return link[0]
        return text if (ROOT / file).exists() else link[0]
    return f"{mark}[{text}]({posixpath.relpath(to, posixpath.dirname(page) or '.')}{hash_}{anchor})"
