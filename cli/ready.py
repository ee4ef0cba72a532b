"""What must hold before anything is started: each failure is one line that says what to do."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import TYPE_CHECKING

import psutil

from cli import machine
from embedded.waiting import until
from errors import PortTaken, Setup

if TYPE_CHECKING:
    from config import Settings

_LEFT_BEHIND_S = 5.0
"""The sweeper (cli/leash.py) kills after 3 s what a killed supervisor left."""


def machine_ready(settings: Settings) -> None:
    """Browser, driver and display are there, or were installed now.

    Raises:
        Setup: they are not; the text holds the command that installs them.
    """
    block = settings.browser
    lacking = machine.prepare(chromium=block.chromium, driver=block.driver, headless=block.headless)
    if lacking:
        raise Setup(lacking)


def port_free(host: str, port: int) -> None:
    """Nobody listens there; the web process of an `lps up` that was just killed has 5 s to be gone.

    Raises:
        PortTaken: somebody does, or the address is not this machine's.
    """
    deadline = time.monotonic() + _LEFT_BEHIND_S
    until(lambda: _bound(host, port) is None or not _ends(port), deadline)
    error = _bound(host, port)
    if error is not None:
        who = _holder(port)
        by = f": {who.name()}, pid {who.pid}" if who else ""
        raise PortTaken(f"cannot listen on {host}:{port} ({error.strerror}{by}); --port takes another") from error


def _bound(host: str, port: int) -> OSError | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error
    return None


def _ends(port: int) -> bool:
    """Whether a web process of ours listens there that has lost its supervisor."""
    with contextlib.suppress(psutil.Error):
        who = _holder(port)
        return who is not None and "web:create_app()" in who.cmdline() and _orphan(who)
    return False


def _orphan(process: psutil.Process) -> bool:
    # gunicorn's workers have their master above them, which was the supervisor's child.
    master = process.parent()
    while master is not None and "web:create_app()" in master.cmdline():
        process, master = master, master.parent()
    return master is None or "cli" not in master.cmdline()


def _holder(port: int) -> psutil.Process | None:
    with contextlib.suppress(psutil.Error):
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port and found.pid:
                return psutil.Process(found.pid)
    return None
