"""tests/verbs/job in a mount namespace, instead of the guest of `make verbs`, and with a stand-in
for scripts/hosts."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import CHECKOUT

JOB = CHECKOUT / "tests/verbs/job"
MAY = shutil.which("unshare") and subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A checkout below /tmp, where pytest's folders are. A real one may also lie there."""
    (tmp_path / "scripts").mkdir()
    hosts = tmp_path / "scripts/hosts"
    hosts.write_text('#!/bin/sh\necho "row $1 $2 in $(pwd)" && touch "$TMPDIR/written" && echo "temporary $TMPDIR"\n')
    hosts.chmod(0o755)
    (tmp_path / ".mpi/mpich/lib").mkdir(parents=True)
    (tmp_path / ".mpi/mpich/lib/libmpi.so.12").touch()
    return tmp_path


@pytest.mark.skipif(not MAY, reason="this machine gives no mount namespaces")
def test_rows_between_slow_hosts_run_in_a_checkout_below_tmp(checkout):
    assert str(checkout).startswith(os.path.realpath("/tmp")), "pytest's --basetemp is elsewhere: this shows nothing"
    values = {"VERBS_ROOT": checkout, "VERBS_TESTS": "true", "VERBS_FILTER": "", "VERBS_FAMILIES": "mpich", "VERBS_COMMAND": ""}
    words = "".join(f"{name}='{value}'\n" for name, value in values.items())
    # tests/verbs/init mounts /run before the job begins.
    line = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs run /run && exec bash -s"]
    done = subprocess.run(line, input=words + JOB.read_text(), capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    rows = [line for line in lines if line.startswith("@verbs begin slow cable")]
    assert len(rows) == 5 and lines.count(f"row mpich 2 in {checkout}") == 5, done
    assert lines.count("@verbs end 0") == 6 and "temporary /run/heddle." in done.stdout, done
