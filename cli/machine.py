"""What a machine needs beside Python: a browser with its driver, a display, a Korean font.

Also a program of the standard library alone, so that the launcher can run it while .venv is being made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

BROWSERS = ("chromium", "google-chrome", "chrome")
"""Where crawl looks for one, in its order."""
FONTS = ("truetype/nanum", "truetype/unfonts-core", "opentype/noto", "noto-cjk", "google-noto-cjk", "truetype/baekmuk")
_APT = ("apt-get", "-o", "DPkg::Lock::Timeout=300", "-qq")


def missing(*, chromium: str = "", driver: str = "", headless: bool = False) -> list[str]:
    """Debian packages whose programs are not there.

    Args:
        chromium: the operator's own browser; empty = looked for on PATH.
        driver: the operator's own chromedriver; likewise.
        headless: no display is needed.
    """
    needs = {
        "chromium": _found(chromium, *BROWSERS),
        "chromium-driver": _found(driver, "chromedriver"),
        "xvfb": headless or _found("", "Xvfb"),
    }
    return [package for package, there in needs.items() if not there]


def _found(own: str, *names: str) -> bool:
    return Path(own).exists() if own else any(map(shutil.which, names))


def version_of(own: str, *names: str) -> str:
    """The version a program says of itself, "156.0.8078.114"; empty when it says none."""
    program = own or next(filter(None, map(shutil.which, names)), "")
    if not program:
        return ""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=20)
    return next((word for word in done.stdout.split() if word[:1].isdigit()), "")


def korean_font() -> bool:
    """Whether Korean titles can be drawn."""
    return any((Path("/usr/share/fonts") / folder).is_dir() for folder in FONTS)


def prepare(*, chromium: str = "", driver: str = "", headless: bool = False) -> str:
    """Install what is missing when we are root and have apt; gives "" or one line that says what to do."""
    lacking = missing(chromium=chromium, driver=driver, headless=headless)
    if not lacking:
        return ""
    command = f"apt-get install -y --no-install-recommends {' '.join([*lacking, 'fonts-nanum'])}"
    if chromium and "chromium" in lacking:
        return f"there is no {chromium}, which [browser] chromium names"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return f"{', '.join(lacking)} missing; on Debian or Ubuntu: sudo {command}"
    said = _install([*lacking, *([] if korean_font() else ["fonts-nanum"])])
    still = missing(chromium=chromium, driver=driver, headless=headless)
    return f"{', '.join(still)} missing and not installed ({said}); try: {command}" if still else ""


def _install(packages: list[str]) -> str:
    sys.stderr.write(f"lps: installing {', '.join(packages)} with apt (once)\n")
    sys.stderr.flush()
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
    said = ""
    for step in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(
            [*quiet, *_APT, *step], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = ([line for line in done.stderr.splitlines() if line.startswith("E:")] or ["apt-get failed"])[0]
    return said


if __name__ == "__main__":
    prepare()
