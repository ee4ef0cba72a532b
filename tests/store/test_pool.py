"""Connections: a server whose machine vanished is noticed."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from errors import BadConfig
from store.pool import Pool, connect

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


def test_a_connection_that_died_while_idle_is_never_handed_out(database: Database) -> None:
    """After a restart of the server the first caller gets a new one, not an error."""
    pool = Pool(database.url, size=2, application="lps test idle")
    with pool.autocommit() as cur:
        cur.execute("SELECT 1")
    assert database.rows("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                         " WHERE application_name = 'lps test idle'") == [(True,)]  # fmt: skip
    with pool.transaction() as cur:
        cur.execute("SELECT 1")
        assert cur.fetchone() == (1,)
    pool.close()


def test_an_address_that_cannot_be_read_is_a_wrong_setting() -> None:
    """The parameter is named where it is known; the password in the address never is."""
    with pytest.raises(BadConfig, match='query parameter: "sslmod"'):
        connect("postgresql://lps:geheim@127.0.0.1/x?sslmod=require", application="lps test")
    with pytest.raises(BadConfig, match="it cannot be read") as error:
        connect("postgresql://lps:ge%zzheim@127.0.0.1/x", application="lps test")
    assert "zz" not in str(error.value)
