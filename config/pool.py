"""How many connections each process may hold, so that all of them together stay within the budget.

    web processes × (pool_size + max_overflow)  +  worker processes × (pool_size + 1 listener)  ≤  connection_budget

Every process gets one connection (a worker its listener too); what is left is shared out evenly, and no process takes
more than it has threads. A command line holds at most two while it runs, beside the budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from config.settings import Settings

Role = Literal["web", "worker", "cli"]
LISTENER = 1
CLI_CONNECTIONS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan:
    """The pool of one process, and what all processes of its role hold together."""

    size: int
    overflow: int
    total: int
    """Connections of all processes of this role, listeners included."""
    budget: int
    """Connections of the whole machine; 0 = unbounded."""
    warning: str | None
    line: str

    @property
    def capacity(self) -> int:
        """Connections one process may have open in its pool."""
        return self.size + self.overflow


def pool_plan(settings: Settings, role: Role) -> PoolPlan:
    """Share the connection budget out; DB_POOL_SIZE and DB_MAX_OVERFLOW win over the shares."""
    budget = settings.database.connection_budget
    web_size, web_overflow = _pool(settings, settings.web.threads, overflow=True)
    worker_size, _ = _pool(settings, settings.worker.threads, overflow=False)
    totals: dict[Role, int] = {
        "web": settings.web.processes * (web_size + web_overflow),
        "worker": settings.worker.processes * (worker_size + LISTENER),
        "cli": CLI_CONNECTIONS,
    }
    size, overflow, count, extra = {
        "web": (web_size, web_overflow, settings.web.processes, ""),
        "worker": (worker_size, 0, settings.worker.processes, ", 1 listener each"),
        "cli": (CLI_CONNECTIONS, 0, 1, ""),
    }[role]
    line = (
        f"DB Pool : pool_size={size} max_overflow={overflow} × {count}workers"
        f" = {totals[role]} conns (budget={budget}{extra})"
    )
    warning = _warning(settings, totals["web"] + totals["worker"])
    return PoolPlan(size=size, overflow=overflow, total=totals[role], budget=budget, warning=warning, line=line)


def _pool(settings: Settings, threads: int, *, overflow: bool) -> tuple[int, int]:
    database, processes = settings.database, settings.web.processes + settings.worker.processes
    spare = database.connection_budget - processes - settings.worker.processes * LISTENER
    # The pool keeps what it opened, so overflow is only what the operator asks for.
    extra = max(0, database.max_overflow) if overflow else 0
    share = threads if database.connection_budget == 0 else min(threads, 1 + max(0, spare) // processes)
    return database.pool_size or max(1, share - extra), extra


def _warning(settings: Settings, total: int) -> str | None:
    budget = settings.database.connection_budget
    if budget == 0 or total <= budget:
        return None
    return (
        f"DB Pool : {settings.web.processes} web and {settings.worker.processes} worker processes may open {total} "
        f"connections, the budget is {budget}: raise DB_CONNECTION_BUDGET (and max_connections of PostgreSQL), "
        "or lower PROCESS_COUNT, LPS_WORKER__PROCESSES, DB_POOL_SIZE or DB_MAX_OVERFLOW"
    )
