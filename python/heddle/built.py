"""How this copy of Heddle was built, and where it lies: heddle --version --verbose."""

from __future__ import annotations

import os

from heddle import native

COLUMN = 12


def lines() -> list[str]:
    built = native.tool("build")
    rows = {
        "commit": built["commit"],
        "compiler": built["compiler"],
        "processor": f"{built['processor']}, kernels here: {built['kernels']}",
        "fabric": "with libfabric" if built["fabric"] else "without libfabric",
        "libraries": str(native.FOLDER / "lib"),
    }
    for family, mpi in built["built_for"].items():
        name = f"libheddle_{family}.so"
        there = os.path.exists(native.FOLDER / "lib" / name)
        rows[family] = f"{name}, built with {mpi}" + ("" if there else " (not here)")
    return [f"{name:<{COLUMN}}{value}" for name, value in rows.items()]
