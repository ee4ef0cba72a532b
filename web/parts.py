"""What the views need of the rest of LPS, carried by the application."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from flask import current_app

import store.migrate
from errors import DatabaseDown, Setup

if TYPE_CHECKING:
    from types import ModuleType

    from config import Settings
    from model import Product, Submitted
    from store.jobs import Asker
    from store.pool import Pool


APP_LOAD_ERROR = 4
"""Exit status of a worker at which gunicorn stops instead of trying again for ever."""


class Submit(Protocol):
    """Takes a product in, or hands back the job that already searches for it."""

    def __call__(
        self,
        product: Product,
        *,
        again: bool = False,
        deadline_s: float | None = None,
        options: dict[str, Any] | None = None,
        asker: Asker | None = None,
    ) -> Submitted:
        """Raise errors.BadProduct when the product cannot be searched for."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """Settings, database, and the way in."""

    settings: Settings
    pool: Pool
    submit: Submit

    @property
    def operate(self) -> ModuleType:
        """`tasks.operate`, loaded when an operator does something: pages alone need no queue."""
        from tasks import operate  # noqa: PLC0415 - loads the queue, and reads the configuration

        return operate

    @property
    def bulk(self) -> ModuleType:
        """`tasks.bulk`: files of products."""
        from tasks import bulk  # noqa: PLC0415 - as above

        return bulk

    @property
    def submit_rules(self) -> ModuleType:
        """`tasks.submit`: what may be searched for."""
        from tasks import submit  # noqa: PLC0415 - as above

        return submit

    @property
    def alerting(self) -> ModuleType:
        """`tasks.alerting`: what people do to alerts."""
        from tasks import alerting  # noqa: PLC0415 - as above

        return alerting

    @property
    def people(self) -> ModuleType:
        """`tasks.correct`: a person's word on an offer."""
        from tasks import correct  # noqa: PLC0415 - as above

        return correct

    @property
    def letters(self) -> ModuleType:
        """`tasks.letters`: callbacks, loaded when somebody asks for one."""
        from tasks import letters  # noqa: PLC0415 - as above

        return letters

    @property
    def sandbox(self) -> bool:
        """Whether the malls behind this process are made up."""
        return self.settings.origin == "sandbox"


def gather(settings: Settings | None, pool: Pool | None, submit: Submit | None) -> Parts:
    """What was given, completed from the runtime of the tasks."""
    if settings is not None and pool is not None and submit is not None:
        return Parts(settings=settings, pool=pool, submit=submit)
    from tasks.runtime import runtime  # noqa: PLC0415 - an application with its own parts must not read the configuration
    from tasks.submit import submit as tasks_submit  # noqa: PLC0415 - as above

    if pool is None:
        runtime.use(settings or runtime.settings, role="web")
        _demand_schema(runtime.pool, runtime.settings.origin)
    return Parts(settings=settings or runtime.settings, pool=pool or runtime.pool, submit=submit or tasks_submit)


def _demand_schema(pool: Pool, origin: str) -> None:
    """End a process whose database has another schema; one whose database is down answers 503 until it is there."""
    try:
        store.migrate.check(pool, origin)
    except Setup as error:
        print(f"lps web: {error}", file=sys.stderr, flush=True)  # noqa: T201 - gunicorn shows nothing of the reason
        sys.exit(APP_LOAD_ERROR)
    except DatabaseDown:
        return


def here() -> Parts:
    """The parts of the application that answers now."""
    return cast("Parts", current_app.extensions["lps"])
