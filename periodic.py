"""The clock: `periodiq periodic` sends reap, watch and prune when their cron lines (config.toml, [periodic]) say so.

The actors themselves are in tasks/ops.py, because periodiq's middleware reads their cron line in the worker too.
"""

from __future__ import annotations

from tasks import boot, broker, ops

__all__ = ["broker", "ops"]

boot.stand("clock")
