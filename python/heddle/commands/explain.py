"""heddle explain: shows a datatype, a view of a file, the ways of a one-sided access, the format
of a group, or the algorithm of a collective."""

import json
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

PIECES = 16384  # at most so many are drawn
ENTRIES = 4096
MEMBERS = 16


def explain(
    spec: Annotated[
        Optional[str], typer.Argument(metavar="TYPE", help="A datatype, written as below.", show_default=False)
    ] = None,
    count: Annotated[int, typer.Option("--count", "-c", min=0, help="Number of elements, one behind the other.")] = 1,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="TYPE", help="The datatype of a receiver on the same node, or of a target.", show_default=False
        ),
    ] = "",
    svg: Annotated[Optional[Path], typer.Option("--svg", metavar="FILE", help="Write the picture to FILE as SVG.")] = None,
    group: Annotated[
        Optional[str],
        typer.Option(
            "--group", metavar="RANKS", help="Instead of a datatype: the format of a group, and why.", show_default=False
        ),
    ] = None,
    collective: Annotated[
        Optional[str],
        typer.Option(
            "--collective", metavar="VOLUMES", help="Instead of a datatype: the algorithm of a collective.", show_default=False
        ),
    ] = None,
    file_view: Annotated[
        bool, typer.Option("--file-view", help="TYPE is the filetype of a view: who writes which bytes of the file.")
    ] = False,
    window: Annotated[
        bool, typer.Option("--window", help="TYPE is the datatype of an MPI_Put or MPI_Get, --to that of the target.")
    ] = False,
    ranks: Annotated[
        Optional[int], typer.Option("--ranks", min=1, max=4096, metavar="N", help="Ranks of --file-view.", show_default=False)
    ] = None,
    hint: Annotated[
        Optional[list[str]],
        typer.Option(
            "--hint",
            metavar="NAME=VALUE",
            help="A hint of --file-view: cb_nodes, cb_buffer_size or striping_unit.",
            show_default=False,
        ),
    ] = None,
    define: Annotated[
        Optional[list[str]],
        typer.Option("--define", "-D", metavar="NAME=VALUE", help="A value that pasted statements need.", show_default=False),
    ] = None,
    variable: Annotated[
        Optional[str],
        typer.Option("--variable", metavar="NAME", help="The datatype that the program stores in NAME.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as JSON.")] = False,
) -> None:
    """Show a datatype: its type map, canonical layout, shape and bytes in memory. Say how Heddle
    packs the datatype, and by which scheme it goes to a rank of the same node.

    Write types as in the standard, with or without MPI_Type_create_. A list may have ranges:
    [0:12:4] is [0, 4, 8].

    You may also paste statements of a C, Fortran or Python program, with the declarations that they
    use, or name a source file. The command then explains the last datatype in the text, or the
    datatype of --variable. Some values are known only when the program runs, such as the number of
    ranks. The command asks for them by name; give them by --define.

    With --file-view, each rank has a filetype: `rank` and `ranks` in TYPE become numbers. For a
    program with other names, write -D me=rank -D size=ranks.

    With --window, the command tells for each kind of window how an MPI_Put or MPI_Get of TYPE
    reaches a rank of the same node.

    HEDDLE_EXPLAIN=NAME lets a running program explain its own datatypes.

    \b
    heddle explain 'vector(8, 1, 8, contiguous(3, double))'
    heddle explain 'subarray([8, 8], [3, 4], [2, 1], int)'
    heddle explain 'struct(int, 2 double @ 16)' --count 4
    heddle explain 'indexed([1, 2, 1], [0, 3, 8], double)'
    heddle explain 'vector(512, 64, 4096, int)' --to 'contiguous(32768, int)'
    heddle explain 'hvector(8, 1, 4, vector(8, 1, 8, int))' --svg t.svg
    heddle explain 'MPI_Type_vector(128, 8, 4096, MPI_INT, &column);'
    heddle explain particles.c
    heddle explain transpose.c --variable rectangle -D n=8 -D ranks=2
    heddle explain transpose.c --define n=2048 --define ranks=4
    heddle explain gather.py --define 'places=[3, 0, 14, 7]'
    heddle explain --file-view --ranks 4 'subarray([64, 64], [64, 16], [0, 16 * rank], double)'
    heddle explain --window 'subarray([130, 130, 130], [128, 128, 1], [1, 1, 1], double)'
    heddle explain --group '0:90000:300'
    heddle explain --group 'cart(100 x 100 x 100; *, 7, *)'
    heddle explain --collective 'allgatherv: 32k, 63 x 8'
    heddle explain --collective 'alltoallv: 26 x 512; 256 ranks, 16 nodes'
    """
    from heddle import written
    from heddle.pasted.sources import no_source
    from heddle.problem import Problem

    if group is not None or collective is not None:
        alone = "--collective" if group is None else "--group"
        others = (spec, svg, to, define, variable, file_view, window, ranks, hint)
        if any(others) or count != 1 or None not in (group, collective):
            raise Problem(f"{alone} stands alone: leave out the datatype and all other options except --json.", code=2)
        if group is not None:
            _group(group, as_json)
        else:
            _collective(collective, as_json)
        return
    if spec is None:
        raise Problem(
            "nothing to explain. Name a datatype, or use --group or --collective; --help has examples.",
            code=2,
        )
    given = _defined(define or [])
    if window and (svg or file_view or ranks or hint):
        raise Problem("--window has no --svg, --file-view, --ranks and --hint.", code=2)
    if file_view and (svg or to):
        raise Problem("--file-view has no --svg and no --to.", code=2)
    if not file_view and (ranks or hint):
        raise Problem("--ranks and --hint belong to --file-view.", code=2)
    try:
        if window:
            return _window(spec, to, count, given, variable, as_json)
        if file_view:
            return _file_view(spec, ranks or 2, count, given, variable, hint or [], as_json)
        about = _explained(spec, to, count, given, variable)
    except Problem:
        for word in (spec, to):
            if why := no_source(word):
                raise Problem(why, code=2) from None
        raise
    if svg:
        from heddle.picture import lay_out
        from heddle.picture import svg as drawing

        try:
            written.write(svg, drawing.draw(lay_out(about, columns=64), about))
        except OSError as error:
            raise Problem(f"cannot write {svg} ({error.strerror}).") from None
    if as_json:
        print(json.dumps(about, indent=2))
        return
    from heddle.explained import show

    show(about)
    if svg:
        print(f"\nThe picture is in {svg}.")


