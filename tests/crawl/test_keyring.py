"""Keys in turn: who is asked next, who rests and until when."""

from __future__ import annotations

from datetime import datetime

from crawl.keyring import KST, Key, KeyRing

A, B, C = (Key(name, f"secret-{name}") for name in "abc")


class Clock:
    """Seconds since the epoch, moved by hand."""

    def __init__(self, text: str) -> None:
        self.now = datetime.fromisoformat(text).replace(tzinfo=KST).timestamp()

    def __call__(self) -> float:
        """The time it is."""
        return self.now


def ring(*keys: Key, at: str = "2026-11-30T23:00:00") -> tuple[KeyRing, Clock]:
    """A ring and its clock."""
    clock = Clock(at)
    return KeyRing(keys, clock), clock


def test_keys_are_asked_in_turn() -> None:
    """Each call begins with the next key, so that quotas are used evenly."""
    keys, _ = ring(A, B, C)
    assert [A, B, C, A] == [keys.usable()[0] for _ in range(4)]
    assert {A, B, C} == set(keys.usable())


def test_a_key_that_was_too_fast_rests_for_a_moment() -> None:
    """A per-second limit costs a second, or as long as the other side says."""
    keys, clock = ring(A, B)
    keys.limited(A, daily=False)
    keys.limited(B, daily=False, after_s=9)
    assert [] == keys.usable()
    assert 1.0 == keys.free_in_s
    clock.now += 1.1
    assert [A] == keys.usable()


def test_a_key_without_quota_rests_until_midnight_in_korea() -> None:
    """The day's quota starts anew at 00:00 KST, whatever the machine's time zone."""
    keys, clock = ring(A, at="2026-11-30T23:00:00")
    keys.limited(A, daily=True)
    assert 3600.0 == keys.free_in_s
    clock.now += 3599
    assert [] == keys.usable()
    clock.now += 2
    assert [A] == keys.usable()


def test_a_refused_key_is_asked_last() -> None:
    """It may be mended meanwhile, so it is not forgotten; the others come first."""
    keys, _ = ring(A, B)
    keys.refused(A)
    assert [[B, A], [B, A]] == [keys.usable(), keys.usable()]
    keys.accepted(A)
    assert A in (keys.usable()[0], keys.usable()[0])


def test_refused_keys_alone_are_of_no_use() -> None:
    """Only when every key is refused is there nothing to wait for."""
    keys, _ = ring(A, B)
    keys.refused(A)
    assert not keys.all_refused
    keys.refused(B)
    assert keys.all_refused


def test_a_secret_never_shows() -> None:
    """A key in a log or a traceback shows a few letters of its id."""
    assert "secret" not in repr(Key("application", "secret-x"))
