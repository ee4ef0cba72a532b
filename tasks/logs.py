"""One log for LPS and its libraries: a line an event on stderr, for people or as JSON, unbuffered.

No text from outside can forge a line: control characters are replaced, JSON escapes the rest.
"""

from __future__ import annotations

import logging
import re
import sys
from typing import TYPE_CHECKING, Any

import structlog

from config.secrets import hidden

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from config import LogConfig

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_QUIET = ("urllib3", "selenium", "undetected_chromedriver", "websockets", "openai", "httpx")


def setup(settings: LogConfig, secrets: tuple[str, ...] = ()) -> None:
    """Log from here on as the settings say, without these texts; calling it again replaces what was set."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=False),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    if settings.format == "json":
        renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    else:
        renderer = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, sort_keys=False)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, one_line, _Mask(secrets), renderer],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def one_line(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace what could end a line or move the cursor; a traceback keeps its line breaks."""
    for key, value in event.items():
        if isinstance(value, str) and key != "exception":
            event[key] = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)
    return event


class _Mask:
    """Hides secrets in every text of a line, tracebacks and libraries' lines included."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._secrets = secrets

    def __call__(self, _logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        for key, value in event.items():
            if not isinstance(value, bool | int | float | None):
                event[key] = hidden(value if isinstance(value, str) else str(value), self._secrets)
        return event
