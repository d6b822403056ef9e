"""Prints the manual's page of commands, from the help texts of the commands. Runs with the packages
of the command line."""

import inspect
import os
import re

import typer

os.environ.update(TERM="dumb", NO_COLOR="1")

from heddle.app import app


def plain(text: str) -> str:
    """Removes Rich's markup."""
    return re.sub(r"\[/?[a-z][a-z ]*\]", "", text).replace("\\[", "[")


def cell(text: str) -> str:
    return " ".join(plain(text).split()).replace("|", "\\|")


def paragraphs(text: str) -> list[str]:
    """Turns a docstring into Markdown. Blocks that begin with \\b become code."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(text))
    code = [f"```\n{plain(block[1:]).strip(chr(10))}\n```" if block.startswith("\b") else "" for block in blocks]
    return [shown or " ".join(plain(block).split()) for shown, block in zip(code, blocks, strict=True)]


def section(name: str, command) -> list[str]:
    context = command.context_class(command, info_name=name, help_option_names=["-h", "--help"])
    usage = f"{name} {' '.join(command.collect_usage_pieces(context))}"
    parts = [f"## {name}", f"```\n{usage}\n```", *paragraphs(command.help or "")]
    records = [record for one in command.get_params(context) if (record := one.get_help_record(context))]
    if records:
        rows = [f"| `{' '.join(left.split())}` | {cell(right)} |" for left, right in records]
        parts.append("\n".join(["| option | meaning |", "|---|---|", *rows]))
    return parts


def page() -> str:
    whole = typer.main.get_command(app)
    parts = ["# Commands"]
    parts.append("This page has the help texts of all commands. `man heddle-run` and `heddle run --help` show the same.")
    for name, command in whole.commands.items():
        parts += section(f"heddle {name}", command)
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    print(page(), end="")
