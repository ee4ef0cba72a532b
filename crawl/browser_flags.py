"""How Chromium is started, and what it leaves out of a page. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from config import BrowserConfig

LEAN = (
    "--no-first-run",
    "--no-default-browser-check",
    # undetected-chromedriver forces it too: the driver's user must be unprivileged, see docs/operations.md.
    "--no-sandbox",
    "--test-type",
    "--disable-gpu",
    "--in-process-gpu",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--disable-features=site-per-process,IsolateOrigins,SpareRendererForSitePerProcess,BackForwardCache",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--lang=ko-KR",
    "--accept-lang=ko-KR,ko",
    "--log-level=3",
)
IMAGES = ("*.png*", "*.jpg*", "*.jpeg*", "*.gif*", "*.webp*", "*.avif*", "*.svg*", "*.ico*")
FONTS_AND_MEDIA = ("*.woff*", "*.ttf*", "*.otf*", "*.mp4*", "*.webm*", "*.mp3*", "*.m3u8*")
STYLES = ("*.css*",)
ADS = tuple(
    f"*{host}/*"
    for host in (
        "doubleclick.net",
        "googlesyndication.com",
        "googletagmanager.com",
        "google-analytics.com",
        "googleadservices.com",
        "facebook.net",
        "facebook.com",
        "criteo.com",
        "criteo.net",
        "taboola.com",
        "clarity.ms",
        "hotjar.com",
        "tiktok.com",
        "wcs.naver.net",
        "dable.io",
        "mobon.net",
    )
)
"""Advertisements and counters; never what a challenge loads."""


def blocked(*, css: bool) -> list[str]:
    """Address patterns that are not loaded: images, fonts, media and advertisements, style sheets by choice."""
    return [*IMAGES, *FONTS_AND_MEDIA, *ADS, *(STYLES if css else ())]


def command(program: Path, profile: Path, port: int, config: BrowserConfig, screen: str, folder: Path) -> list[str]:
    """The command line of one browser; an empty `screen` is headless, `folder` is gone with it."""
    return [
        "/usr/bin/env",
        # Chromium leaves its sockets in the temp directory when it is killed.
        f"TMPDIR={folder}",
        *([f"DISPLAY={screen}"] if screen else []),
        str(program),
        *LEAN,
        *([] if screen else ["--headless=new"]),
        f"--user-data-dir={profile}",
        f"--window-size={config.width},{config.height}",
        # Port 0 would do, but then Chromium tells every page that it is automated.
        f"--remote-debugging-port={port}",
        # Debian's Chromium would open its start page otherwise.
        "about:blank",
    ]
