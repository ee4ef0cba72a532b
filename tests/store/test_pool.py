"""Connections: a server whose machine vanished is noticed."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from store.pool import connect

if TYPE_CHECKING:
    from tests.conftest import Database


def test_a_vanished_server_is_noticed_within_half_a_minute(database: Database) -> None:
    """Keep-alive probes while nothing is sent, a bound on what is sent and never confirmed."""
    connection = connect(database.url, application="lps test")
    with socket.socket(fileno=os.dup(connection.fileno())) as line:
        idle, gap, count = (
            line.getsockopt(socket.IPPROTO_TCP, option)
            for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        )
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert 20_000 <= line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 30_000
    connection.close()
    assert idle + gap * count <= 30