def _explained(spec: str, to: str, count: int, given: dict[str, str], variable: Optional[str]) -> dict:
    """All about a datatype, as JSON. Warns on stderr if a receiver's signature differs."""
    from heddle import listing, native, signature
    from heddle.pasted import check_names, described
    from heddle.problem import Problem

    texts = [_source(spec), _source(to)]
    names: list[str] = []
    notes: list[str] = []
    made = [described(texts[0], given, variable, names, notes=notes), described(texts[1], given, None, names)]
    if variable and made[0] is None:
        raise Problem("--variable chooses among the datatypes of a program. This datatype is written out.", code=2)
    for name, text, new in zip((spec, to), texts, made):
        if name != text and new is None:
            raise Problem(f"{name} makes no datatype: it has no MPI constructor such as MPI_Type_vector.", code=2)
    if given and not any(made):
        raise Problem(
            "--define gives values to pasted statements. This datatype is written out: put the values into it.", code=2
        )
    check_names(given, [text for text, new in zip(texts, made) if new], names)
    _tell(notes)
    spec, to = (new or text for new, text in zip(made, texts))
    limits = ("--segments", str(PIECES), "--entries", str(ENTRIES))
    about = native.tool("explain", "--count", str(count), *limits, *(["--to", to] if to else []), "--json", "--", spec)
    if to:
        receiver, _ = native.ask("explain", "--segments", "0", "--entries", str(ENTRIES), "--json", "--", to)
        if differs := signature.difference(about, receiver):
            print(listing.prose(f"heddle: {differs}"), file=sys.stderr)
    return about


def _tell(notes: list[str]) -> None:
    from heddle import listing

    for note in notes:
        print(listing.prose(f"heddle: {note}"), file=sys.stderr)


def _file_view(
    spec: str, ranks: int, count: int, given: dict[str, str], variable: Optional[str], hints: list[str], as_json: bool
) -> None:
    from heddle import file_viewed, native
    from heddle.pasted import described

    text = _source(spec)
    views = []
    notes: list[str] = []
    for rank in range(ranks):
        own = {name: file_viewed.of_rank(value, rank, ranks) for name, value in given.items()}
        pasted = described(text, {"rank": str(rank), "ranks": str(ranks), **own}, variable, by_rank=True, notes=notes)
        views.append(pasted or file_viewed.of_rank(text, rank, ranks))
    _tell(notes[:1])
    about = native.tool("file-view", "--count", str(count), *file_viewed.arguments(hints), "--json", "--", *views)
    if as_json:
        print(json.dumps(about, indent=2))
        return
    file_viewed.show(about, views[0] if ranks == 1 else spec)


def _window(spec: str, to: str, count: int, given: dict[str, str], variable: Optional[str], as_json: bool) -> None:
    from heddle import native, window_ways
    from heddle.pasted import described

    notes: list[str] = []
    origin = described(_source(spec), given, variable, notes=notes) or spec
    target = described(_source(to), given, None) or to
    _tell(notes)
    about = native.tool("window", "--count", str(count), *(["--to", target] if to else []), "--json", "--", origin)
    if as_json:
        print(json.dumps(about, indent=2))
        return
    window_ways.show(about, origin, target if to else "")


def _defined(pairs: list[str]) -> dict[str, str]:
    from heddle.problem import Problem

    given = {}
    for pair in pairs:
        name, equals, value = _parted(pair)
        if not (name.strip() and equals and value.strip()):
            raise Problem(f"--define {pair} is not NAME=VALUE, such as n=8, 'places=[0, 5, 9]' or column=MPI_DOUBLE.", code=2)
        given[name] = value
    return given


def _parted(pair: str) -> tuple[str, str, str]:
    """The name and the value. The name may have an = in brackets: [(f(i), i = 1, 4)]."""
    depth = 0
    for at, char in enumerate(pair):
        depth += (char in "([{") - (char in ")]}")
        if char == "=" and depth <= 0:
            return pair[:at], char, pair[at + 1 :]
    return pair, "", ""


def _source(text: str) -> str:
    """The contents of a source file, or the text itself."""
    from heddle.pasted.sources import SOURCES
    from heddle.problem import Problem

    file = Path(text) if text.endswith(SOURCES) and "\n" not in text else None
    if file is None:
        return text
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        from heddle import near

        raise Problem(f"cannot read {file} ({error.strerror}).{near.file(file)}", code=2) from None


def _group(ranks: str, as_json: bool) -> None:
    from heddle import native

    about = native.tool("group", "--members", str(MEMBERS), "--json", "--", ranks)
    if as_json:
        print(json.dumps(about, indent=2))
        return
    from heddle.grouped import show

    show(about)


def _collective(volumes: str, as_json: bool) -> None:
    from heddle import native

    about = native.tool("collective", "--json", "--", volumes)
    if as_json:
        print(json.dumps(about, indent=2))
        return
    from heddle.collective import show

    show(about)
