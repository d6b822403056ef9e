"""The profile of `heddle tune` while it is measured. Each try of heddle-tool writes a whole
profile, and a program that starts meanwhile must not read the first one.

with Draft(output=None) as draft:
    ...                                  # heddle-tool tune --output draft.file, several times
    draft.keep()                         # now the profile is at draft.target
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from heddle import native, written
from heddle.problem import Problem


class Draft:
    def __init__(self, output: Path | None):
        """Problem: the profile cannot be written. The reason is known before minutes of work."""
        self.target, named = _target(output)
        self._makes_folder = not named
        near = self.target
        while self._makes_folder and not near.parent.exists() and near != near.parent:
            near = near.parent
        if why := written.why_not(near):
            raise Problem(f"cannot write {self.target} ({why}). Name another place with --output.", code=2)

    def __enter__(self) -> Draft:
        self._folder = tempfile.mkdtemp(prefix="heddle-tune-")
        self.file = Path(self._folder) / "profile.json"
        if self.target.is_file():  # costs between nodes stay
            shutil.copyfile(self.target, self.file)
        return self

    def __exit__(self, *_) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def keep(self) -> None:
        try:
            if self._makes_folder:
                self.target.parent.mkdir(parents=True, exist_ok=True)
            written.write(self.target, self.file.read_text("utf-8", "surrogateescape"))
        except OSError as error:
            raise Problem(f"cannot write {self.target} ({error.strerror}). Name another place with --output.", code=2) from None


def _target(output: Path | None) -> tuple[Path, bool]:
    """The file that programs with these settings will read. True: the user has named it, and a
    folder that is missing is a slip."""
    if output:
        return output.absolute(), True
    (setting,) = (one["value"] for one in native.tool("settings", "--json") if one["name"] == "HEDDLE_PROFILE")
    if setting not in (None, "auto", "builtin"):
        return Path(setting).absolute(), True
    config, home = (os.environ.get(name, "") for name in ("XDG_CONFIG_HOME", "HOME"))
    if config.startswith("/"):
        return Path(config) / "heddle/profile.json", False
    if home.startswith("/"):
        return Path(home) / ".config/heddle/profile.json", False
    raise Problem("there is no home folder for the profile. Name a file with --output.", code=2)
