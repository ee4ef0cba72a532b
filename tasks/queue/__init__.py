"""LPS's queue: dramatiq on PostgreSQL, nothing lost, nothing twice.

broker     sending, effect(), what dramatiq's worker calls
consumer   claims due messages for free threads
hub        one thread a process: notifications, leases, worker row
reaper     brings back what the dead held
endings    finish, retry, bury, release: each for the owner only
slots      what is free in this process
payload    what may stand in a message, and its id
"""

from __future__ import annotations

from errors import Lost as LeaseLost
from tasks.queue.broker import LpsBroker
from tasks.queue.delivery import DeadMessage, Delivery, current_message
from tasks.queue.payload import message_id, tick_id
from tasks.queue.reaper import Reaped

__all__ = ["DeadMessage", "Delivery", "LeaseLost", "LpsBroker", "Reaped", "current_message", "message_id", "tick_id"]
