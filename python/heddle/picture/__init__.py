"""The bytes of a datatype in memory, as a grid: the bytes with data, and their order of packing.

grid = lay_out(about, columns=24)       # about: the output of `heddle-tool explain --json`
terminal.draw(grid), svg.draw(grid)
"""

from heddle.picture.grid import Grid, Piece, lay_out

__all__ = ["Grid", "Piece", "lay_out"]
