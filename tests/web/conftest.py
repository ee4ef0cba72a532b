"""The application on a real database, with a way in that stores the job and starts nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import config
from model import JobStatus, Priority, Submitted
from store import jobs
from tests.chromium import launched, severe
from web import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from selenium import webdriver

    from model import Product
    from store.jobs import Asker
    from tests.conftest import Database


@dataclass
class Counter:
    """Stands in for tasks.submit: a PENDING job, or the one that is active already."""

    db: Database

    def __call__(
        self,
        product: Product,
        *,
        again: bool = False,
        deadline_s: float | None = None,
        options: dict[str, Any] | None = None,
        asker: Asker | None = None,
    ) -> Submitted:
        """Insert the job row."""
        options = {"again": again} | (options or {})
        with self.db.pool.transaction() as cur:
            job_id = jobs.submit(
                cur,
                product,
                priority=Priority.INTERACTIVE,
                deadline_s=deadline_s or 90,
                trace_id="t",
                options=options,
                asker=asker,
            )
            if job_id:
                return Submitted(job_id=job_id, status=JobStatus.PENDING)
            active = jobs.active(cur, jobs.dedupe_key(product, options))
        assert active
        return Submitted(job_id=active.job_id, status=active.status, deduped=True)


@pytest.fixture(scope="session")
def settings() -> config.Settings:
    """The built-in settings, in the sandbox."""
    return config.load(env={"LPS_SANDBOX__ON": "true", "NAVER_KEYS": "sandbox:sandbox"})


@pytest.fixture
def app(settings: config.Settings, db: Database) -> Iterator[Flask]:
    """The application; what operators do goes to the same database."""
    from tasks.runtime import runtime

    was = runtime.settings
    runtime.use(settings, db.pool)
    yield create_app(settings, db.pool, Counter(db))
    runtime.use(was)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A caller that sends no language."""
    return app.test_client()


@pytest.fixture(scope="module")
def session() -> Iterator[webdriver.Chrome]:
    """One headless Chromium for a file."""
    with launched("--window-size=390,900") as browser:
        yield browser


@pytest.fixture
def chromium(session: webdriver.Chrome) -> webdriver.Chrome:
    """The browser without what an earlier test left in it."""
    session.execute_cdp_cmd("Network.clearBrowserCookies", {})
    severe(session)
    return session
