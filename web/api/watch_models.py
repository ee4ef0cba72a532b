"""What the endpoints about watches give."""

from __future__ import annotations

from web.api.kit import Answer


class Watch(Answer):
    """A product that is looked up again and again."""

    watch_id: int
    product_code: str
    product_name: str
    specification: str
    target_krw: int | None
    every_s: int
    direction: str
    business_hours: bool
    url: str | None
    next_at: str
    paused: bool
    side: str | None
    told_krw: int | None
    last_krw: int | None
    last_job_id: str | None
    last_at: str | None
    note: str
    who: str
    created_at: str


class Watches(Answer):
    """A page of watches."""

    items: list[Watch]
    next: int | None
