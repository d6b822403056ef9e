"""An explained group on the terminal."""

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from heddle.console import console


def show(about: dict) -> None:
    out = console()
    out.print(Text(about["input"], style="bold"))
    members = ", ".join(map(str, about["members"]))
    if about["size"] > len(about["members"]):
        members += ", …"
    _section("members", Text(f"{about['size']:,}: {members}" if about["size"] else "none"))
    _section("formats", _formats(about["formats"]))
    lists = f"a list of pointers takes {about['pointers']:,} bytes in every process"
    _section("kept as", Text(f"{about['why']}\n{about['with_object']} bytes with the group's object; {lists}"))


def _section(title: str, body) -> None:
    console().print()
    console().print(Text(title, style="bold cyan"))
    console().print(Padding(body, (0, 0, 0, 2)))


def _formats(formats: list[dict]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    table.add_column("bytes", justify="right")
    table.add_column("in memory", justify="right")
    table.add_column("")
    for row in formats:
        style = "bold" if row["kept"] else "dim" if not row["fits"] else ""
        numbers = (f"{row['bytes']:,}", f"{row['memory']:,}") if row["fits"] else ("–", "–")
        table.add_row(row["name"], *numbers, row["why_not"] or row["description"], style=style)
    return table
