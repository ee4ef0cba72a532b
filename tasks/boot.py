"""What a worker process does before its first message: log as set, and refuse a database it cannot work with."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import structlog
from dramatiq import Middleware

import config
from config import secrets
from crawl import Crawler
from errors import DatabaseDown, Setup, SourceFailure
from model import MALLS
from store import migrate
from tasks import logs
from tasks.runtime import runtime

if TYPE_CHECKING:
    from dramatiq.broker import Broker

GRACE_S = 20.0
"""How long stages may go on after SIGTERM; what is not done by then is given back, whatever dramatiq would wait."""
_LAST_S = 2.0
PREFLIGHT_S = 60.0
_CRAWLED = set(MALLS) - {"naver"}
log = structlog.get_logger("lps.worker")


def stand(who: str) -> None:
    """Log as set and check the database; a process that cannot work ends here, with one line and status 1."""
    logs.setup(runtime.settings.log, secrets.known(runtime.settings))
    try:
        migrate.check(runtime.pool, runtime.settings.origin)
    except (DatabaseDown, Setup) as error:
        sys.exit(f"lps {who}: {error}")


def preflight() -> None:
    """Find a proxy port that carries, and say from which address it goes out; a failure is said, nothing stops."""
    crawler = runtime.crawler
    if not isinstance(crawler, Crawler):
        return
    try:
        found = crawler.preflight(time.monotonic() + PREFLIGHT_S)
    except (SourceFailure, DatabaseDown) as error:
        kind = getattr(error, "kind", "")
        log.warning(f"DECODO 프리플라이트 실패 — {error} ({kind}); 잔여 트래픽·플랜·자격증명을 확인하세요")
        return
    if found:
        port, ip = found
        log.info(f"DECODO 프리플라이트 OK — egress IP {ip}", port=port)


class Boot(Middleware):
    """dramatiq's CLI loads the broker in every worker process and then says so."""

    def __init__(self) -> None:
        self._own_process = False

    def after_process_boot(self, _broker: Broker) -> None:
        """Check what this process stands on; it ends here, with one line, if that does not hold."""
        self._own_process = True
        settings = runtime.settings
        stand("worker")
        log.info(config.pool_plan(settings, "worker").line)
        ai = settings.ai
        # Without a model the rules decide alone, and every result says so.
        log.info(f"AI: OFF ({ai.why_off})" if ai.why_off else f"AI: ON ({ai.model})")
        if not settings.proxy.on:
            log.info("DECODO: OFF — 프록시 없이 직접 접속")

    def after_worker_boot(self, _broker: Broker, worker: Any) -> None:
        """Try the proxy beside the first work, where malls are read through it."""
        served = set(worker.consumer_whitelist or MALLS)
        if self._own_process and runtime.settings.proxy.on and served & _CRAWLED:
            threading.Thread(target=preflight, name="preflight", daemon=True).start()

    def before_worker_shutdown(self, _broker: Broker, _worker: object) -> None:
        """Bound the time that stages under way have left."""
        if self._own_process:
            end = threading.Timer(GRACE_S, self._end)
            end.daemon = True
            end.start()

    @staticmethod
    def _end() -> None:
        """Give back what still runs, end its browsers and fetches, and go: a blocked thread cannot be interrupted."""
        hub = runtime.broker.hub
        held = hub.held() if hub else []
        log.warning("stages are given back unfinished", stages=[delivery.actor_name for delivery in held])
        if hub:
            hub.stop(_LAST_S)
        for delivery in held:
            delivery.lost.set()
        closing = threading.Thread(target=runtime.close, daemon=True)
        closing.start()
        closing.join(_LAST_S)
        os._exit(0)

    def after_worker_shutdown(self, _broker: Broker, _worker: object) -> None:
        """Browsers go with the worker."""
        runtime.close()
