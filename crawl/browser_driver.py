"""Our own chromedriver: a copy of the system's, patched once per machine by undetected-chromedriver.

undetected-chromedriver patches whatever file it is given, in place; given one shared file, several processes that start
at once meet "Text file busy". So one process patches a private copy under a lock, and all others use it as it is.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from errors import BrowserMissing

INSTALL = "install it (apt-get install chromium chromium-driver xvfb) or set [browser]"


def found(configured: str, names: tuple[str, ...], key: str) -> Path:
    """The program an operator configured, or the first of `names` on PATH.

    Raises:
        BrowserMissing: there is none; the text says how to mend it.
    """
    if configured:
        if os.access(configured, os.X_OK):
            return Path(configured)
        raise BrowserMissing(f"[browser] {key} = {configured!r} is no program that can be run")
    for name in names:
        if path := shutil.which(name):
            return Path(path)
    raise BrowserMissing(f"no {names[0]}: {INSTALL} {key}")


def patched(system: Path, cache: Path | None = None) -> Path:
    """The patched copy of this chromedriver, made if it is missing.

    Args:
        system: the driver as installed; it is only read.
        cache: folder of the copies; by default one of this user's in the temp directory.

    Raises:
        BrowserMissing: the copy cannot be made.
    """
    stat = system.resolve().stat()
    mark = hashlib.sha256(f"{system.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()[:16]
    cache = cache or Path(tempfile.gettempdir()) / f"lps_driver_{os.getuid()}"
    copy = cache / mark / "chromedriver"
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if cache.stat().st_uid != os.getuid():
            raise BrowserMissing(f"{cache} belongs to another user: remove it")
        with (copy.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not copy.exists():
                _patch(system, copy)
    except OSError as error:
        raise BrowserMissing(f"chromedriver cannot be copied to {cache}: {error.strerror}") from error
    return copy


def _patch(system: Path, copy: Path) -> None:
    from undetected_chromedriver.patcher import Patcher  # noqa: PLC0415 - whoever drives no browser must not load it

    half = copy.with_suffix(".new")
    half.unlink(missing_ok=True)
    shutil.copyfile(system, half)
    half.chmod(0o700)
    Patcher(executable_path=str(half)).auto()
    half.chmod(0o555)
    half.rename(copy)


def place(driver: Path, folder: Path) -> Path:
    """The driver under a name of its own in `folder`, so that whoever guards the folder knows its process."""
    here = folder / "chromedriver"
    try:
        here.hardlink_to(driver)
    except OSError:
        # Another file system.
        shutil.copy2(driver, here)
    return here
