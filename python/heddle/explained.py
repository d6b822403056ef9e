"""An explained datatype on the terminal."""

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from heddle.console import console
from heddle.picture import lay_out, terminal

MOST_ENTRIES = 12


def show(about: dict) -> None:
    out = console()
    count = f" × {about['count']:,}" if about["count"] != 1 else ""
    out.print(Text(about["type"] + count, style="bold"))
    _section("type map", _type_map(about["type_map"]))
    _section("canonical layout", Text(about["canonical"]))
    _section("shape", _shape(about))
    width = out.width - 2
    grid = lay_out(about, columns=width // 4)
    _section("in memory", terminal.draw(grid, width) if grid.rows else Text("nothing"))
    _section("how Heddle packs it", Text("\n".join(about["plan"])))
    if about["kernels"]["parts"]:
        _section("by which kernels", _kernels(about["kernels"]))
    _section(*_way(about["way"]))


def _kernels(kernels: dict) -> Text:
    """A line for each direction; what several parts of a struct have in common once."""
    text = Text()
    seen = set()
    for part in kernels["parts"]:
        for direction in ("pack", "unpack"):
            kernel = part[direction]
            line = (direction, kernel["kernel"], kernel["why"])
            if line in seen:
                continue
            seen.add(line)
            text.append(f"{direction} {part['kind']}: ", style="dim").append(kernel["kernel"], style="bold")
            text.append(f", {kernel['does']}: {kernel['why']}\n")
    if kernels["more"]:
        text.append("… and so on")
    text.rstrip()
    return text


def _way(way: dict) -> tuple[str, Text]:
    """To a rank of the same node: the scheme, and why, by the sender's memory; once if that makes no difference."""
    title = f"to a rank of the same node ({way['profile']} profile)"
    if not way["choices"]:
        return title, Text(way["why"])
    lines = {}
    for choice in way["choices"]:
        lines.setdefault(choice["scheme"], choice)
    text = Text()
    for choice in lines.values():
        if len(lines) > 1:
            text.append(f"from {choice['memory']}: ", style="dim")
        scheme, _, reason = choice["why"].partition(": ")
        text.append(scheme, style="bold").append(f": {reason}; segments of {choice['segment']:,} bytes\n")
    text.rstrip()
    return title, text


def _section(title: str, body) -> None:
    console().print()
    console().print(Text(title, style="bold cyan"))
    console().print(Padding(body, (0, 0, 0, 2)))


def _type_map(type_map: dict) -> Text:
    """As the standard writes it: pairs of basic type and displacement."""
    shown = type_map["entries"][:MOST_ENTRIES]
    text = Text("{" + ", ".join(f"({entry['name']}, {entry['offset']})" for entry in shown))
    if type_map["total"] > len(shown):
        text.append(f", … {type_map['total']:,} in all", style="dim")
    return text.append("}")


def _shape(about: dict) -> Table:
    shape = about["shape"]
    lengths = (
        f"mean {shape['mean_block']:,.1f}, median {shape['median_block']:,}, deviation {shape['deviation_block']:,.1f} bytes"
    )
    if shape["smallest_block"] == shape["largest_block"]:
        lengths = f"{shape['median_block']:,} bytes each"
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    table.add_row("size", f"{about['size']:,} bytes of data each, {shape['size']:,} in all")
    table.add_row("extent", f"{about['extent']:,} bytes from {about['lower_bound']:,}")
    table.add_row("true extent", f"{about['true_extent']:,} bytes from {about['true_lower_bound']:,}")
    table.add_row("blocks", f"{shape['blocks']:,}, {lengths}")
    table.add_row(
        "cache lines", f"{shape['lines']:,} touched, {_share(shape['size'], 64 * shape['lines'])} of their bytes used"
    )
    if about.get("wire_bytes"):
        table.add_row("on the wire", f"{about['wire_bytes']:,} bytes describe it")
    return table


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "nothing"
