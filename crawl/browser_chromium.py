"""One Chromium with its driver: started under guard, read, and gone without a trace.

Chromium is started by its guard, not by undetected-chromedriver, which would hold its output in pipes that nobody reads
and leave zombies behind; undetected-chromedriver then attaches to it with its patched driver.
"""

from __future__ import annotations

import fcntl
import socket
import subprocess
import threading
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO, TYPE_CHECKING, Any

import undetected_chromedriver as uc
from selenium.webdriver.common.utils import free_port

from crawl import browser_driver
from crawl.browser_process import Guarded, new_folder
from errors import BrowserMissing

if TYPE_CHECKING:
    from config import BrowserConfig
    from crawl.display import Display


class _Running(ModuleType):
    """Stands where undetected-chromedriver looks for `subprocess`: the browser it wants to start runs already.

    Left to itself it starts one whose output nobody reads, and forgets it: a zombie and three open pipes each time.
    """

    PIPE = subprocess.PIPE

    @staticmethod
    def Popen(*_command: object, **_how: object) -> SimpleNamespace:  # noqa: N802 - subprocess's name
        """No process, and so no pid to signal at the end."""
        return SimpleNamespace(pid=None)


uc.subprocess = _Running("subprocess")
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
STEP_S = 0.02
MOST_PROFILES = 64


class Chromium:
    """A running browser; not safe to use from two threads at once, except `kill`.

    Args:
        config: window, programs, profile, start timeout.
        display: where it draws; None is headless.

    Raises:
        BrowserMissing: it cannot be started; the text says why.
    """

    def __init__(self, config: BrowserConfig, display: Display | None, slot: int) -> None:
        self.slot = slot
        self.pages = 0
        self.warmed: set[str] = set()
        self.pages_by_mall: dict[str, int] = {}
        self.used_at = time.monotonic()
        self._blocks_css: bool | None = None
        # Whatever may be missing is asked for before there is a folder to leave behind.
        driver = browser_driver.patched(browser_driver.found(config.driver, ("chromedriver",), "driver"))
        program = browser_driver.found(config.chromium, ("chromium", "google-chrome", "chrome"), "chromium")
        screen = display.name() if display else ""
        self._profile = Profile(config.profile_dir)
        self.folder = new_folder()
        own_driver = browser_driver.place(driver, self.folder)
        profile = self._profile.path or self.folder / "profile"
        port = free_port()
        self.guard = Guarded(_command(program, profile, port, config, screen), self.folder)
        try:
            self._await_port(port, config.start_timeout_s)
            self.driver = _attach(own_driver, program, profile, port)
        except BaseException:
            self.guard.kill()
            self.guard.wait()
            self._profile.free()
            raise

    def _await_port(self, port: int, timeout_s: float) -> None:
        until = time.monotonic() + timeout_s
        pause = threading.Event()
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            if not self.guard.running and self.guard.process.poll() is None and self.guard.messages:
                break
            pause.wait(STEP_S)
        said = self.guard.messages.strip().splitlines()
        raise BrowserMissing(f"Chromium does not start: {said[-1] if said else f'no answer within {timeout_s:g} s'}")

    def block(self, *, css: bool) -> None:
        """Leave out images, fonts and media, style sheets by choice: none holds a price."""
        if self._blocks_css == css:
            return
        if self._blocks_css is None:
            self.driver.execute_cdp_cmd("Network.enable", {})
        patterns = [*IMAGES, *FONTS_AND_MEDIA, *(STYLES if css else ())]
        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": patterns})
        self._blocks_css = css

    @property
    def alive(self) -> bool:
        """Whether it can be used further."""
        return self.guard.running

    def kill(self) -> None:
        """End the whole tree now, whatever it does; from any thread."""
        self.guard.kill()

    def close(self) -> None:
        """End it politely, so that its profile is whole, and leave no process, socket or file."""
        self.guard.end()
        self.guard.wait()
        service = self.driver.service
        if service.process:
            service.process.wait()
            service.process.stdin.close()
            service.process = None
        self.driver.command_executor.close()
        self._profile.free()


class Profile:
    """A profile that lasts, held by one browser at a time over all processes; none without a folder for it."""

    def __init__(self, folder: str) -> None:
        self.path: Path | None = None
        self._held: IO[str] | None = None
        for number in range(MOST_PROFILES if folder else 0):
            path = Path(folder) / f"profile-{number}"
            path.mkdir(parents=True, exist_ok=True)
            held = path.with_suffix(".lock").open("w")
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.close()
                continue
            self.path, self._held = path, held
            return

    def free(self) -> None:
        """Let another browser have it."""
        if self._held:
            self._held.close()


def _command(program: Path, profile: Path, port: int, config: BrowserConfig, screen: str) -> list[str]:
    return [
        *(["/usr/bin/env", f"DISPLAY={screen}"] if screen else []),
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


def _attach(driver: Path, program: Path, profile: Path, port: int) -> Any:
    options = uc.ChromeOptions()
    options.debugger_address = f"127.0.0.1:{port}"
    options.page_load_strategy = "eager"
    return uc.Chrome(
        options=options,
        user_data_dir=str(profile),
        driver_executable_path=str(driver),
        browser_executable_path=str(program),
        log_level=3,
    )
