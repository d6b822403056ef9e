"""The grid for a terminal: a cell is a unit of bytes, coloured by its place in the packed stream
and, if there is room, numbered by it."""

from rich.text import Text

from heddle.console import console
from heddle.picture import colours
from heddle.picture.grid import Grid, Piece

MOST_ROWS = 24


def draw(grid: Grid, width: int) -> tuple[Text, Text]:
    ends = (grid.first_byte, grid.first_byte + grid.rows * grid.row_bytes)
    label = max(len(f"{end:,}") for end in ends) + 2
    digits = len(str(max(0, grid.size // grid.unit - 1))) + 1
    room = width - label
    left, right = grid.window(room // digits * grid.unit)
    beyond = f" ⋯ +{grid.row_bytes - right:,} B" if right < grid.row_bytes else ""
    room -= len(beyond)
    cells = -(-(right - left) // grid.unit)
    numbered = cells * digits <= room
    wide = digits if numbered else max(1, min(2, room // cells))
    zoom = 1 if numbered else -(-cells * wide // room)  # units to a cell
    text = Text(no_wrap=True)
    rows = grid.by_row()
    lines, more = grid.lines(MOST_ROWS)
    for line in lines:
        if line.untouched:
            text.append(f"{'⋮':>{label - 2}}  {line.untouched:,} rows that nothing touches\n", style="dim")
            continue
        text.append(f"{grid.first_byte + line.row * grid.row_bytes + left:>{label - 2},}  ", style="dim")
        for cell in range(-(-cells // zoom)):
            low = left + cell * zoom * grid.unit
            text.append(_cell(grid, rows.get(line.row, []), low, low + zoom * grid.unit, wide, numbered))
        text.append(beyond + "\n", style="dim")
    if more:
        text.append(f"{'⋮':>{label - 2}}  {more:,} more rows\n", style="dim")
    text.right_crop(1)
    return text, _legend(grid, zoom, numbered)


def _cell(grid: Grid, pieces: list[Piece], low: int, high: int, wide: int, numbered: bool) -> Text:
    inside = [piece for piece in pieces if piece.start < high and piece.end > low]
    if not inside:
        return Text("·".rjust(wide), style="dim")
    packed = inside[0].packed + max(0, low - inside[0].start)
    place = packed / max(1, grid.size - 1)
    if numbered:
        return Text(f"{packed // grid.unit:>{wide}}", style=f"{colours.ink(place)} on {colours.hexadecimal(place)}")
    covered = sum(min(piece.end, high) - max(piece.start, low) for piece in inside)
    return Text(("█" if covered >= high - low else "▒") * wide, style=colours.hexadecimal(place))


def _legend(grid: Grid, zoom: int, numbered: bool) -> Text:
    legend = Text()
    bytes_ = grid.unit * zoom
    legend.append(f"a cell is {bytes_:,} byte{'s' if bytes_ > 1 else ''}, a row {grid.row_bytes:,}")
    if console().color_system and not console().no_color:
        legend.append("; packed ")
        for step in range(10):
            legend.append("█", style=colours.hexadecimal(step / 9))
        legend.append(" first to last")
        legend.append(", numbered by that order" if numbered else "")
    elif numbered:
        legend.append("; packed first to last, numbered by that order")
    if not grid.whole:
        legend.append(f"; only the first {len(grid.pieces):,} pieces are drawn", style="dim")
    return legend
