"""What a notification says: the name of a queue that has something, or a word to the processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from tasks.queue.hub import Hub

log = structlog.get_logger(__name__)


def heard(hub: Hub, payload: str) -> None:
    """Act on one; whoever misses it learns the same from the next heartbeat."""
    word, _, subject = payload.partition(" ")
    if not subject:
        hub.slots.ring(payload)
    elif word == "cancel":
        _stop(hub, subject)
    elif word == "drain" and subject == str(hub.owner):
        hub.registry.drain()
        hub.registry.look()


def _stop(hub: Hub, job_id: str) -> None:
    for delivery in hub.held():
        if str(delivery.job_id) == job_id and delivery.actor_name != "outbox":
            log.info("cancelled", stage=delivery.actor_name, id=job_id)
            delivery.lost.set()
