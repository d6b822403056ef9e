"""An explained view of a file, on the terminal: who accesses which bytes, and for whom."""

from __future__ import annotations

import re

from rich.text import Text

from heddle import listing
from heddle.console import console, say, section
from heddle.picture import colours
from heddle.problem import Problem

HINTS = ("cb_nodes", "cb_buffer_size", "striping_unit")
MOST_OWNERS = 16
MOST_RANKS = 8  # as columns


def of_rank(text: str, rank: int, ranks: int) -> str:
    """The datatype of that rank: `512 * rank` and the like become numbers. `ranks` is the number of
    ranks. / is a division without rest."""

    def value(found: re.Match) -> str:
        words = re.sub(r"\branks\b", str(ranks), re.sub(r"\brank\b", str(rank), found[0]))
        try:
            return str(_number(words))
        except (SyntaxError, ValueError, ZeroDivisionError):
            raise Problem(f"{found[0].strip()} is no number: write sums and products such as 512 * rank.", code=2) from None

    return re.sub(r"[\d\s+*/%-]*\branks?\b(?:[\d\s+*/%-]|\branks?\b)*", value, text)


def _number(words: str) -> int:
    import ast
    import operator as does

    known = {ast.Add: does.add, ast.Sub: does.sub, ast.Mult: does.mul, ast.Div: does.floordiv, ast.Mod: does.mod}

    def of(node: ast.AST) -> int:
        if isinstance(node, ast.Expression):
            return of(node.body)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in known:
            return known[type(node.op)](of(node.left), of(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -of(node.operand)
        raise ValueError(words)

    return of(ast.parse(words.strip(), mode="eval"))


def arguments(hints: list[str]) -> list[str]:
    """Hints of MPI_File_open, as options of heddle-tool."""
    options = []
    for hint in hints:
        name, equals, value = hint.partition("=")
        if name not in HINTS or not equals or not value.isdigit():
            raise Problem(f"--hint {hint} is none of {', '.join(HINTS)} with a number, such as cb_nodes=2.", code=2)
        options += [f"--{name}", value]
    return options


def show(about: dict, title: str) -> None:
    say(Text(f"{title}, {about['ranks']:,} rank{'s' * (about['ranks'] != 1)}", style="bold"))
    section("Heddle", Text(f"write: {about['write']['why']}\nread: {about['read']['why']}"))
    section("the first bytes of the file, by rank", _pieces(about["pieces"], about["ranks"]))
    if not about["owners"]:
        return
    whole = f"bytes {about['low']:,} to {about['high']:,}, in pieces of at most {about['piece']:,}"
    section(
        f"owners of {whole}" if about["write"]["carried"] or about["read"]["carried"] else f"owners, if Heddle carried {whole}"
    )
    shown = about["owners"][:MOST_OWNERS]
    ranks = min(about["ranks"], MOST_RANKS)
    more = [f"ranks {ranks} …"] if about["ranks"] > ranks else []
    columns = [f"rank {rank}" for rank in range(ranks)] + more
    heads = ("owner", "from byte", "to byte", "rounds", *columns)
    listing.show(heads, [_owner(row, ranks, bool(more)) for row in shown], right=heads[1:], indent="  ")
    if len(about["owners"]) > len(shown):
        say(Text(f"… {len(about['owners']):,} owners in all", style="dim"), "  ")


def _owner(row: dict, ranks: int, more: bool) -> tuple[str, ...]:
    rest = [f"{sum(row['bytes'][ranks:]):,}"] if more else []
    parts = [f"{part:,}" for part in row["bytes"][:ranks]]
    return (f"rank {row['rank']}", f"{row['low']:,}", f"{row['high']:,}", f"{row['rounds']:,}", *parts, *rest)


def _pieces(pieces: list[dict], ranks: int) -> Text:
    """A cell for each piece, with its rank. A dot stands for bytes that no rank accesses."""
    text = Text()
    room = console().width - 8
    wide = len(str(ranks - 1)) + 1
    end = None
    for piece in pieces:
        hole = end is not None and piece["offset"] > end
        if len(text) + (wide if hole else 0) + wide > room:
            text.append(" …", style="dim")
            break
        if hole:
            text.append("·".rjust(wide), style="dim")
        place = piece["rank"] / max(1, ranks - 1)
        text.append(f"{piece['rank']:>{wide}}", style=f"{colours.ink(place)} on {colours.hexadecimal(place)}")
        end = piece["offset"] + piece["length"]
    lengths = {piece["length"] for piece in pieces}
    said = (
        f"{lengths.pop():,} bytes each"
        if len(lengths) == 1
        else f"{min(lengths):,} to {max(lengths):,} bytes"
        if lengths
        else ""
    )
    return text.append(f"\n{said}", style="dim") if said else text.append("nothing")
