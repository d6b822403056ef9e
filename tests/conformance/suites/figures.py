"""The table of docs/conformance.md, from docs/conformance.json: a row for each directory of a
suite, both MPIs side by side."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

MPIS = {"mpich": "MPICH", "openmpi": "Open MPI"}
BEGIN, END = "<!-- figures: scripts/suites writes this -->", "<!-- end of figures -->"


def summed(suite: str, mpi: str, revision: str, results: list[dict], left_out: list[dict]) -> list[dict]:
    """Rows for the table, one for each directory, from the results of all cases."""
    rows = []
    for part in sorted({result["part"] for result in results} | {entry["part"] for entry in left_out}):
        mine = [result for result in results if result["part"] == part]
        reasons = Counter(result["reason"] for result in mine if result["verdict"] == "left out")
        for entry in left_out:
            if entry["part"] == part:
                reasons[entry["reason"]] += entry["programs"]
        rows.append(
            {
                "suite": suite,
                "part": part,
                "mpi": mpi,
                "revision": revision,
                "programs": len({result["program"] for result in mine}),
                "tried": len(mine),
                "alone": sum(result["verdict"] in ("same", "differs") for result in mine),
                "heddle": sum(result["verdict"] == "same" for result in mine),
                "left_out": dict(sorted(reasons.items())),
            }
        )
    return rows


def merged(old: list[dict], new: list[dict]) -> list[dict]:
    """New rows replace old rows of the same suite, directory and MPI."""
    keys = {(row["suite"], row["part"], row["mpi"]) for row in new}
    kept = [row for row in old if (row["suite"], row["part"], row["mpi"]) not in keys]
    return sorted(kept + new, key=lambda row: (row["suite"], row["part"], row["mpi"]))


def markdown(rows: list[dict]) -> str:
    """The table, and below it a list of the parts that were left out."""
    lines = [
        "| suite | directory | programs | "
        + " | ".join(f"{name}: runs, right alone, right under Heddle" for name in MPIS.values())
        + " |"
    ]
    lines += ["|---|---|---:|" + "---|" * len(MPIS)]
    keys = sorted({(row["suite"], row["part"]) for row in rows if row["tried"]})
    by_key = {(row["suite"], row["part"], row["mpi"]): row for row in rows}
    for suite, part in keys:
        mine = [by_key.get((suite, part, mpi)) for mpi in MPIS]
        programs = max(row["programs"] for row in mine if row)
        cells = [f"{row['tried']}, {row['alone']}, {row['heddle']}" if row else "not run" for row in mine]
        lines.append(f"| {suite} | {part} | {programs} | {' | '.join(cells)} |")
    totals = []
    for mpi in MPIS:
        mine = [row for row in rows if row["mpi"] == mpi]
        totals.append(
            f"{sum(row['tried'] for row in mine)}, {sum(row['alone'] for row in mine)}, {sum(row['heddle'] for row in mine)}"
        )
    lines.append(f"| **all** | | | {' | '.join(totals)} |")
    lines += ["", "Left out:", "", "| suite | directory | MPI | how many | why |", "|---|---|---|---:|---|"]
    entries: dict[tuple[str, str, str, int], list[str]] = {}
    for row in rows:
        for reason, count in row["left_out"].items():
            entries.setdefault((row["suite"], row["part"], reason, count), []).append(MPIS[row["mpi"]])
    for (suite, part, reason, count), mpis in sorted(entries.items()):
        lines.append(
            f"| {suite} | {part} | {', '.join(mpis) if len(mpis) < len(MPIS) else 'both'} | {count or ''} | {reason} |"
        )
    return "\n".join(lines) + "\n"


def write(document: Path, rows: list[dict]) -> None:
    """Puts rows into the JSON file beside a page, and the table into the page."""
    kept = document.with_suffix(".json")
    old = json.loads(kept.read_text()) if kept.exists() else []
    everything = merged(old, rows)
    kept.write_text("[\n" + ",\n".join(f" {json.dumps(row)}" for row in everything) + "\n]\n")
    text = document.read_text()
    if BEGIN not in text or END not in text:
        raise SystemExit(f"suites: {document} has no line {BEGIN!r} with {END!r} behind it: the table goes between them.")
    before, _, rest = text.partition(BEGIN)
    document.write_text(f"{before}{BEGIN}\n{markdown(everything)}{END}{rest.partition(END)[2]}")
