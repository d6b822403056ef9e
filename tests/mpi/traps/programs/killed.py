"""killed.py WITH -- WITHOUT: two command lines of killed.cpp, with Heddle and without. A rank of
each is killed in the midst of large messages. The job must end soon and badly, leave no process
behind, and map no shared memory by a name of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE_S = 200


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def run(command: list[str]) -> set[str]:
    """Runs a job that loses a rank. Returns the names of its shared memory, without numbers."""
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        said, _ = job.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        sys.exit(f"killed.py: the others were still waiting after {PATIENCE_S} s: {' '.join(command)}")
    processes = [int(pid) for pid in re.findall(r"process (\d+)", said)]
    # Files in the launcher's own folder go with the launcher. A rank may map any of them.
    paths = {path for path in re.findall(r"maps (\S+)", said) if not path.startswith("/tmp/ompi.")}
    if job.returncode == 0 or len(processes) < 3:
        sys.exit(f"killed.py: the job did not lose a rank:\n{said}")
    give_up = time.monotonic() + 60
    while any(map(alive, processes)):
        if time.monotonic() > give_up:
            left = [pid for pid in processes if alive(pid)]
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            sys.exit(f"killed.py: processes {left} outlived their job")
        time.sleep(0.1)
    stayed = [path for path in paths if Path(path).exists()]
    print(f"{len(processes)} ranks, exit status {job.returncode}, {len(paths)} named mappings, of which {len(stayed)} stayed")
    for path in stayed:
        if path.startswith("/dev/shm/"):
            Path(path).unlink(missing_ok=True)
    return {re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", re.sub(r"\.\w{6}$", ".#", path)) for path in paths}


def main() -> None:
    arguments = sys.argv[1:]
    border = arguments.index("--")
    ours = run(arguments[:border])
    hosts = run(arguments[border + 1 :])
    print(f"with Heddle:    {sorted(ours)}\nwithout Heddle: {sorted(hosts)}")
    if ours - hosts:
        sys.exit(f"killed.py: {sorted(ours - hosts)} would stay behind")


main()
