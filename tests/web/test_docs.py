"""/docs in a real Chromium: it renders under the strict policy, and asks nobody but us."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.chromium import served, severe

if TYPE_CHECKING:
    from flask import Flask
    from selenium import webdriver

    from tests.conftest import Database

pytestmark = pytest.mark.browser


def test_the_documentation_renders_offline(app: Flask, db: Database, chromium: webdriver.Chrome) -> None:
    """Every operation stands there; no violation of the policy, no request elsewhere."""
    with served(app) as base:
        chromium.get(f"{base}/docs")
        blocks = WebDriverWait(chromium, 40).until(lambda browser: browser.find_elements(By.CSS_SELECTOR, ".opblock"))
        assert len(blocks) >= 40
        names = "return performance.getEntriesByType('resource').map(entry => entry.name)"
        asked = [name for name in chromium.execute_script(names) if not name.startswith("data:")]
        assert [] == [name for name in asked if not name.startswith(base)]
        assert [] == severe(chromium)
