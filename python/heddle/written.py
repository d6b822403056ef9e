"""Writes a file that a user has named, whole or not at all. No other user can redirect the write.

    check(Path("r.html"), "the page")        # before hours of work: a Problem if it cannot be written
    write(Path("r.html"), text)              # OSError: the reason why not

The text goes to a new file in the same folder, which is then renamed. A symbolic link is followed
if it belongs to the user or to root. A link of another user, in /tmp for example, is refused.
src/report/whole_file.hpp does the same for the library.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from heddle.problem import Problem

_LINKS = 40  # the kernel follows no more
_OPEN = (Path("/proc/self/fd"), Path("/dev/fd"))  # files that are open already


def check(path: str | os.PathLike, name: str) -> None:
    """Problem: a file of this name cannot be written. `name` says in words which file it is."""
    file = Path(path).absolute()
    if why := why_not(file):
        raise Problem(f"{name} cannot be written to {file}: {why}.", code=2)


def why_not(file: Path) -> str:
    """Why a file cannot be written; empty: it can."""
    if not file.parent.is_dir():
        return f"there is no folder {file.parent}"
    if file.is_dir():
        return "that is a folder. Name a file in it"
    try:
        target = followed(file)
    except OSError as error:
        return error.strerror
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}"
    if target.exists() and not target.is_file():  # /dev/stdout, a pipe
        return _takes_nothing(target) if os.access(target, os.W_OK) else "you may not write there"
    if target.parent in _OPEN:
        return ""
    if not os.access(target.parent, os.W_OK):
        return f"you may not write in {target.parent}"
    if _kept_by_another(target):
        return "it belongs to another user, who alone may replace it in this folder"
    return _makes_nothing(target)


def is_stream(file: Path) -> bool:
    """True: the name leads to a device, a pipe or an open file. No new file takes its place."""
    try:
        target = followed(file)
    except OSError:
        return False
    return target.parent in _OPEN or (target.exists() and not target.is_file())


def _takes_nothing(device: Path) -> str:
    """Why a device refuses even an empty text, as /dev/full does. Nothing is written. A pipe may
    have no reader yet, so it is not opened."""
    try:
        if device.is_char_device():
            handle = os.open(device, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                os.write(handle, b"")
            finally:
                os.close(handle)
    except OSError as error:
        return f"{error.strerror}"
    return ""


def _makes_nothing(target: Path) -> str:
    """Why no file can be made in the folder: /proc takes none, even from root."""
    fresh = _beside(target)
    try:
        os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        os.unlink(fresh)
    except OSError as error:
        return f"no file can be made in {target.parent} ({error.strerror})"
    return ""


def _beside(target: Path) -> Path:
    """A new file in the same folder."""
    return target.with_name(f"{target.name}.{secrets.token_hex(6)}")


def _kept_by_another(file: Path) -> bool:
    """True: the file is there, and only its owner, the folder's owner and root may remove it."""
    try:
        owner, folder = os.lstat(file).st_uid, os.stat(file.parent)
    except OSError:
        return False
    return bool(folder.st_mode & stat.S_ISVTX) and os.geteuid() not in (0, owner, folder.st_uid)


def write(path: str | os.PathLike, text: str) -> None:
    target = followed(path)
    data = text.encode("utf-8", "surrogateescape")
    try:
        old = os.lstat(target)
    except FileNotFoundError:
        old = None
    if old and not stat.S_ISREG(old.st_mode):  # /dev/stdout, a pipe
        with open(os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOCTTY), "wb") as file:
            file.write(data)
        return
    with replacing(target, old) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(target: Path, old: os.stat_result | None) -> Iterator[BinaryIO]:
    """A new file for the caller to write, which then takes the place of `target`. After an
    exception, `target` is as before.

    @param old  The status of `target`, whose permissions the new file gets. None: there is no such
    file.
    """
    fresh = _beside(target)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
        try:
            if old:
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode) & 0o777)
            yield file
            file.flush()
            os.replace(fresh, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(fresh)
            raise


def followed(path: str | os.PathLike) -> Path:
    """The file that a name leads to, through links of this user and of root. OSError: a link of
    another user."""
    path = Path(path)
    for _ in range(_LINKS):
        if path.parent in _OPEN:
            return path
        try:
            handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return path
        try:
            found = os.fstat(handle)
            if not stat.S_ISLNK(found.st_mode):
                return path
            if found.st_uid not in (os.geteuid(), 0):
                raise OSError(errno.EPERM, "it is a symbolic link of another user", str(path))
            leads_to = os.readlink("", dir_fd=handle)
        finally:
            os.close(handle)
        path = path.parent / leads_to
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
