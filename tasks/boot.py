"""What a worker process does before its first message: log as set, and refuse a database it cannot work with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import structlog
from dramatiq import Middleware

import config
from errors import DatabaseDown, Setup
from store import migrate
from tasks import logs
from tasks.runtime import runtime

if TYPE_CHECKING:
    from dramatiq.broker import Broker

log = structlog.get_logger("lps.worker")


class Boot(Middleware):
    """dramatiq's CLI loads the broker in every worker process and then says so."""

    def after_process_boot(self, _broker: Broker) -> None:
        """Check what this process stands on; it ends here, with one line, if that does not hold."""
        settings = runtime.settings
        logs.setup(settings.log)
        try:
            migrate.check(runtime.pool, settings.origin)
        except (DatabaseDown, Setup) as error:
            sys.exit(f"lps worker: {error}")
        log.info(config.pool_plan(settings, "worker").line)
        ai = settings.ai
        why = (
            "switched off"
            if not ai.enabled
            else "no key"
            if not ai.api_key.get_secret_value()
            else "not in this version"
        )
        # The rules decide alone, and the result says so.
        log.info(f"AI: OFF ({why})")

    def after_worker_shutdown(self, _broker: Broker, _worker: object) -> None:
        """Browsers go with the worker."""
        runtime.close()
