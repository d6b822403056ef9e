"""Names in a report are shown, not obeyed. Nonsense in a report gives an error message."""

import copy
import json
import random
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from heddle import foreign
from heddle.problem import Problem
from heddle.reported import both, export, page, table
from heddle.reported.reading import rows_of
from hypothesis import given, settings
from hypothesis import strategies as st

EVIL = "a\x1b[2J\x1b]0;owned\x07b\nheddle: all is well\r\u202eright\u2066\x9bc\u2028<script>\"'&</script>\x00\ud800"

TEMPLATE = "{{ page }}{% raw %}"


def whole(name: str = "plain") -> dict:
    """Returns a report in which every text is `name`, or begins with it."""
    site = {"procedure": name, "module": name, "offset": "0x1189", "symbol": name, "datatype_name": name, "communicator": name}
    counted = {"ranks": 2, "calls": 10, "us": 5.0, "us_min": 1.0, "us_max": 4.0, "carried": 1, "passed": {name: 3}}
    row = {"call": name, "datatype": name, "way": name, "why": name, "ranks": 2, "calls": 10, "bytes": 1 << 20, "blocks": 5}
    row |= {"search_us": 1.0, "pack_us": 300.0, "wait_us": 2000.5, "copy_us": 0.0, "search_us_max": 1.0} | site
    rank = {"elapsed_us": 100.0, "us": 5.0, "calls": 10, "bytes": 100, "to": {"0": 3, "1": 5}, "host": name}
    kept = {"call": name, "kept": name, "size": 4, "members_bytes": 1, "whole_bytes": 2, "list_bytes": 16}
    return {
        "heddle_report": 2,
        "ranks": 2,
        "heddle": "on",
        "elapsed_us": 100.0,
        "run": {"command": [name], "mpi": name, "host": name, "date": name, "version": name, "settings": {name: name}},
        "rows": [row],
        "communicators": [kept | {"pointers_bytes": 32, "count": 1}],
        "procedures": [counted | {"name": name}],
        "sites": [counted | site | {"bytes": 64, "sizes": {"0": 1, "64": 9}}],
        "algorithms": [site | {"algorithm": name, "ranks": 2, "calls": 3, "bytes": 4, "bytes_min": 1, "bytes_max": 3}],
        "by_rank": [{"rank": each} | rank for each in range(2)],
        "mailboxes": [{"name": name, "ranks": 2, "blocks": 3, "bytes": 4}],
    }


EMPTY = {"meta", "br", "rect", "circle", "use", "img"}


class Elements(HTMLParser):
    """Collects the elements of a page and its attributes, and fails if they are not closed in
    order."""

    def __init__(self, page: str):
        super().__init__()
        self.open, self.elements, self.attributes = [], set(), {}
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        assert tag in EMPTY, tag

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())


def test_a_page_has_the_same_elements_whatever_the_names(tmp_path):
    """Names are in texts and attributes. A name that is not escaped there opens an element, or adds
    an attribute."""
    shown = []
    for name in ("plain" * 30, EVIL, "' onload='x", '" onload="x', "<b", "</td>", TEMPLATE):
        file = tmp_path / "r.json"
        file.write_text(json.dumps(whole(name)))
        text = page.draw(rows_of(file), name)
        shown.append(Elements(text))
        assert name != TEMPLATE or name in text
    plain = shown[0]
    assert {"table", "svg", "h2", "title"} <= plain.elements
    for one in shown:
        assert one.elements <= plain.elements and one.attributes.keys() <= plain.attributes.keys()


def everything(file, capsys) -> list[str]:
    """Returns all output for a report: tables, page, JSON, and a comparison with itself."""
    found = rows_of(file)
    table.show(found, 20)
    both.show(found, found, 20)
    return [capsys.readouterr().out, page.draw(found, "r.json"), json.dumps(export.as_json(found), ensure_ascii=False)]


