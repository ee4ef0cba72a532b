"""Places on the machine and profiles that last: files and locks, no browser."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from crawl.browser_places import Places, Profile
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_all_processes_together_take_no_more_places_than_there_are(tmp_path: Path) -> None:
    """Whoever finds none says so; a process that is killed gives its places back."""
    code = (
        "import sys; from pathlib import Path; from crawl.browser_places import Places\n"
        "places = Places(1, Path(sys.argv[1])); place = places.take()\n"
        "print(bool(place), flush=True); sys.stdin.read()\n"
    )
    mine = Places(1, tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", code, tmp_path], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert "True" == other.stdout.readline().strip()
        assert not mine.wanted()
        assert mine.take() is None
        assert mine.wanted()
        other.kill()
    assert mine.take()


def test_there_is_room_beyond_for_who_waited_long_and_an_end_to_it(tmp_path: Path) -> None:
    """Two browsers a core at most, and what is taken beyond the number is known as such."""
    places = Places(1, tmp_path)
    taken = [place for place in (places.take(extra=True) for _ in range(places.most + 1)) if place]
    assert [False] + [True] * (places.most - 1) == [place.extra for place in taken]
    assert 2 * len(os.sched_getaffinity(0)) == places.most
    for place in taken:
        place.free()
        place.free()
    assert places.take()


def test_the_number_follows_the_cores(tmp_path: Path) -> None:
    """One a core by default; a number that the cores cannot bear is cut."""
    cores = len(os.sched_getaffinity(0))
    assert [cores, 1, 2 * cores] == [Places(number, tmp_path).count for number in (0, 1, 1000)]


def test_an_old_wish_no_longer_counts(tmp_path: Path) -> None:
    """Who waited and left must not cost an idle browser."""
    places = Places(1, tmp_path)
    place = places.take()
    assert place
    assert places.take() is None
    old = time.time() - 5
    os.utime(tmp_path / "wanted", (old, old))
    assert not places.wanted()


def test_a_profile_serves_one_browser_at_a_time(tmp_path: Path) -> None:
    """A second under the same name gets its own beside it; what is freed is taken again."""
    first, second = Profile(str(tmp_path), "port-1"), Profile(str(tmp_path), "port-1")
    assert [tmp_path / "port-1-0", tmp_path / "port-1-1"] == [first.path, second.path]
    first.free()
    third = Profile(str(tmp_path), "port-1")
    assert tmp_path / "port-1-0" == third.path
    second.free()
    third.free()


def test_a_profile_of_another_address_starts_empty(tmp_path: Path) -> None:
    """The same address finds its files again, another none, nor the locks of a browser that was killed."""
    for generation, found in ((7, False), (7, True), (8, False)):
        profile = Profile(str(tmp_path), "p", generation)
        assert profile.path
        assert found == (profile.path / "Cookies").exists()
        assert not (profile.path / "SingletonLock").is_symlink()
        (profile.path / "Cookies").write_text("cf_clearance")
        (profile.path / "SingletonLock").symlink_to("elsewhere-1")
        profile.free()


def test_without_a_folder_no_profile_lasts() -> None:
    """The browser then uses one of its own, gone with it."""
    assert Profile("", "p", 3).path is None
