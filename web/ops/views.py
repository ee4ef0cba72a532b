"""Every view of the operators, loaded together."""

from __future__ import annotations

from web.ops import (
    alerts,
    audit,
    callbacks,
    crawl,
    dead,
    health,
    jobs,
    keys,
    metrics,
    money,
    overview,
    queues,
    settings,
    workers,
)

__all__ = [
    "alerts",
    "audit",
    "callbacks",
    "crawl",
    "dead",
    "health",
    "jobs",
    "keys",
    "metrics",
    "money",
    "overview",
    "queues",
    "settings",
    "workers",
]
