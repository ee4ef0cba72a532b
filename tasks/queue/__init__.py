"""LPS's queue: dramatiq on PostgreSQL, nothing lost, nothing twice.

broker     sending, what dramatiq's worker calls        tries      effect(), and how the broker ends a try
consumer   claims due messages for free threads         endings    the four statements that do it, for the owner only
hub        one thread a process: notifications, leases  reaper     brings back what the dead held
slots      what is free in this process                 payload    what may stand in a message, and its id
pauses     queues left alone                            dead       dead letters: look, replay, discard
retention  how much is there, and what may leave       acks       acknowledgements of idempotent work, together
"""

from __future__ import annotations

from errors import Lost as LeaseLost
from tasks.queue.broker import LpsBroker
from tasks.queue.delivery import DeadMessage, Delivery, current_message
from tasks.queue.payload import message_id, tick_id
from tasks.queue.reaper import Reaped

__all__ = ["DeadMessage", "Delivery", "LeaseLost", "LpsBroker", "Reaped", "current_message", "message_id", "tick_id"]
