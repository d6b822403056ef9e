# Starts the command of an installation. The packages beside it take precedence over those of this
# Python. If this Python is too old, it looks for a newer one, so old versions must understand the
# file.
import os
import sys

OLDEST = (3, 9)

if sys.version_info < OLDEST:
    import subprocess

    names = ["python3.%d" % minor for minor in range(30, OLDEST[1] - 1, -1)]
    folders = os.environ.get("PATH", "").split(":") + ["/usr/bin"]
    for path in [os.path.join(folder, name) for name in names for folder in folders]:
        if os.access(path, os.X_OK) and subprocess.call([path, "-c", ""], stderr=open(os.devnull, "w")) == 0:
            os.execv(path, [path] + sys.argv)
    sys.exit(
        "heddle: %s is Python %d.%d, which is too old: %d.%d is needed. Load a newer one, or name it in HEDDLE_PYTHON."
        % ((sys.executable,) + sys.version_info[:2] + OLDEST)
    )

named = os.environ.get("HEDDLE_PYTHON", "")
if named:
    folders = [""] if "/" in named else os.environ.get("PATH", "").split(":")
    paths = [os.path.join(folder, named) for folder in folders]
    if not any(os.access(path, os.X_OK) and not os.path.isdir(path) for path in paths):
        sys.stderr.write("heddle: HEDDLE_PYTHON=%s cannot be started; %s is used.\n" % (named, sys.executable))

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "python"), os.path.join(here, "vendor")]
sys.argv[0] = "heddle"

from heddle.cli import main  # noqa: E402

main()
