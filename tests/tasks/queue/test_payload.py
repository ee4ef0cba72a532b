"""What may stand in a message, and which id it gets."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from dramatiq import Message

from tasks.queue import payload


def _message(*args: Any, **options: Any) -> Message[Any]:
    return Message(queue_name="naver", actor_name="naver", args=args, kwargs={}, options=options)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("a\0b", "args[0] holds a NUL character"),
        ("a\ud800b", "args[0] holds half a surrogate pair"),
        (float("nan"), "args[0] is nan, which JSON cannot say"),
        (float("-inf"), "args[0] is -inf, which JSON cannot say"),
        (b"raw", "args[0] is a bytes, which JSON cannot say"),
        ({"title": ["ok", "\0"]}, "args[0].title[1] holds a NUL character"),
        ({"\0": 1}, "holds a NUL character"),
        ({1: 2}, "args[0] has the key 1, which is no text"),
    ],
)
def test_it_refuses_what_cannot_be_stored_and_names_the_argument(value: object, complaint: str) -> None:
    """A bad value is refused before it is anywhere, and the error says which one."""
    with pytest.raises(ValueError, match="naver: ") as refused:
        payload.check(_message(value))
    assert complaint in str(refused.value)


def test_it_lets_everything_through_that_json_can_say() -> None:
    """Text of any script, whole emoji, backslashes that only look like NUL, nested lists."""
    payload.check(_message("햇반 \\u0000 🍚", 1, 2.5, None, True, {"a": [1, {"b": "c"}]}))


def test_it_cleans_an_error_text_instead_of_refusing_it() -> None:
    """A traceback may quote a page: what cannot be stored is replaced, the rest stays, and it is cut."""
    assert payload.clean("a\0b\udfffc" + "x" * 9, limit=6) == "a\ufffdb\ufffdcx"


def test_the_same_step_of_a_job_has_the_same_id() -> None:
    """Job, step and round make the id; any other round or step is another message."""
    job = uuid4()
    first = payload.message_id(job, "match", 0)
    assert first == payload.message_id(str(job), "match", 0)
    assert len({first, payload.message_id(job, "match", 1), payload.message_id(job, "persist", 0)}) == 3
    assert UUID(first).version == 5


@pytest.mark.parametrize(
    "other", ["2026-11-30 09:05:00+09:00", "2026-11-30T00:05:37+00:00", "2026-11-29T19:05:59-05:00"]
)
def test_two_schedulers_name_the_same_tick_alike(other: str) -> None:
    """Time zone and second do not count: a tick is an actor's minute."""
    assert payload.tick_id("reap", other) == payload.tick_id("reap", "2026-11-30T09:05:00+09:00")
    assert payload.tick_id("watch", other) != payload.tick_id("reap", other)


def test_a_priority_that_no_claim_looks_for_is_refused() -> None:
    """The claim statement lists the priorities: another number would never be found."""
    assert payload.priority(_message(priority=5), None) == 5
    assert payload.priority(_message(priority=5), 9) == 9
    with pytest.raises(ValueError, match="7"):
        payload.priority(_message(), 7)
