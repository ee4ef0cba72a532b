"""The application served on loopback, and a headless Chromium of the tests' own that looks at it."""

from __future__ import annotations

import shutil
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from selenium import webdriver
from werkzeug.serving import make_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--accept-lang=ko-KR")


def paths() -> tuple[str, str]:
    """Where Chromium and its driver are; a machine without them skips what needs a browser."""
    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("needs Chromium and chromedriver on PATH")
    return chromium, driver


@contextmanager
def launched(*flags: str) -> Iterator[webdriver.Chrome]:
    """A browser that keeps its console; not for longer than a file, since other files count the browsers there are."""
    chromium, driver = paths()
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, *flags):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield browser
    finally:
        browser.quit()


@contextmanager
def served(app: Flask, port: int = 0) -> Iterator[str]:
    """The application on a loopback port (0: a free one)."""
    server = make_server("127.0.0.1", port, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def severe(browser: webdriver.Chrome) -> list[dict[str, Any]]:
    """What the console complained about since the last call: failed loads, broken scripts, broken policy."""
    log: list[dict[str, Any]] = browser.get_log("browser")  # type: ignore[no-untyped-call]  # selenium left it untyped
    return [line for line in log if line["level"] == "SEVERE"]