def obeyed(text: str) -> list[str]:
    """Characters that a terminal does not print as themselves."""
    return [one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")]


def test_clean_spells_out_what_is_not_printed():
    assert foreign.clean("a\x1b[2J\n\u202e\U000e0001") == "a\\x1b[2J\\x0a\\u202e\\U000e0001"
    assert foreign.clean("α × β, 日本") == "α × β, 日本"
    assert foreign.clean_lines("a\tb\nc") == "a\\x09b\nc"


def test_names_of_a_report_are_shown_and_not_obeyed(tmp_path, capsys):
    file = tmp_path / "r.json"
    file.write_text(json.dumps(whole(EVIL)))
    for text in everything(file, capsys):
        assert "owned" in text and not obeyed(text)
    screen, html, _ = everything(file, capsys)
    assert not re.search("^heddle: all is well", screen, re.MULTILINE)  # a separate line would look like Heddle's
    assert "<script" not in html and "&lt;script&gt;" in html


def test_the_command_and_its_complaints_are_clean(heddle, tmp_path):
    file = tmp_path / "\x1b]0;owned\x07.json"
    for content in (json.dumps(whole(EVIL)), "nonsense"):
        file.write_text(content)
        done = heddle("report", file)
        assert not obeyed(done.stdout + done.stderr)


EXTREMES = [f"{part}_us_{end}" for part in ("pack", "wait", "copy") for end in ("min", "max")]
EXTREMES += ["search_us_min", "search_us_rank_max"]


@pytest.mark.parametrize("gone", EXTREMES)
def test_a_report_without_a_member_is_told(tmp_path, gone):
    report = whole()
    report["rows"][0] |= dict.fromkeys(EXTREMES, 1.0)
    (tmp_path / "r.json").write_text(json.dumps(report))
    assert rows_of(tmp_path / "r.json").rows[0].most["wait"] == 1.0
    del report["rows"][0][gone]
    (tmp_path / "r.json").write_text(json.dumps(report))
    with pytest.raises(Problem, match=f"'{gone}' is missing in it"):
        rows_of(tmp_path / "r.json")


def test_each_cut_of_a_file_is_told(tmp_path):
    """The text has an escape, numbers, words of JSON, and a letter of two bytes."""
    content = json.dumps(whole() | {"some": [True, False, None, -1.5e-3, "\n× é"]}, ensure_ascii=False).encode()
    content = content.replace("é".encode(), b"\\u00e9")
    for length in range(1, len(content)):
        (tmp_path / "r.json").write_bytes(content[:length])
        with pytest.raises(ValueError, match="it is cut off"):
            foreign.json_of(tmp_path / "r.json")
    for text in ("nonsense", "nul", '{"a": [1}', '{"a": nonsense', '"a" b'):
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(ValueError, match="it is no JSON"):
            foreign.json_of(tmp_path / "r.json")


def numbers(value: object, path: tuple = ()) -> list[tuple]:
    """The ways to all numbers of a report."""
    if isinstance(value, (dict, list)):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        return [one for key, each in inner for one in numbers(each, (*path, key))]
    return [path] if isinstance(value, (int, float)) else []


def test_negative_times_counts_and_bytes_are_refused(tmp_path):
    report = whole()
    report["rows"][0] |= dict.fromkeys(EXTREMES, 1.0)
    waits = {"waited_us": {"collective": 2.0}, "waited_for": {"1": 2.0}}
    report["by_rank"][0] |= waits | {"threads": 1, "unlogged": 1}
    report["sites"][0] |= waits
    report["algorithms"][0] |= {"bytes_median": 2}
    ways = [way for way in numbers(report) if way != ("heddle_report",)]
    assert ("sites", 0, "us") in ways and ("by_rank", 1, "elapsed_us") in ways and len(ways) > 60
    for *way, last in ways:
        changed = copy.deepcopy(report)
        inner = changed
        for key in way:
            inner = inner[key]
        inner[last] = -5
        (tmp_path / "r.json").write_text(json.dumps(changed))
        with pytest.raises(Problem, match=r"-5 is no (time|count)"):
            rows_of(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        (json.dumps(whole())[:-40], "its end is missing"),
        ('{"heddle_report": 2,, }', "line 1, column 2"),
        (json.dumps(whole()).replace('"ranks": 2', '"ranks": NaN', 1), "it has NaN for a number"),
        (json.dumps(whole()).replace('"calls": 10', f'"calls": {10**30}', 1), "is no count"),
        (json.dumps(whole()).replace('"calls": 10', '"calls": -1', 1), "is no count"),
        (json.dumps(whole()).replace("300.0", "1e999", 1), "is no time"),
        (json.dumps(whole()).replace('"64": 9', '"65": 9', 1), "is no size"),
        (json.dumps(whole() | {"run": []}), "another kind"),
        (json.dumps(whole() | {"sites": {"a": 1}}), "another kind"),
        (b"\xff\xfe", "no text in UTF-8"),
    ],
)
def test_what_is_no_report_gets_a_reason(heddle, tmp_path, text, why):
    file = tmp_path / "r.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = heddle("report", file)
    assert done.returncode == 1 and "is no report: " in done.stderr and why in done.stderr and len(done.stderr) < 400


def test_a_huge_file_is_not_read_to_its_end(tmp_path):
    file = tmp_path / "huge.json"
    with open(file, "wb") as stream:
        stream.truncate(foreign.MOST + 2)
    with pytest.raises(ValueError, match="more than 512 MiB"):
        foreign.json_of(file)


def places(value: object, path: tuple = ()) -> list[tuple]:
    found = [path] if path else []
    if isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(one, (*path, key))
    return found


WRONG = [None, True, -1, 0, 1 << 62, 10**25, 1e300, "", "x", EVIL, [], {}, [[]], {"a": []}, {"64": "x"}, ["-1"]]


@settings(deadline=None, max_examples=150)
@given(seed=st.integers(0, 1 << 32))
def test_a_wrong_value_anywhere_is_shown_or_gets_a_sentence(seed, tmp_path_factory):
    choose = random.Random(seed)
    report = copy.deepcopy(whole())
    *way, last = choose.choice(places(report))
    inner = report
    for key in way:
        inner = inner[key]
    inner[last] = choose.choice(WRONG)
    file = tmp_path_factory.getbasetemp() / "wrong.json"
    file.write_text(json.dumps(report))
    try:
        found = rows_of(file)
    except Problem:
        return
    page.draw(found, "r.json")
    json.dumps(export.as_json(found))
    table.show(found, 20)
    both.show(found, found, 20)
