"""An explained datatype on the terminal."""

from rich.text import Text

from heddle.console import SPACE, console, say, section
from heddle.manual import LAYOUTS
from heddle.picture import lay_out, terminal

MOST_ENTRIES = 12


def show(about: dict) -> None:
    count = f" × {about['count']:,}" if about["count"] != 1 else ""
    say(Text(about["type"] + count, style="bold"))
    section("type map", _type_map(about["type_map"]))
    written = about.get("written")  # none: too long to be pasted
    section("canonical layout", Text(about["canonical"] + (f"\n{written}" if written else "")).append(f"\n{LAYOUTS}", "dim"))
    section("shape")
    for name, value in _shape(about):
        say(Text.assemble((f"{name:<11}", "dim"), "  ", value), "  ", " " * 15)
    width = console().width - 2
    grid = lay_out(about, columns=width // 4)
    section("in memory", None if grid.rows else Text("nothing"))
    if grid.rows:
        picture, legend = terminal.draw(grid, width)
        say(picture, "  ")
        say(legend, "  ")
    section("how Heddle packs it", Text("\n".join(about["plan"])))
    if about["kernels"]["parts"]:
        section("by which kernels", _kernels(about["kernels"]))
    section(*_way(about["way"]))


def _kernels(kernels: dict) -> Text:
    """A line for each direction. Lines that several parts of a struct share appear once."""
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
    """The scheme to a rank of the same node, and its reason, by the sender's memory. Equal schemes
    appear once."""
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


def _type_map(type_map: dict) -> Text:
    """The type map as the standard writes it: pairs of basic type and displacement."""
    shown = type_map["entries"][:MOST_ENTRIES]
    pairs = [f"({entry['name']}, {entry['offset']})".replace(" ", SPACE) for entry in shown]  # no pair is split
    if type_map["total"] > len(shown):
        pairs.append(f"… {type_map['total']:,} in all".replace(" ", SPACE))
    return Text("{" + ", ".join(pairs) + "}")


def _shape(about: dict) -> list[tuple[str, str]]:
    shape = about["shape"]
    lengths = (
        f"mean {shape['mean_block']:,.1f}, median {shape['median_block']:,}, deviation {shape['deviation_block']:,.1f} bytes"
    )
    if shape["smallest_block"] == shape["largest_block"]:
        lengths = f"{shape['median_block']:,} bytes each"
    rows = [
        ("size", f"{about['size']:,} bytes of data each, {shape['size']:,} in all"),
        ("extent", f"{about['extent']:,} bytes from {about['lower_bound']:,}"),
        ("true extent", f"{about['true_extent']:,} bytes from {about['true_lower_bound']:,}"),
        ("blocks", f"{shape['blocks']:,}, {lengths}"),
        ("cache lines", f"{shape['lines']:,} touched, {_share(shape['size'], 64 * shape['lines'])} of their bytes used"),
    ]
    return rows + ([("on the wire", f"{about['wire_bytes']:,} bytes describe it")] if about.get("wire_bytes") else [])


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "nothing"
