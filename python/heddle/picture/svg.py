"""The grid as SVG: self-contained, a tooltip on every piece, legend below. These are the numbers;
picture.svg.j2 draws them."""

from dataclasses import dataclass

from heddle.pages import render
from heddle.picture import colours
from heddle.picture.grid import Grid, Piece

ROOM = 754  # pixels of the memory
WIDEST = 48  # pixels of a unit
MOST_ROWS = 32
MOST_PIECES = 20_000
LETTERS = 128  # letters of a line; those of the title are 4/3 as wide
STEPS = 24  # of the legend's colours


@dataclass(frozen=True)
class Box:
    """A piece: the number of its line, and pixels from the left of the memory."""

    line: int
    x: float
    width: float
    colour: str
    tip: str
    order: str  # "": there is no room for it
    ink: str


def draw(grid: Grid, about: dict) -> str:
    lines, more = grid.lines(MOST_ROWS)
    places = {line.row: number for number, line in enumerate(lines) if not line.untouched}
    left, right = grid.window(0)
    left, right = grid.window(max(4 * (right - left), 32 * grid.unit))  # whole rows, unless most of one is empty
    scale = min(ROOM / (right - left), WIDEST / grid.unit)
    pieces = [piece for piece in grid.pieces if piece.row in places]
    if grid.unit * scale >= 14:  # there is room to show elements one by one
        pieces = [part for piece in pieces for part in piece.split(grid.unit)]
    count = f" × {about['count']:,}" if about["count"] != 1 else ""
    left_out = [f"{more:,} more rows are not drawn"] if more else []
    if len(pieces) > MOST_PIECES or not grid.whole:
        left_out.append(f"only the first {len(grid.pieces):,} blocks are drawn")
    return render(
        "picture/picture.svg.j2",
        grid=grid,
        about=about,
        title=f"{about['type']}{count}",
        heading=_short(about["type"], LETTERS * 3 // 4 - len(count)) + count,
        canonical=_short(f"canonical: {about['canonical']}", LETTERS),
        lines=[(grid.first_byte + line.row * grid.row_bytes + left, line.untouched) for line in lines],
        memory=(right - left) * scale,
        boxes=[_box(grid, piece, places[piece.row], left, scale) for piece in pieces[:MOST_PIECES]],
        beside=min(places.values(), default=None),  # a row, not a line that stands for many rows
        empty=grid.row_bytes - right,
        steps=[colours.hexadecimal(step / (STEPS - 1)) for step in range(STEPS)],
        left_out="; ".join(left_out),
    )


def _box(grid: Grid, piece: Piece, line: int, left: int, scale: float) -> Box:
    x, width = (piece.start - left) * scale, max(piece.length * scale, 0.6)
    place = piece.packed / max(1, grid.size - 1)
    offset = grid.first_byte + piece.row * grid.row_bytes + piece.start
    tip = f"{piece.length:,} bytes at {offset:,}, packed at {piece.packed:,}"
    order = str(piece.packed // grid.unit)
    fits = width >= 6.5 * len(order) + 4
    return Box(line, x, width, colours.hexadecimal(place), tip, order if fits else "", colours.ink(place))


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
