"""The commands of `heddle`. Each command has a file in heddle/commands; this file ties them
together."""

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import heddle
from heddle.commands import algorithms, compare, doctor, env, explain, mpi, report, run, simulate, starting, tune
from heddle.commands.values import Command
from heddle.problem import Problem

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        print(f"heddle {heddle.__version__}")
        if "--verbose" in sys.argv[1:3]:  # either order
            from heddle.built import lines

            print(*lines(), sep="\n")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Let --version also print how this copy was built, and its place.")
    ] = False,
) -> None:
    """Heddle makes MPI fast for non-contiguous data, under any MPI library, without a change to the
    program.

    \b
    heddle run -n 4 -- ./app                     your program, with Heddle in it
    heddle run -- mpiexec -n 4 ./app             the same, by your own launcher
    heddle compare -n 4 -- ./app                 with and without Heddle: the gain
    heddle explain 'vector(128, 8, 4096, int)'   a datatype, as memory sees it
    heddle doctor                                check this machine
    heddle doctor -- ./app                       check a program
    """


def _flowing(function: Callable) -> str:
    """The function's docstring without line breaks inside paragraphs. A paragraph that \\b begins
    keeps its lines."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(text if text.startswith("\b") else " ".join(text.split()) for text in paragraphs)


for command in (run.run, compare.compare, doctor.doctor, tune.tune):
    app.command(help=_flowing(command), context_settings=starting.SETTINGS, cls=Command)(command)
for command in (explain.explain, algorithms.algorithms, mpi.mpi, simulate.simulate, report.report, env.env):
    app.command(help=_flowing(command), cls=Command)(command)


def _add_bench() -> None:
    """Adds the commands of the benchmarks. They are imported only for `heddle bench`, so that other
    commands start quickly. An installed copy has no benchmarks, and says where they are."""
    if not (Path(__file__).parent / "bench").is_dir():
        takes_all = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command("bench", hidden=True, add_help_option=False, context_settings=takes_all)(_elsewhere)
    elif sys.argv[1:2] == ["bench"]:
        app.add_typer(importlib.import_module("heddle.bench").app, name="bench")
    else:
        app.command("bench", help="Measure Heddle against the host MPI; `heddle bench --help` lists the benchmarks.")(
            lambda: None
        )


def _elsewhere() -> None:
    raise Problem(
        "the benchmarks are in a checkout of Heddle, and this is an installed copy. Run `make programs` in the folder "
        "of a checkout to build them; `.venv/bin/heddle bench --help` lists them there.",
        code=2,
    )


def run_app() -> None:
    _add_bench()
    if "_HEDDLE_COMPLETE" in os.environ:  # a shell completes a word (packaging/pages.py)
        from typer.completion import completion_init

        completion_init()
    if sys.argv[1:2] == ["run"]:
        sys.argv[2:] = run.spelled_out(sys.argv[2:])
    sys.exit(app(standalone_mode=True))
