"""Libraries and programs bind and seal their addresses. The Debian package has Debian's flags."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import CHECKOUT
from elftools.elf.elffile import ELFFile
from heddle import native

BIND_NOW, NOW = 0x8, 0x1


def unsealed(file: Path) -> list[str]:
    """Returns the seals that an ELF file lacks: BIND_NOW, RELRO."""
    with open(file, "rb") as stream:
        elf = ELFFile(stream)
        tags = {tag.entry.d_tag: tag.entry.d_val for tag in elf.get_section_by_name(".dynamic").iter_tags()}
        segments = {segment.header.p_type for segment in elf.iter_segments()}
    now = tags.get("DT_FLAGS", 0) & BIND_NOW or tags.get("DT_FLAGS_1", 0) & NOW or "DT_BIND_NOW" in tags
    return ([] if now else ["BIND_NOW"]) + ([] if "PT_GNU_RELRO" in segments else ["RELRO"])


def built(folder: Path) -> list[Path]:
    """Returns the libraries and programs of a folder, without scripts."""
    files = sorted([*folder.glob("lib/*.so"), *folder.glob("bin/*")])
    return [file for file in files if file.is_file() and file.open("rb").read(4) == b"\x7fELF"]


def test_everything_built_is_sealed():
    files = built(native.FOLDER)
    assert {"heddle-tool", "libheddle_mpich.so", "libheddle_openmpi.so"} <= {file.name for file in files}
    assert {file.name: lacks for file in files if (lacks := unsealed(file))} == {}


@pytest.fixture(scope="module")
def configured(tmp_path_factory) -> Path:
    """A tree that packaging/debian/rules has configured, as in dpkg-buildpackage, but not built."""
    if not Path("/usr/share/dpkg/buildflags.mk").exists():
        pytest.skip("there is no dpkg-dev")
    tree = tmp_path_factory.mktemp("deb") / "heddle"
    tree.mkdir()
    for name in ("CMakeLists.txt", "src", "sim", "bench", "include", "packaging", "python", "scripts", "apps", "docs"):
        (tree / name).symlink_to(CHECKOUT / name)
    shutil.copytree(CHECKOUT / "packaging/debian", tree / "debian")
    (tree / ".mpi").symlink_to((CHECKOUT / ".mpi").resolve())
    environment = {name: value for name, value in os.environ.items() if not re.fullmatch(r"C(XX|PP)?FLAGS|LDFLAGS", name)}
    words = ["make", "-f", "debian/rules", "override_dh_auto_configure"]
    subprocess.run(words, cwd=tree, env=environment, check=True, capture_output=True)
    return tree


def test_the_package_is_built_with_debians_flags(configured):
    commands = (configured / "build/release/compile_commands.json").read_text()
    for room in ("src/report/", "src/mpi/", "src/tool/"):
        lines = [line for line in commands.splitlines() if '"command"' in line and room in line]
        assert lines, f"nothing of {room} is compiled"
        for flag in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "format-security"):
            assert all(flag in line for line in lines), f"{flag} is missing in {room}"
    ninja = (configured / "build/release/build.ninja").read_text()
    links = [line for line in ninja.splitlines() if re.match(r"\s*LINK_FLAGS = ", line)]
    assert links and all("-z,relro" in line and "-z,now" in line for line in links)


def test_a_package_that_is_there_is_sealed(tmp_path):
    packages = sorted(CHECKOUT.glob("dist/heddle_*.deb"))
    if not packages or not shutil.which("dpkg-deb"):
        pytest.skip("make deb has made no package")
    subprocess.run(["dpkg-deb", "-x", packages[-1], tmp_path], check=True)
    files = built(tmp_path / "usr/lib/heddle")
    assert files and {file.name: lacks for file in files if (lacks := unsealed(file))} == {}
