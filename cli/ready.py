"""What must hold before anything is started: each failure is one line that says what to do."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

import psutil

from cli import machine
from errors import PortTaken, Setup

if TYPE_CHECKING:
    from config import Settings


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
    """Nobody listens there.

    Raises:
        PortTaken: somebody does, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(
                f"cannot listen on {host}:{port} ({error.strerror}{_who(port)}); --port takes another"
            ) from error


def _who(port: int) -> str:
    with contextlib.suppress(psutil.Error):
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port and found.pid:
                return f": {psutil.Process(found.pid).name()}, pid {found.pid}"
    return ""
