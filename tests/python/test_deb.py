"""make deb says how far it is, and shows the end of the log after an error. Debian's programs are
played by scripts."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import CHECKOUT

SAID = r"""
 debian/rules override_dh_auto_configure
 debian/rules override_dh_auto_build
[1/40] Building CXX object a.o
[4/40] Building CXX object b.o
[5/40] Building CXX object c.o
[40/40] Linking d
 debian/rules override_dh_auto_install
   dh_installman
   dh_strip_nondeterminism
   debian/rules override_dh_compress
	dh_compress -Xdoc/heddle/docs
   dh_dwz -a
   dh_strip -a
   dh_makeshlibs -a
   dh_shlibdeps -a
   dh_builddeb
"""


@pytest.fixture
def deb(tmp_path):
    """Runs scripts/deb with a dpkg-buildpackage that prints SAID and ends with a status."""
    if not (CHECKOUT / ".vendor").is_dir() or not (CHECKOUT / ".mpi").is_dir():
        pytest.skip("make bootstrap has not run")

    def run(status: int) -> subprocess.CompletedProcess:
        programs = tmp_path / "bin"
        programs.mkdir()
        build = (
            f"cat <<'SAID'\n{SAID}SAID\ntouch ../heddle_0_amd64.deb ../heddle-dev_0_amd64.deb\necho the fault\nexit {status}"
        )
        for name, body in {"dpkg-buildpackage": build, "dh": "", "dh_python3": ""}.items():
            (programs / name).write_text(f"#!/bin/sh\n{body}\n")
            (programs / name).chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        words = [CHECKOUT / "scripts/deb", tmp_path / "made"]
        return subprocess.run(words, capture_output=True, text=True, timeout=120, env=os.environ | {"PATH": path})

    return run


def test_says_how_far_it_is(deb, tmp_path: Path):
    done = deb(0)
    assert done.returncode == 0, done.stderr
    lines = [line.removeprefix("deb: ") for line in done.stderr.splitlines() if "committed" not in line]
    compiles = "compiles everything, with Debian's flags: some minutes"
    compiled = ["10 % are compiled", "100 % are compiled"]
    after = ["installs into the packages", "compresses man pages", "compacts debugging information"]
    after += ["moves debugging information into packages of its own", "looks for the packages whose libraries it needs"]
    assert lines == ["configures", compiles, *compiled, *after, "packs; with a busy machine some minutes"]
    assert {file.name for file in (tmp_path / "made").iterdir()} == {"heddle_0_amd64.deb", "heddle-dev_0_amd64.deb"}


def test_shows_the_end_of_the_log_after_an_error(deb, tmp_path: Path):
    done = deb(2)
    assert done.returncode == 1 and "the fault\ndeb: the whole of it is in build/deb.log" in done.stderr
    assert not [*(tmp_path / "made").iterdir()]
