"""python -m heddle.demo: the main job. See --help."""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from heddle import disturbance, installations, verdict
from heddle.console import console
from heddle.demo import halo, measure, photograph, reasons, report
from heddle.demo.programs import VARIANTS, oversubscribed
from heddle.installations import Installation
from heddle.problem import Problem

BUNDLED = ("mpich", "openmpi")  # those that the demo's programs are built for


def _mpis(wanted: list[str] | None) -> list[Installation]:
    if wanted:
        return [installations.named(name) for name in wanted]
    found = [mpi for mpi in installations.find() if mpi.name in BUNDLED]
    if not found:
        raise Problem("there is neither MPICH nor Open MPI here. Run `make build`, which brings both.")
    return found


def demo(
    quick: Annotated[bool, typer.Option("--quick", help="256 × 256 and one round: does it work at all?")] = False,
    size: Annotated[
        int | None,
        typer.Option(min=64, max=16384, help="The photograph is tiled over SIZE × SIZE.", show_default="4096"),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("-r", "--rounds", min=1, help="Runs of each way.", show_default=str(verdict.ROUNDS))
    ] = None,
    ranks: Annotated[int, typer.Option("-n", "--ranks", min=1, max=64)] = 4,
    mpi: Annotated[
        list[str] | None, typer.Option(help="Only this MPI (may be given again).", show_default="mpich, openmpi")
    ] = None,
    photo: Annotated[str, typer.Option(help="A picture of scikit-image, or the path of another.")] = "retina.jpg",
    host_only: Annotated[bool, typer.Option("--host-only", help="Without Heddle: what the programs do by themselves.")] = False,
    output: Annotated[Path, typer.Option(help="Folder for the pictures.")] = Path("demo-output"),
    json: Annotated[Path | None, typer.Option("--json", help="Also write the times to this file.")] = None,
) -> None:
    """Filter a photograph with a 2-D FFT over 4 ranks, and exchange the halos of a Jacobi solver,
    by the host MPI alone and under Heddle, and compare.

    Two programs filter: fft2d (C++, its transposes written as MPI datatypes) and an mpi4py-fft
    script. All are ordinary MPI programs; only `heddle run` differs. Every picture is checked
    against a serial FFT. Halos must be equal, bit by bit. First, each program runs once to find out
    how long the demo takes. For programs without a gain, one more run gives the reason.
    """
    start = time.monotonic()
    size = size or (256 if quick else 4096)
    rounds = rounds or (1 if quick else verdict.ROUNDS)
    picture = photograph.load(photo, size)
    output.mkdir(parents=True, exist_ok=True)
    photograph.save(picture, output / "before.png")
    variants = VARIANTS[:1] if host_only else VARIANTS
    with TemporaryDirectory(prefix="heddle-demo-") as scratch:
        setup = measure.Setup(size, ranks, rounds, _mpis(mpi), variants, Path(scratch))
        exchanges = None if host_only else halo.planned(setup, quick)
        measure.save(setup, picture)
        _announce(setup, exchanges)
        with disturbance.watched() as others:
            runs = _watched(setup)
            halos = halo.measure(exchanges) if exchanges else []
        report.check(runs)
        for run in {run.program.name: run for run in runs if run.variant == variants[-1]}.values():
            tile = photograph.corner(run.output, *picture.shape)
            photograph.save(tile, output / f"after-{run.program.name}.png")
        console().print(report.table(runs, setup))
        console().print(report.verdict(runs))
        if not host_only:
            for reason in reasons.reasons(runs, setup, output):
                console().print(reason)
    if oversubscribed(ranks):
        console().print(f"{ranks} ranks share fewer cores: on both sides, ranks that wait yield.", style="dim")
    if halos:
        halo.show(halos)
    if others.words:
        console().print(others.words)
    pictures = ", ".join(sorted(path.name for path in output.glob("*.png")))
    console().print(f"Pictures in {output}: {pictures}. Took {time.monotonic() - start:.0f} s.")
    if json:
        report.write(runs, setup, halos, json)


def _announce(setup: measure.Setup, exchanges: halo.Halo | None) -> None:
    """Says how long the demo will take."""
    with console().status("Each program runs once, to find out how long the demo takes."):
        seconds = measure.tried(setup) + (halo.tried(exchanges) if exchanges else 0)
    jobs = len(measure.planned(setup)) + (exchanges.jobs if exchanges else 0)
    duration = f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} s"
    console().print(f"{jobs} jobs in {setup.rounds} round{'s' * (setup.rounds > 1)}: about {duration}.")


def _watched(setup: measure.Setup) -> list[measure.Run]:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(), transient=True) as progress:
        task = progress.add_task("", total=len(measure.planned(setup)))
        runs = []
        for run in measure.runs(setup, lambda text: progress.update(task, description=text)):
            runs.append(run)
            progress.advance(task)
        return runs


def main() -> None:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(demo)
    try:
        app(prog_name="python -m heddle.demo")
    except Problem as problem:
        print(f"heddle: {problem}", file=sys.stderr)
        sys.exit(problem.code)


if __name__ == "__main__":
    main()
