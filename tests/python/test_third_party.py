"""Software of others in Heddle's libraries and programs: each has its licence text, and a place in
the list (CycloneDX)."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECKOUT

FOLDER = CHECKOUT / "packaging/third_party"
TABLE = json.loads((FOLDER / "components.json").read_text())
# The rooms from which packaging/CMakeLists.txt installs, and those that heddle-tool is linked with.
SHIPPED = ("src", "sim", "bench/links", "packaging")
# They leave nothing in the libraries: an interpreter of the build, and programs of the checkout
# alone.
NOT_SHIPPED = {"Python3", "HEDDLE_SIMGRID", "HEDDLE_SMPI_INCLUDE"}
OF_THE_SYSTEM = {"sys", "linux", "asm", "bits"}
OF_OURS_OR_OF_MPI = {"heddle", "smpi", "simgrid"}


def shipped(pattern: str) -> list[Path]:
    return [file for folder in SHIPPED for file in (CHECKOUT / folder).rglob(pattern)]


def test_each_package_that_cmake_looks_for_has_its_notice():
    files = [CHECKOUT / "CMakeLists.txt", *shipped("CMakeLists.txt"), *shipped("*.cmake")]
    text = "\n".join(file.read_text() for file in files)
    asked = {*re.findall(r"^ *(?:find_package|find_path|find_library|pkg_check_modules)\((\w+)", text, re.MULTILINE)}
    asked |= {word.partition(":")[0] for word in re.search(r"foreach\(need (.*)\)", text)[1].split()}
    asked -= {"GTest", "rapidcheck"} | NOT_SHIPPED
    assert asked == {one["package"] for one in TABLE if one["package"]}


def test_each_header_of_others_has_its_notice():
    sources = [file for suffix in ("cpp", "hpp", "h", "c") for file in shipped(f"*.{suffix}")]
    assert len(sources) > 300
    included = {name for file in sources for name in re.findall(r"^ *# *include <(\w+)/", file.read_text(), re.MULTILINE)}
    assert included - OF_THE_SYSTEM - OF_OURS_OR_OF_MPI == {one["headers"] for one in TABLE if one["headers"]}


def test_each_notice_is_a_licence_text():
    assert {file.name for file in FOLDER.glob("*.txt")} == {one["notice"] for one in TABLE}
    for one in TABLE:
        text = (FOLDER / one["notice"]).read_text()
        assert re.search(r"Copyright \([cC]\)", text) and re.search("permi(tted|ssion)", text), one["name"]


def listed(tmp_path: Path, *words: object) -> dict:
    out = tmp_path / "list.json"
    subprocess.run([sys.executable, CHECKOUT / "packaging/sbom.py", out, *map(str, words)], check=True)
    return json.loads(out.read_text())


def test_the_list_names_every_component_with_version_and_licence(tmp_path):
    versions = [f"{one['version']}=1.{number}" for number, one in enumerate(TABLE)]
    made = listed(tmp_path, "built", "0.1.0", *versions)
    assert made["bomFormat"] == "CycloneDX" and made["metadata"]["component"]["version"] == "0.1.0"
    assert [one["name"] for one in made["components"]] == [one["name"] for one in TABLE]
    for number, one in enumerate(made["components"]):
        assert one["version"] == f"1.{number}" and one["purl"].endswith(f"@1.{number}")
        (licence,) = one["licenses"]
        assert licence.get("expression") or licence["license"]["id"]
    refs = [one["bom-ref"] for one in made["components"]]
    assert made["dependencies"][0] == {"ref": "heddle", "dependsOn": refs}
    assert listed(tmp_path, "built", "0.1.0", *versions) == made
    assert listed(tmp_path, "built", "0.1.1", *versions)["serialNumber"] != made["serialNumber"]


def test_a_build_without_a_component_does_not_list_it(tmp_path):
    (one,) = listed(tmp_path, "built", "0.1.0", "fmt=9.1.0")["components"]
    assert one["name"] == "fmt" and one["version"] == "9.1.0"


def test_the_packages_of_the_command_are_listed_and_have_licence_texts(tmp_path):
    vendor = CHECKOUT / ".vendor"
    if not vendor.is_dir():
        pytest.skip("there is no .vendor (make bootstrap)")
    made = {one["name"].lower(): one for one in listed(tmp_path, "vendored", "0.1.0", vendor)["components"]}
    pinned = re.findall(r"^([\w.-]+)==(\S+)$", (CHECKOUT / "python/vendor.txt").read_text(), re.MULTILINE)
    assert {name: one["version"] for name, one in made.items()} == {name.lower(): version for name, version in pinned}
    for folder in vendor.glob("*.dist-info"):
        assert [file for file in folder.rglob("*") if file.name.startswith(("LICENSE", "COPYING"))], folder.name
