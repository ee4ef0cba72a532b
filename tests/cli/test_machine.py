"""Browser, display and font: found, installed, or named with the command; with an apt-get of our own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
ALL = ("chromium", "chromedriver", "Xvfb")
APT = """#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >> {0}/calls
case "$*" in *install*) for name in {1}; do printf '#!/bin/sh\\n' > {0}/$name; chmod +x {0}/$name; done ;; esac
{2}
"""
PREPARE = "import sys; sys.path.insert(0, {!r}); from cli import machine; print(machine.prepare(**{!r}))"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A PATH with next to nothing on it."""
    for tool in ("sh", "env", "chmod"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or tool)
    return tmp_path


def have(path: Path, *names: str) -> None:
    """Put programs there."""
    for name in names:
        (path / name).touch(mode=0o755)


def prepared(path: Path, **options: object) -> subprocess.CompletedProcess[str]:
    """What `machine.prepare` says; its text is the last line of stdout."""
    command = [sys.executable, "-c", PREPARE.format(str(ROOT), options)]
    return subprocess.run(command, env={"PATH": str(path)}, capture_output=True, text=True, check=True)


def test_a_machine_that_has_everything_is_left_alone(path: Path) -> None:
    """Nothing is said and nothing run."""
    have(path, *ALL)
    (path / "apt-get").write_text(APT.format(path, "", ""), encoding="utf-8")
    (path / "apt-get").chmod(0o755)
    assert ("\n", "") == (prepared(path).stdout, prepared(path).stderr)
    assert not (path / "calls").exists()


def test_without_apt_the_command_is_named(path: Path) -> None:
    """What is missing alone, in one line."""
    have(path, "chromium", "chromedriver")
    said = prepared(path).stdout
    assert said.startswith("xvfb missing; on Debian or Ubuntu: sudo apt-get install -y --no-install-recommends xvfb ")


def test_a_headless_browser_needs_no_display(path: Path) -> None:
    """As the operator set it."""
    have(path, "chromium", "chromedriver")
    assert "\n" == prepared(path, headless=True).stdout


def test_the_operators_own_browser_is_what_counts(path: Path) -> None:
    """One that is not there is not replaced by another."""
    have(path, *ALL)
    assert "there is no /nowhere, which [browser] chromium names\n" == prepared(path, chromium="/nowhere").stdout
    assert "\n" == prepared(path, chromium=str(path / "chromium"), driver=str(path / "chromedriver")).stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may install")
def test_root_installs_what_is_missing(path: Path) -> None:
    """With apt, asking nothing, and said on stderr."""
    have(path, "chromium")
    (path / "apt-get").write_text(APT.format(path, "chromedriver Xvfb", ""), encoding="utf-8")
    (path / "apt-get").chmod(0o755)
    done = prepared(path)
    assert ("\n", True) == (done.stdout, "installing chromium-driver, xvfb" in done.stderr)
    update, install = (path / "calls").read_text(encoding="utf-8").splitlines()
    assert update.startswith("noninteractive ")
    assert update.endswith(" update")
    assert "install -y --no-install-recommends chromium-driver xvfb" in install


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may install")
def test_a_failed_installation_is_one_line_with_its_reason(path: Path) -> None:
    """And the command to try by hand."""
    have(path, "chromium", "chromedriver")
    (path / "apt-get").write_text(APT.format(path, "", "echo 'E: no network' >&2; exit 100"), encoding="utf-8")
    (path / "apt-get").chmod(0o755)
    assert prepared(path).stdout.startswith("xvfb missing and not installed (E: no network); try: apt-get install")
