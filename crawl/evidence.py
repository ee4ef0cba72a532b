"""Keeps what malls answered, as it came: each body once, packed, in a folder, under the hash of its content.

    DIR/3f/3f9a….gz        readable with zcat

A file is written beside its place and moved there, so that it is whole or not there; reading verifies the hash.
"""

from __future__ import annotations

import gzip
import os
import re
import time
import zlib
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from errors import EvidenceFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

LEVEL = 3
"""Of gzip: 3.5 MB take 25 ms and 270 kB; the best level takes five times as long for a tenth less."""
FRESH_S = 600.0
"""A file younger than this is never removed: its row may still be on its way."""
_NAME = re.compile(r"[0-9a-f]{64}")


class Folder:
    """One folder of bodies; safe to use from several threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, body: bytes) -> str:
        """Keep a body; the hash (sha256, hexadecimal) it is found under.

        Raises:
            EvidenceFailure: it cannot be written: no room, no right, a read-only disk.
        """
        name = sha256(body).hexdigest()
        place = self.place(name)
        half = place.with_name(f"{name}.{os.getpid()}-{time.monotonic_ns()}.part")
        try:
            if place.exists() and place.stat().st_size:
                os.utime(place)
                return name
            place.parent.mkdir(parents=True, exist_ok=True)
            with half.open("xb") as file:
                # Not waited for until it is on the disk: a power cut may cost the last seconds, and reading says so.
                file.write(gzip.compress(body, LEVEL, mtime=0))
            half.replace(place)
        except OSError as error:
            with suppress(OSError):
                half.unlink(missing_ok=True)
            raise EvidenceFailure(f"{self.path}: {error.strerror or error}; see [evidence] in config.toml") from error
        return name

    def get(self, name: str) -> bytes:
        """The body of that hash.

        Raises:
            EvidenceFailure: it is not there, or not what was kept.
        """
        try:
            body = gzip.decompress(self.place(name).read_bytes())
        except FileNotFoundError:
            raise EvidenceFailure(
                f"{name[:12]}… is not in {self.path}: past its days, or kept on another machine"
            ) from None
        except (OSError, EOFError, zlib.error) as error:
            raise EvidenceFailure(f"{self.place(name)} cannot be read: {error}") from error
        if sha256(body).hexdigest() != name:
            raise EvidenceFailure(f"{self.place(name)} is not what was kept: its hash differs")
        return body

    def remove(self, names: Iterable[str]) -> int:
        """Delete bodies that nobody names any more; how many. Fresh ones stay."""
        return sum(self._unlink(self.place(name)) for name in names)

    def old(self, seconds: float) -> Iterator[str]:
        """The hashes of bodies not touched for so long; what half-written files are left goes on the way."""
        end = time.time() - seconds
        for file in self.path.glob("??/*"):
            with suppress(FileNotFoundError):
                if file.stat().st_mtime >= end:
                    continue
                if file.suffix == ".part":
                    self._unlink(file)
                elif _NAME.fullmatch(file.stem):
                    yield file.stem

    def place(self, name: str) -> Path:
        """Where the body of that hash lies, or would.

        Raises:
            EvidenceFailure: this is no hash.
        """
        if not _NAME.fullmatch(name):
            raise EvidenceFailure(f"{name!r} is no hash")
        return self.path / name[:2] / f"{name}.gz"

    @staticmethod
    def _unlink(file: Path) -> bool:
        try:
            if file.stat().st_mtime > time.time() - FRESH_S:
                return False
            file.unlink()
        except OSError:
            return False
        return True
