"""The folder of bodies: each once, whole or not there, and read back as it was kept."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256, shake_256
from typing import TYPE_CHECKING

import pytest

from crawl.evidence import FRESH_S, Folder
from errors import EvidenceFailure

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "<html>햇반 백미밥 210g 24개 21,900원</html>".encode() * 2000
NAME = sha256(PAGE).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty one that does not exist yet."""
    return Folder(tmp_path / "evidence")


def files(folder: Folder) -> list[Path]:
    """Everything that lies in it."""
    return [file for file in folder.path.rglob("*") if file.is_file()]


def age(folder: Folder) -> None:
    """Make everything in it old."""
    for file in files(folder):
        os.utime(file, (time.time() - 2 * FRESH_S,) * 2)


def test_a_body_is_kept_once_under_its_hash(folder: Folder) -> None:
    """Packed, readable with zcat, and the same whoever brings it."""
    with ThreadPoolExecutor(8) as pool:
        assert {NAME} == set(pool.map(folder.put, [PAGE] * 40))
    (file,) = files(folder)
    assert (f"{NAME}.gz", PAGE) == (file.name, gzip.decompress(file.read_bytes()))
    assert file.stat().st_size < len(PAGE) / 10
    assert PAGE == folder.get(NAME)


@pytest.mark.parametrize("damage", [b"", b"no gzip", gzip.compress(b"another page")])
def test_what_is_not_what_was_kept_is_refused(folder: Folder, damage: bytes) -> None:
    """A file that was cut, overwritten or exchanged is no evidence."""
    folder.put(PAGE)
    files(folder)[0].write_bytes(damage)
    with pytest.raises(EvidenceFailure):
        folder.get(NAME)


def test_what_is_not_there_says_why(folder: Folder) -> None:
    """Past its days, or on another machine; and no name leads out of the folder."""
    with pytest.raises(EvidenceFailure, match="another machine"):
        folder.get(NAME)
    with pytest.raises(EvidenceFailure, match="no hash"):
        folder.get("../../etc/passwd")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The text says where and why; nothing half-written is left."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EvidenceFailure, match="Not a directory"):
        Folder(tmp_path / "file").put(PAGE)


def test_a_full_disk_is_named_and_leaves_nothing_half(folder: Folder) -> None:
    """No room (here: a limit on file sizes): the trouble by its name, and no file under the hash."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(EvidenceFailure, match="File too large"):
            folder.put(shake_256(b"noise").digest(20_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert [] == files(folder)


def test_only_old_bodies_are_removed(folder: Folder) -> None:
    """A body whose row is still on its way stays; so does one that was needed again a moment ago."""
    folder.put(PAGE)
    assert 0 == folder.remove([NAME])
    age(folder)
    assert [NAME] == list(folder.old(FRESH_S))
    folder.put(PAGE)
    assert (0, []) == (folder.remove([NAME]), list(folder.old(FRESH_S)))
    age(folder)
    assert (1, []) == (folder.remove([NAME]), files(folder))


def test_what_a_killed_writer_left_is_cleared_away(folder: Folder) -> None:
    """Half-written files go with their age."""
    folder.put(PAGE)
    (folder.path / NAME[:2] / f"{NAME}.1-2.part").write_bytes(b"half")
    age(folder)
    assert [NAME] == list(folder.old(FRESH_S))
    assert 1 == len(files(folder))
