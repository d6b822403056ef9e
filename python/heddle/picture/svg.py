"""The grid as SVG: self-contained, a tooltip on every piece, legend below."""

from xml.sax.saxutils import escape

from heddle.picture import colours
from heddle.picture.grid import Grid, Piece

WIDTH, ROW, GAP, LEFT, TOP = 960, 22, 3, 96, 96
MOST_ROWS = 32
MOST_PIECES = 20_000
WIDEST = 48  # of a unit
LETTERS = 128  # letters of a line; those of the title are 4/3 as wide

_STYLE = (
    "text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px;fill:#333}"
    ".title{font-size:16px;font-weight:bold}.small{font-size:11px;fill:#777}.order{font-size:10px;text-anchor:middle}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.small{fill:#999}.page{fill:#1b1b1f}.memory{fill:#2c2c33}}"
)


def draw(grid: Grid, about: dict) -> str:
    lines, more = grid.lines(MOST_ROWS)
    rows = len(lines)
    places = {line.row: number for number, line in enumerate(lines) if not line.untouched}
    left, right = grid.window(0)
    left, right = grid.window(max(4 * (right - left), 32 * grid.unit))  # whole rows, unless most of one is empty
    shown = right - left
    scale = min((WIDTH - LEFT - 110) / shown, WIDEST / grid.unit)
    height = TOP + rows * (ROW + GAP) + 70
    count = f" × {about['count']:,}" if about["count"] != 1 else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        f"<title>{escape(about['type'])}{count}</title><style>{_STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="16" y="30">{escape(_short(about["type"], LETTERS * 3 // 4 - len(count)))}{count}</text>',
        f'<text x="16" y="52">{escape(_facts(about))}</text>',
        f'<text x="16" y="70">{escape(_short("canonical: " + about["canonical"], LETTERS))}</text>',
    ]
    width = shown * scale
    for number, line in enumerate(lines):
        y = TOP + number * (ROW + GAP)
        if line.untouched:
            parts.append(f'<text class="small" x="{LEFT}" y="{y + 15}">⋮ {line.untouched:,} rows that nothing touches</text>')
            continue
        label = f"{grid.first_byte + line.row * grid.row_bytes + left:,}"
        parts.append(f'<text class="small" x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{label}</text>')
        parts.append(f'<rect class="memory" x="{LEFT}" y="{y}" width="{width:.2f}" height="{ROW}" rx="2" fill="#eee"/>')
    pieces = [piece for piece in grid.pieces if piece.row in places]
    if grid.unit * scale >= 14:  # there is room to show elements one by one
        pieces = [part for piece in pieces for part in piece.split(grid.unit)]
    parts += [_piece(grid, piece, TOP + places[piece.row] * (ROW + GAP), left, scale) for piece in pieces[:MOST_PIECES]]
    if places and (empty := grid.row_bytes - right) > 0:
        y = TOP + min(places.values()) * (ROW + GAP) + 15  # beside a row, not beside a line that stands for many rows
        parts.append(f'<text class="small" x="{LEFT + width + 8:.0f}" y="{y}">⋯ +{empty:,} B</text>')
    parts.append(_legend(grid, more, TOP + rows * (ROW + GAP) + 16, len(pieces) <= MOST_PIECES))
    return "\n".join([*parts, "</svg>\n"])


def _piece(grid: Grid, piece: Piece, y: int, left: int, scale: float) -> str:
    x = LEFT + (piece.start - left) * scale
    width = max(piece.length * scale, 0.6)
    place = piece.packed / max(1, grid.size - 1)
    offset = grid.first_byte + piece.row * grid.row_bytes + piece.start
    tip = f"<title>{piece.length:,} bytes at {offset:,}, packed at {piece.packed:,}</title>"
    inset = 0.5 if width > 3 else 0
    box = (
        f'<rect x="{x + inset:.2f}" y="{y}" width="{width - 2 * inset:.2f}" height="{ROW}" rx="2" '
        f'fill="{colours.hexadecimal(place)}">{tip}</rect>'
    )
    order = str(piece.packed // grid.unit)
    if width < 6.5 * len(order) + 4:
        return box
    return box + f'<text class="order" x="{x + width / 2:.2f}" y="{y + 15}" style="fill:{colours.ink(place)}">{order}</text>'


def _facts(about: dict) -> str:
    shape = about["shape"]
    return (
        f"{about['size']:,} bytes in an extent of {about['extent']:,}; {shape['blocks']:,} blocks, "
        f"median {shape['median_block']:,} bytes"
    )


def _legend(grid: Grid, more: int, y: int, complete: bool) -> str:
    steps, start = 24, LEFT + 110
    bar = "".join(
        f'<rect x="{start + step * 8}" y="{y}" width="8.5" height="12" fill="{colours.hexadecimal(step / (steps - 1))}"/>'
        for step in range(steps)
    )
    notes = [
        f"a row is {grid.row_bytes:,} bytes of memory, labelled by its offset",
        f"numbers count units of {grid.unit:,} bytes in packed order",
    ]
    notes += [f"{more:,} more rows are not drawn"] if more else []
    notes += [f"only the first {len(grid.pieces):,} blocks are drawn"] if not (complete and grid.whole) else []
    lines = ["; ".join(notes[:2]), "; ".join(notes[2:])]
    return (
        f'<text x="{LEFT}" y="{y + 11}">packed first</text>{bar}<text x="{start + steps * 8 + 8}" y="{y + 11}">last</text>'
        + "".join(f'<text class="small" x="{LEFT}" y="{y + 34 + 16 * i}">{line}</text>' for i, line in enumerate(lines))
    )


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
