"""Compares Heddle's choice of a sparse exchange with all candidates, by estimates
(docs/simulate.md).

>>> behind("fat-tree", 8192, [8], [24], [26])            # {(ranks, bytes, stride, partners): the choice over the best}
"""

from __future__ import annotations

from . import estimating, machines, tasks

FROM = ("direct", "crystal:radix=2", "crystal:radix=4", "crystal:radix=8", "bruck", "auto")


def behind(platform: str, ranks: int, sizes: list[int], strides: list[int], partners: list[int]) -> dict[tuple, float]:
    """For each case, the time of the choice over the best time."""
    todo = tasks.tasks(tasks.SPARSE, ranks, sizes, partners, strides, list(FROM))
    cases: dict[tuple, dict[str, float]] = {}
    for row in estimating.estimates(estimating.machine_of(platform, ranks, None), todo):
        if "part" not in row:
            case = tuple(row[name] for name in ("ranks", "bytes", "stride", "partners"))
            cases.setdefault(case, {})[row["algorithm"]] = row["us"]
    return {case: of["auto"] / min(of.values()) for case, of in cases.items()}


def sweep(platform: str) -> dict[tuple, float]:
    """The 50 cases of the papers' kind."""
    found = {}
    for ranks in (256, 1000, 1024, 4096, 8192):
        found |= behind(platform, ranks, [8, 64, 128, 512, 2048], [1, 24], [26])
    return found


def others(platform: str) -> dict[tuple, float]:
    """192 more cases."""
    found = {}
    for ranks in (500, 3000):
        found |= behind(platform, ranks, [8, 64, 256, 1024], [1, 2, 8, 24], [6, 13, 52, 100])
    for ranks in (256, 1000, 1024, 4096):
        found |= behind(platform, ranks, [8, 16, 32, 64, 128, 256, 512, 1024], [2, 8], [26])
    return found


def main() -> None:
    for machine in machines.ALL:
        for name, cases in (("sweep", sweep(machine.name)), ("others", others(machine.name))):
            far = sum(value > 1.1 for value in cases.values())
            worst = max(cases, key=cases.get)
            print(
                f"{machine.name:10} {name:7} {len(cases):3} cases: mean {sum(cases.values()) / len(cases):.2f}, "
                f"more than 10 % behind {far}, worst {cases[worst]:.2f} (ranks, bytes, stride, partners: {worst})",
                flush=True,
            )


if __name__ == "__main__":
    main()
