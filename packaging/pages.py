"""pages.py SHARE: writes man pages and shell completion from the help texts of the commands.

SHARE/man/man1/heddle.1, heddle-run.1, …      one page for each command
SHARE/bash-completion/completions/heddle, SHARE/zsh/site-functions/_heddle,
SHARE/fish/vendor_completions.d/heddle.fish
"""

import inspect
import os
import re
import sys
from pathlib import Path

import heddle
import typer
from heddle.app import app
from typer.completion import get_completion_script

COMPLETIONS = {
    "bash": "bash-completion/completions/heddle",
    "zsh": "zsh/site-functions/_heddle",
    "fish": "fish/vendor_completions.d/heddle.fish",
}


def roff(text: str) -> str:
    """Removes Rich's markup, and escapes the characters that have a meaning in roff."""
    plain = re.sub(r"\[/?[a-z][a-z ]*\]", "", text).replace("\\[", "[").replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in plain.splitlines())


def paragraphs(text: str) -> str:
    """Turns a docstring into roff. Blocks that begin with \\b keep their lines."""
    parts = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if block.startswith("\b"):
            parts.append(".PP\n.nf\n" + roff(block[1:].strip("\n")) + "\n.fi")
        else:
            parts.append(".PP\n" + roff(" ".join(block.split())))
    return "\n".join(parts)


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.:])\s", " ".join(inspect.cleandoc(text).replace("\b", "").split()))[0].rstrip(".:")


def page(name: str, command, others: dict) -> str:
    context = command.context_class(command, info_name=name.replace("-", " "), help_option_names=["-h", "--help"])
    words = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH {name.upper()} 1 "" "Heddle {heddle.__version__}" "Heddle"',
        f".SH NAME\n{roff(name)} \\- {roff(first_sentence(command.help or ''))}",
        f".SH SYNOPSIS\n.B {roff(name.replace('-', ' ', 1))}\n{roff(words)}",
        f".SH DESCRIPTION\n{paragraphs(command.help or '')}",
    ]
    records = [record for one in command.get_params(context) if (record := one.get_help_record(context))]
    if records:
        lines += [".SH OPTIONS", *(f".TP\n.B {roff(left)}\n{roff(right)}" for left, right in records)]
    if others:
        lines += [".SH COMMANDS"]
        lines += [f".TP\n.BR heddle\\-{other} (1)\n{roff(first_sentence(one.help or ''))}" for other, one in others.items()]
    also = [f".BR {roff(other)} (1)" for other in ("heddle", *(f"heddle-{other}" for other in others)) if other != name]
    if also:
        lines += [".SH SEE ALSO", ",\n".join(also)]
    return "\n".join(lines) + "\n"


def main(share: Path) -> None:
    os.environ.update(TERM="dumb", NO_COLOR="1")
    whole = typer.main.get_command(app)
    pages = {"heddle": page("heddle", whole, whole.commands)}
    pages |= {f"heddle-{name}": page(f"heddle-{name}", command, {}) for name, command in whole.commands.items()}
    files = {f"man/man1/{name}.1": text for name, text in pages.items()}
    for shell, path in COMPLETIONS.items():
        files[path] = get_completion_script(prog_name="heddle", complete_var="_HEDDLE_COMPLETE", shell=shell) + "\n"
    files[COMPLETIONS["zsh"]] += '_heddle_completion "$@"\n'  # zsh reads the file at the first completion, which must work
    for path, text in files.items():
        (share / path).parent.mkdir(parents=True, exist_ok=True)
        (share / path).write_text(text, encoding="utf-8")


main(Path(sys.argv[1]))
