"""An explained group on the terminal."""

from rich.text import Text

from heddle import listing
from heddle.console import say, section


def show(about: dict) -> None:
    say(Text(about["input"], style="bold"))
    members = ", ".join(map(str, about["members"]))
    if about["size"] > len(about["members"]):
        members += ", …"
    section("members", Text(f"{about['size']:,}: {members}" if about["size"] else "none"))
    section("formats")
    rows = [_format(row) for row in about["formats"]]
    listing.show(
        ("", "bytes", "in memory", "what it is"), rows, wraps=("what it is",), right=("bytes", "in memory"), indent="  "
    )
    lists = f"a list of pointers takes {about['pointers']:,} bytes in every process"
    section("kept as", Text(f"{about['why']}\n{about['with_object']} bytes with the group's object; {lists}"))


def _format(row: dict) -> tuple[str, str, str, str]:
    numbers = (f"{row['bytes']:,}", f"{row['memory']:,}") if row["fits"] else ("–", "–")
    return (("→ " if row["kept"] else "  ") + row["name"], *numbers, row["why_not"] or row["description"])
