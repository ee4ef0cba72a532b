"""An answer's body within its time and size, whatever its status: the library itself reads error bodies whole."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ANSWER_BYTES = 1_000_000


def bounded(response: Any) -> None:
    """Hook for every response of the HTTP client: bounds its body by the request's own time from now on."""
    import httpx2  # noqa: PLC0415 - most processes never ask a model

    class Bounded(httpx2.SyncByteStream):
        def __init__(self, stream: Any, timeout_s: float) -> None:
            self._stream, self._timeout_s = stream, timeout_s

        def __iter__(self) -> Iterator[bytes]:
            yield from within(self._stream, self._timeout_s)

        def close(self) -> None:
            self._stream.close()

    timeout = response.request.extensions.get("timeout") or {}
    response.stream = Bounded(response.stream, float(timeout.get("read") or 60))


def within(chunks: Iterable[bytes], timeout_s: float) -> Iterator[bytes]:
    """The chunks, until their time or MAX_ANSWER_BYTES is over.

    Raises:
        httpx2.ReadTimeout, httpx2.ReadError: it is.
    """
    import httpx2  # noqa: PLC0415 - as above

    end, size = time.monotonic() + timeout_s, 0
    for chunk in chunks:
        size += len(chunk)
        if time.monotonic() > end:
            raise httpx2.ReadTimeout("the body took too long")
        if size > MAX_ANSWER_BYTES + 65536:
            raise httpx2.ReadError("the body is too large")
        yield chunk
