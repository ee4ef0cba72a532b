"""The sockets of threads that wait for an HTTP answer, so that another thread can cut them.

A thread that is blocked in `recv` cannot be interrupted; shutting its socket down wakes it with an error.
"""

from __future__ import annotations

import socket
from collections import defaultdict
from contextlib import suppress
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

if TYPE_CHECKING:
    from urllib3 import PoolManager
    from urllib3.connection import HTTPConnection


class Wires:
    """The connections of each thread; right only where no thread uses a connection of another."""

    def __init__(self) -> None:
        self._of: dict[int, WeakSet[HTTPConnection]] = defaultdict(WeakSet)

    def watch(self, manager: PoolManager) -> None:
        """Know what it opens from now on."""
        pools = (HTTPConnectionPool, HTTPSConnectionPool)
        manager.pool_classes_by_scheme = {pool.scheme: self._watched(pool) for pool in pools}

    def cut(self, thread: int) -> None:
        """End every exchange of the thread of this ident; it gets a connection error."""
        for connection in list(self._of.get(thread, ())):
            line = connection.sock
            if line is not None:
                with suppress(OSError):
                    # The plain shutdown: TLS's own would take its state away from under the reader.
                    socket.socket.shutdown(line, socket.SHUT_RDWR)

    def _watched(self, pool: type[HTTPConnectionPool]) -> type[HTTPConnectionPool]:
        of = self._of
        plain: Any = pool.ConnectionCls

        class Connection(plain):  # type: ignore[misc]  # a class that depends on the scheme
            def connect(self) -> None:
                of[get_ident()].add(self)
                super().connect()

        class Pool(pool):  # type: ignore[misc, valid-type]  # as above
            ConnectionCls = Connection

        return Pool
