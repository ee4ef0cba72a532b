"""How Chromium is started, and what it leaves out of a page. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from config import BrowserConfig

FEATURES_OFF = (
    "site-per-process",
    "IsolateOrigins",
    "SpareRendererForSitePerProcess",
    "BackForwardCache",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "MediaRouter",
    "Translate",
)
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
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--lang=ko-KR",
    "--accept-lang=ko-KR,ko",
    "--log-level=3",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--no-pings",
    "--metrics-recording-only",
)
OWN_HOSTS = (
    "accounts.google.com",
    "android.clients.google.com",
    "chromewebstore.googleapis.com",
    "clients1.google.com",
    "clients2.google.com",
    "clients2.googleusercontent.com",
    "clients4.google.com",
    "clientservices.googleapis.com",
    "content-autofill.googleapis.com",
    "edgedl.me.gvt1.com",
    "mtalk.google.com",
    "optimizationguide-pa.googleapis.com",
    "passwordsleakcheck-pa.googleapis.com",
    "redirector.gvt1.com",
    "safebrowsing.googleapis.com",
    "start.duckduckgo.com",
    "update.googleapis.com",
    "www.googleapis.com",
)
"""Whom Chromium asks of its own accord, in spite of every flag; no page needs them. Their names lead nowhere here, and
they go past the proxy, so that neither it nor anybody else is asked."""
PROXIED = (
    "--proxy-server=http://",
    # Without the first word Chromium goes to loopback directly.
    f"--proxy-bypass-list=<-loopback>;{';'.join(OWN_HOSTS)}",
    # A page's script could learn this machine's own address otherwise.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
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


def command(profile: Path, port: int, config: BrowserConfig, screen: str, proxy: str) -> list[str]:
    """Chromium's arguments; an empty `screen` is headless, an empty `proxy` none."""
    return [
        *LEAN,
        f"--host-resolver-rules={','.join(f'MAP {host} ~NOTFOUND' for host in OWN_HOSTS)}",
        *([] if screen else ["--headless=new"]),
        *(f"{flag}{proxy}" if flag.endswith("//") else flag for flag in (PROXIED if proxy else ())),
        f"--user-data-dir={profile}",
        f"--window-size={config.width},{config.height}",
        # Port 0 would do, but then Chromium tells every page that it is automated.
        f"--remote-debugging-port={port}",
        # Debian's Chromium would open its start page otherwise.
        "about:blank",
    ]


def within(folder: Path, screen: str, program: Path, flags: list[str]) -> list[str]:
    """The command line that starts it on `screen`, with what it leaves lying about in `folder`."""
    # Chromium leaves its sockets in the temp directory when it is killed.
    return ["/usr/bin/env", f"TMPDIR={folder}", *([f"DISPLAY={screen}"] if screen else []), str(program), *flags]
