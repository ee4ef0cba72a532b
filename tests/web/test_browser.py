"""The pages in a real Chromium: they follow a search to its end, with and without JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from model import MALLS, SourceOutcome
from store import jobs, offers
from tests.chromium import served, severe
from tests.web import rows

if TYPE_CHECKING:
    from flask import Flask
    from selenium import webdriver

    from tests.conftest import Database

pytestmark = pytest.mark.browser
WAIT_S = 20


def wait(chromium: webdriver.Chrome, xpath: str) -> Any:
    """The element, as soon as it is there."""
    return WebDriverWait(chromium, WAIT_S).until(lambda browser: browser.find_element(By.XPATH, xpath))


def end(db: Database, job_id: str) -> None:
    """The job is done and has a winner."""
    decisions = [rows.decision(rows.offer("햇살 백미밥 210g 24개", 20000))]
    with db.pool.transaction() as cur:
        offers.decide(cur, job_id, decisions)
        jobs.finish(cur, job_id, rows.result(decisions))


def test_the_page_follows_the_search_to_its_end(app: Flask, db: Database, chromium: webdriver.Chrome) -> None:
    """Each mall's row changes as it ends, without a reload; the end brings the result; nothing breaks the policy."""
    job_id = rows.submitted(db)
    with served(app) as base:
        chromium.get(f"{base}/jobs/{job_id}")
        chromium.execute_script("window.kept = true")
        rows.close(db, job_id, rows.report("naver", count=7))
        wait(chromium, "//tr[@data-mall='naver'][contains(., '읽음')][contains(., '7')]")
        wait(chromium, "//ol/li[contains(., '네이버 · 읽음')]")
        assert chromium.execute_script("return window.kept")
        end(db, job_id)
        assert "23,000원" == wait(chromium, "//p[@class='big']").text
        assert [] == severe(chromium)


def test_the_page_follows_without_javascript(app: Flask, db: Database, chromium: webdriver.Chrome) -> None:
    """The reload of the page itself brings every change, too."""
    job_id = rows.submitted(db)
    with served(app) as base:
        chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            chromium.get(f"{base}/jobs/{job_id}")
            end(db, job_id)
            assert "23,000원" == wait(chromium, "//p[@class='big']").text
        finally:
            chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_the_screen(app: Flask, db: Database, chromium: webdriver.Chrome, width: int) -> None:
    """No sideways scrolling, with the longest texts a mall may send."""
    long = rows.decision(rows.offer("가" * 200, 20000, seller="나" * 60, url="https://x.example/" + "q" * 300))
    reports = [rows.report(mall, SourceOutcome.NOT_RENDERED, 0, kind="cloudflare_interactive") for mall in MALLS]
    job_id = rows.finished(db, [long], reports=reports)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    with served(app) as base:
        for address in ("/", f"/jobs/{job_id}", "/products/RICE24", "/nothing"):
            for language in ("en", "ko"):
                chromium.get(f"{base}{address}?lang={language}")
                needed = chromium.execute_script("return document.documentElement.scrollWidth")
                assert needed <= width, (address, language)
