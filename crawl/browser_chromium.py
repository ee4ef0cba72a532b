"""One Chromium with its driver: started under guard, read, and gone without a trace.

Chromium is started by its guard, not by undetected-chromedriver, which would hold its output in pipes that nobody reads
and leave zombies behind; undetected-chromedriver then attaches to it with its patched driver.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import psutil
import undetected_chromedriver as uc
from selenium.common.exceptions import WebDriverException
from urllib3.exceptions import HTTPError

from crawl import browser_driver, browser_flags
from crawl.browser_places import Profile
from crawl.browser_process import Guarded, new_folder
from crawl.mall import DIRECT
from errors import BrowserMissing, SourceFailure, UpstreamDown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from config import BrowserConfig
    from crawl.browser_places import Place
    from crawl.display import Display
    from crawl.mall import Via


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
# Its finalizer would hold every driver until this process ends.
uc.finalize = lambda *_: None
# It makes this folder on each start, by default in a home that a service's user may not have.
uc.Patcher.data_path = tempfile.gettempdir()
STEP_S = 0.02
GOODBYE_S = 2.0


class Chromium:
    """A browser; not safe to use from two threads at once, except `kill`. Nothing runs before `start`.

    Args:
        config: window, programs, profile, start timeout.
        place: its place on this machine.
        via: the proxy and the profile it has for its whole life, and the visitor it is first.
    """

    def __init__(self, config: BrowserConfig, place: Place | None = None, via: Via = DIRECT) -> None:
        self._config = config
        self._via = via
        self.place = place
        self.spoilt = False
        """Not to be used again."""
        self.large = False
        """Above `[browser] max_memory_mb` when last weighed."""
        self.pages = 0
        self._weighed_at = 0
        self.warmed: set[str] = set()
        """Front pages this visitor has seen."""
        self.searches: dict[str, int] = {}
        """Mall → how often this visitor has asked it."""
        self.used_at = time.monotonic()
        self.origin: float | None = None
        """When the document it shows came into being, by which it is told from the next one; None = not known."""
        self.load_limit_s = 0.0
        """How long its driver lets a page load, as last set."""
        self.driver: Any = None
        self.started = False
        self._guard: Guarded | None = None
        self._profile: Profile | None = None
        self._killed = False
        self._blocks_css: bool | None = None

    def start(self, display: Display | None) -> None:
        """Start Chromium on `display` (None: headless) and its driver; after a failure, `close` it.

        Raises:
            BrowserMissing: it cannot be started; the text says why.
            UpstreamDown: it did not start in time (`browser_start`).
        """
        config = self._config
        # Whatever may be missing is asked for before there is a folder to leave behind.
        driver = browser_driver.patched(browser_driver.found(config.driver, ("chromedriver",), "driver"))
        program = browser_driver.found(config.chromium, ("chromium", "google-chrome", "chrome"), "chromium")
        screen = display.name() if display else ""
        self._profile = Profile(config.profile_dir, self._via.profile, self._via.generation)
        folder = new_folder()
        own_driver = browser_driver.place(driver, folder)
        profile = self._profile.path or folder / "profile"
        limit = threading.Timer(config.start_timeout_s, self.kill)
        limit.daemon = True
        with _reserved_port() as port:
            flags = browser_flags.command(profile, port, config, screen, self._via.proxy)
            self._guard = Guarded(browser_flags.within(folder, screen, program, flags), folder)
            if self._killed:
                self._guard.kill()
            limit.start()
            try:
                self._await_port(port)
                Chrome(self, program, profile, own_driver, port)
                self.driver.execute_cdp_cmd("Network.enable", {})
                self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "deny"})
                self.started = True
            except (WebDriverException, HTTPError, OSError) as error:
                raise self._no_start(error) from error
            finally:
                limit.cancel()

    def _await_port(self, port: int) -> None:
        pause = threading.Event()
        while self.alive:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            pause.wait(STEP_S)
        raise ConnectionError("no answer")

    def _no_start(self, error: Exception) -> SourceFailure:
        said = [line for line in (self._guard.messages if self._guard else "").splitlines() if _complains(line)]
        text = (getattr(error, "msg", None) or str(error)).strip()
        if "only supports Chrome version" in text:
            return BrowserMissing(f"Chromium and chromedriver are of different versions: {text.splitlines()[0]}")
        if self._killed:
            late = f"Chromium did not start within {self._config.start_timeout_s:g} s: the machine is overloaded"
            return UpstreamDown(late, kind="browser_start")
        return BrowserMissing(f"Chromium does not start: {said[-1] if said else text.splitlines()[0]}")

    def count(self, mall: str) -> None:
        """One more search at this mall."""
        self.searches[mall] = self.searches.get(mall, 0) + 1

    def fits(self, via: Via) -> bool:
        """Whether it can be the visitor asked for: a browser keeps its proxy and its profile."""
        return (self._via.proxy, self._via.profile) == (via.proxy, via.profile)

    def become(self, via: Via) -> None:
        """Be the visitor of this address: one of another forgets its cookies and whatever pages have stored."""
        if via.fresh or via.generation != self._via.generation:
            self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
            self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
            self.warmed.clear()
            self.searches.clear()
            if self._profile:
                self._profile.belongs_to(via.generation)
        self._via = via

    def block(self, *, css: bool) -> None:
        """Leave out images, fonts, media and advertisements, style sheets by choice: none holds a price."""
        if self._blocks_css != css:
            self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": browser_flags.blocked(css=css)})
            self._blocks_css = css

    @property
    def alive(self) -> bool:
        """Whether it can be used further."""
        return self._guard is not None and self._guard.running

    def grew(self, pages: int) -> bool:
        """Whether it has opened so many pages since this was last true."""
        if self.pages - self._weighed_at < pages:
            return False
        self._weighed_at = self.pages
        return True

    def memory_mb(self) -> int:
        """What its processes hold, shared pages counted once (PSS)."""
        if self._guard is None:
            return 0
        total = 0
        with contextlib.suppress(psutil.NoSuchProcess):
            for process in psutil.Process(self._guard.process.pid).children(recursive=True):
                total += process.memory_full_info().pss
        return total >> 20

    def kill(self) -> None:
        """End the whole tree now, whatever it does; from any thread."""
        self._killed = True
        if self._guard:
            self._guard.kill()

    def close(self) -> None:
        """End it, and leave no process, socket or file; a profile that lasts keeps its cookies if it was not killed."""
        if self._guard:
            if self.started and self.alive and self._profile and self._profile.path:
                self._say_goodbye()
            self._guard.end()
            self._guard.wait()
        if self.driver is not None:
            _let_go(self.driver)
            self.driver = None
        if self._profile:
            self._profile.free()
        if self.place:
            self.place.free()

    def _say_goodbye(self) -> None:
        """Let Chromium end by itself: on SIGTERM it drops what cookies it has not yet written."""
        self.driver.command_executor.client_config.timeout = GOODBYE_S
        # The answer is often that the browser is gone.
        with contextlib.suppress(WebDriverException, HTTPError, OSError):
            self.driver.execute_cdp_cmd("Browser.close", {})
        pause, until = threading.Event(), time.monotonic() + GOODBYE_S
        while self.alive and time.monotonic() < until:
            pause.wait(STEP_S)


class Chrome(uc.Chrome):  # type: ignore[misc] # the library is untyped
    """undetected-chromedriver attached to a Chromium that runs; ending both is `Chromium.close`'s alone."""

    def __init__(self, owner: Chromium, program: Path, profile: Path, driver: Path, port: int) -> None:
        # Known to its owner before it starts anything, so that a start that fails is cleaned up too.
        owner.driver = self
        options = uc.ChromeOptions()
        options.debugger_address = f"127.0.0.1:{port}"
        options.page_load_strategy = "eager"
        options.unhandled_prompt_behavior = "dismiss"
        # The driver is on loopback: HTTP_PROXY is not for it.
        options._ignore_local_proxy = True  # noqa: SLF001 - the public method only warns that it is going away
        super().__init__(
            options=options,
            user_data_dir=str(profile),
            driver_executable_path=str(driver),
            browser_executable_path=str(program),
            log_level=3,
        )

    def quit(self) -> None:
        """Do nothing: the original signals process numbers that may be another's by then."""

    def __del__(self) -> None:
        """Do nothing, for the same reason."""


def _complains(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("DevTools listening")


def _let_go(driver: Any) -> None:
    """Reap the driver's process and close our ends of what connected us."""
    if executor := getattr(driver, "command_executor", None):
        executor.close()
    service: Any = getattr(driver, "service", None)
    if process := getattr(service, "process", None):
        process.kill()
        process.wait()
        process.stdin.close()
        service.process = None


@contextmanager
def _reserved_port() -> Iterator[int]:
    """A port for Chromium's debugger that nobody else on this machine is given meanwhile.

    A bound socket that does not listen holds it: Chromium may bind there too (SO_REUSEADDR), and the kernel leaves it
    out when others ask for any free port. Two browsers that start at once would otherwise now and then share a port.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]
