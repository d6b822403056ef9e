"""A report as JSON for other programs: as docs/report.md says, with places resolved and advice
worked out.

json.dumps(as_json(found))
"""

from __future__ import annotations

from dataclasses import asdict

from . import LEAST, MOST, VERSION, Found, Procedure
from .advice import advice
from .estimate import estimate
from .table import shown_places


def as_json(found: Found) -> dict:
    where = shown_places(found)
    estimates = estimate(found)

    def rows(these) -> list[dict]:
        listed = []
        for one in these:
            raw = asdict(one)
            if isinstance(one, Procedure):
                raw["us_mean"] = one.of_a_rank(found.ranks).mean
            if "place" in raw:
                raw |= raw.pop("place") | {"from": where.get(one.place, "")}
            if "times" in raw:
                raw |= {f"{part}_us": us for part, us in raw.pop("times").items()} | {"us": one.time}
                raw["search_us_max"] = raw.pop("longest_search")
                for names, of_a_rank in ((LEAST, raw.pop("least")), (MOST, raw.pop("most"))):
                    raw |= {names[part]: us for part, us in of_a_rank.items()}
                raw["host_us_least"], raw["host_us_most"] = estimates.of(one) or (None, None)
            listed.append(raw)
        return listed

    sites = rows(found.sites)
    for raw in sites:
        raw["procedure"] = raw.pop("name")
    return {
        "heddle_report": VERSION,
        "run": found.run,
        "ranks": found.ranks,
        "heddle": found.heddle,
        "elapsed_us": found.elapsed_us,
        "by_rank": rows(found.by_rank),
        "rows": rows(found.rows),
        "procedures": rows(found.procedures),
        "sites": sites,
        "algorithms": rows(found.algorithms),
        "mailboxes": rows(found.mailed),
        "communicators": rows(found.communicators),
        "estimate": estimates.as_json(),
        "advice": [
            {"gain_us": one.gain_us, "at_most": one.at_most, "what": one.what, "change": one.change} for one in advice(found)
        ],
    }
