"""sbom.py OUT built VERSION NAME=VERSION ...: lists the software of others in Heddle's libraries
and programs (CycloneDX 1.6).
sbom.py OUT vendored VERSION FOLDER: lists the Python packages beside the command, by their
.dist-info in FOLDER.

third_party/components.json describes each component of the first list. A component without a NAME
is left out: this build does without it. The same input makes the same bytes.
"""

import json
import re
import sys
import uuid
from email.parser import HeaderParser
from pathlib import Path

# Names of licences in older metadata of Python packages, and their SPDX names.
SPDX = {
    "MIT": "MIT",
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
}


def component(name: str, version: str, purl: str, **more: object) -> dict:
    purl = f"{purl}@{version}" if version else purl
    versions = {"version": version} if version else {}
    return {"type": "library", "bom-ref": purl, "name": name, **versions, "purl": purl, **more}


def licences(name: str) -> list:
    """Public domain has no SPDX name, so such a licence is given by its name alone."""
    if re.search(r" (WITH|OR|AND) ", name):
        return [{"expression": name}]
    return [{"license": {"name": name} if " " in name else {"id": name}}]


def built(versions: dict) -> list:
    table = json.loads((Path(__file__).parent / "third_party/components.json").read_text(encoding="utf-8"))
    return [
        component(
            one["name"],
            versions[one["version"]],
            one["purl"],
            licenses=licences(one["licence"]),
            externalReferences=[{"type": "website", "url": one["website"]}],
            properties=[{"name": "heddle:use", "value": one["use"]}, {"name": "heddle:notice", "value": one["notice"]}],
        )
        for one in table
        if one["version"] in versions
    ]


def licence(metadata) -> str:
    """Returns the licence of a Python package: an SPDX name if its metadata have one."""
    if metadata["License-Expression"]:
        return metadata["License-Expression"]
    classifiers = [text for text in metadata.get_all("Classifier", []) if text.startswith("License :: ")]
    said = classifiers[0].rpartition(" :: ")[2] if classifiers else metadata["License"] or ""
    if not said:
        sys.exit(f"sbom: the metadata of {metadata['Name']} name no licence.")
    return SPDX.get(said, said)


def vendored(folder: Path) -> list:
    found = []
    for file in sorted(folder.glob("*.dist-info/METADATA")):
        metadata = HeaderParser().parsestr(file.read_text(encoding="utf-8"))
        name = re.sub(r"[-_.]+", "-", metadata["Name"]).lower()
        more = {"licenses": licences(licence(metadata))}
        found.append(component(metadata["Name"], metadata["Version"], f"pkg:pypi/{name}", **more))
    return found


def document(version: str, title: str, components: list) -> dict:
    whole = {"type": "application", "bom-ref": "heddle", "name": title, "version": version}
    content = {
        "metadata": {"component": {**whole, "licenses": licences("BSD-3-Clause")}},
        "components": components,
        "dependencies": [
            {"ref": "heddle", "dependsOn": [one["bom-ref"] for one in components]},
            *({"ref": one["bom-ref"]} for one in components),
        ],
    }
    # The number stands for the content, so that equal builds have equal documents.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    head = {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6"}
    return {**head, "serialNumber": f"urn:uuid:{number}", "version": 1, **content}


def main(out: str, kind: str, version: str, *words: str) -> None:
    if kind == "built":
        title, components = "heddle", built(dict(word.split("=", 1) for word in words))
    else:
        title, components = "heddle: Python packages of the command", vendored(Path(words[0]))
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    Path(out).write_text(json.dumps(document(version, title, components), indent=2) + "\n", encoding="utf-8")


main(*sys.argv[1:])
