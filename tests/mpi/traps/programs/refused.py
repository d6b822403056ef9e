"""refused.py NOTICES COMMAND ...: the system refuses the job something. The job must be right all
the same, and Heddle may print at most NOTICES lines.

refused.py either COMMAND ...: the job may also end soon and badly, with a line of Heddle that names
a way out."""

import os
import signal
import subprocess
import sys

PATIENCE_S = 330


def main() -> None:
    expected, command = sys.argv[1], sys.argv[2:]
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        said, _ = job.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        said, _ = job.communicate()
        sys.exit(f"refused.py: still waiting after {PATIENCE_S} s:\n{said}")
    print(said, end="")
    notices = [line for line in said.splitlines() if "heddle:" in line]
    if expected == "either":
        if job.returncode != 0 and any("HEDDLE" in line or "heddle run" in line for line in notices):
            return
        expected = "1"
    if job.returncode != 0 or "all results are right" not in said:
        sys.exit(f"refused.py: exit status {job.returncode}")
    if len(notices) > int(expected):
        sys.exit(f"refused.py: {len(notices)} notices, at most {expected} expected")


main()
