"""One headless Chromium for each of these files, the whole stack behind it, and a folder for the pictures."""

from __future__ import annotations

import base64
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.ui import WebDriverWait

from store import access
from tests.browser import stack as parts
from tests.chromium import launched, severe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selenium import webdriver
    from selenium.webdriver.remote.webelement import WebElement

    from tests.browser.stack import Stack
    from tests.conftest import Database

ROOT = Path(__file__).parent.parent.parent
PICTURES = ROOT / "build" / "screens"
WAIT_S = 20
WIDE, NARROW = 1280, 390


@dataclass
class Page:
    """The browser, and the few things that a person does with it."""

    driver: webdriver.Chrome
    base: str

    def open(self, path: str) -> None:
        """Go to a path of the application."""
        self.driver.get(self.base + path)

    def look(self, *, width: int = WIDE, dark: bool = False) -> None:
        """Use a screen this wide, by day or by night."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def see(self, xpath: str) -> WebElement:
        """The element, as soon as it is there."""
        return WebDriverWait(self.driver, WAIT_S).until(lambda driver: driver.find_element(By.XPATH, xpath))

    def read(self, text: str) -> WebElement:
        """The innermost element that says this, as soon as it is there."""
        return self.see(f"//*[contains(normalize-space(), '{text}')][not(*[contains(normalize-space(), '{text}')])]")

    def press(self, text: str, within: str = "//body") -> None:
        """Press the button or link that says this."""
        self.see(
            f"{within}//*[self::button or self::a or self::summary][contains(normalize-space(), '{text}')]"
        ).click()

    def follow(self, text: str, within: str = "//body") -> None:
        """Press what leads to another page, and wait until that is there."""
        before = self.see("/html")
        self.press(text, within)
        WebDriverWait(self.driver, WAIT_S).until(staleness_of(before))

    def write(self, name: str, text: str, within: str = "//body") -> None:
        """Write into a field of this name."""
        field = self.see(f"{within}//*[@name='{name}']")
        field.clear()
        field.send_keys(text)

    def keep(self, name: str) -> None:
        """Keep the whole page as a picture among the build's artefacts."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        shown = "[document.documentElement.clientWidth, document.documentElement.scrollHeight]"
        width, height = self.driver.execute_script(f"return {shown}")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 4000), "scale": 1}
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def complaints(self) -> list[str]:
        """What the console complained about since the last call: failed loads, broken scripts, broken policy."""
        return [line["message"] for line in severe(self.driver)]

    def violations(self) -> list[str]:
        """What axe-core finds against WCAG 2.2 AA and its own best practices on this page."""
        self.driver.execute_script(_axe())
        found: list[dict[str, Any]] = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run(document).then((result) => done(result.violations));"
        )
        return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"][:3]]


def _axe() -> str:
    """The source of axe-core, from its package."""
    spec = importlib.util.find_spec("axe_core_python")
    assert spec
    assert spec.origin
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    """One browser for a file."""
    with launched("--hide-scrollbars") as browser:
        yield browser


@pytest.fixture
def stack(db: Database) -> Iterator[Stack]:
    """Sandbox, queue, worker and web app on an empty database."""
    with parts.running(db.pool) as running:
        yield running


@pytest.fixture
def page(chromium: webdriver.Chrome, stack: Stack) -> Page:
    """The browser with an admin signed in by a login link, as the first start prints one."""
    with stack.pool.transaction() as cur:
        access.first_admin(cur, who="test")
        link = access.login_link(cur, "admin", who="test")
    chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})
    here = Page(chromium, stack.base)
    here.look()
    here.open(f"/login/link?t={link}")
    here.press("로그인", "//main")
    here.read("진짜 최저가 찾기")
    here.complaints()
    return here
