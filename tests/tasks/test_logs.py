"""The log: no forged line, no secret, every event in docs/events.md."""

from __future__ import annotations

import ast
import io
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
import structlog

import config
from config import secrets
from tasks import logs
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

ENV = {
    "LPS_DATABASE__URL": "postgresql://kim:pw-hunter2@h:5432/d",
    "OPENAI_API_KEY": "sk-hunter2",
    "NAVER_KEYS": "id1:nv-hunter2",
    "LPS_ALERT_WEBHOOK": "https://hooks.example/hk-hunter2",
}


@pytest.fixture(params=["json", "console"])
def stream(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """What is logged, in one of both forms."""
    settings = config.load(env={**ENV, "LPS_LOG__FORMAT": request.param})
    root = logging.getLogger()
    was, level, before = list(root.handlers), root.level, structlog.get_config()
    logs.setup(settings.log, secrets.known(settings))
    text = io.StringIO()
    handler: Any = root.handlers[0]
    handler.setStream(text)
    yield text
    root.handlers[:] = was
    root.setLevel(level)
    structlog.configure(**before)


def test_no_text_from_outside_begins_a_line(stream: io.StringIO) -> None:
    """A line break, an escape and a direction mark in a title are one line."""
    structlog.get_logger("t").info("read", title="생수\nFAKE\x1b[31m\u202eevil")
    logging.getLogger("lib").warning("got %s", "a\r\nFAKE")
    lines = stream.getvalue().splitlines()
    assert 2 == len(lines)
    assert not any(char in stream.getvalue() for char in "\x1b\u202e\r")
    assert "생수" in lines[0]


def test_no_secret_is_logged_wherever_it_stands(stream: io.StringIO) -> None:
    """In an event, a value, an object, a library's line and a traceback."""
    log = structlog.get_logger("t")
    log.info("calling https://hooks.example/hk-hunter2", key="sk-hunter2", error=ValueError("pw-hunter2"))
    logging.getLogger("lib").warning("login %s", "nv-hunter2")
    try:
        int("pw-hunter2")
    except ValueError:
        log.exception("failed")
    assert "hunter2" not in stream.getvalue()
    assert 5 <= stream.getvalue().count("********")


def test_json_lines_are_json_with_korean_as_it_is() -> None:
    """Numbers stay numbers."""
    mask = logs._Mask(("hunter2",))
    event = mask(None, "info", {"n": 3, "ok": True, "none": None, "text": "생수 hunter2"})
    assert {"n": 3, "ok": True, "none": None, "text": "생수 ********"} == json.loads(json.dumps(event))


def events() -> set[str]:
    """The first words of every line the program logs."""
    found = set()
    for package in ("tasks", "crawl", "ai", "store", "alerts", "web", "embedded"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                    continue
                on = node.func.value
                if node.func.attr in ("info", "warning", "error", "exception") and getattr(on, "id", "") in (
                    "log",
                    "_log",
                ):
                    found.add(_words(node.args[0]))
    return found - {""}


def _words(node: ast.expr) -> str:
    """A literal as it is, its changing parts as …."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""


def test_every_event_is_documented() -> None:
    """docs/events.md has each line that a worker, the clock or the web can log."""
    text = (ROOT / "docs/events.md").read_text(encoding="utf-8")
    assert [] == sorted(event for event in events() if event.strip("… ") and f"`{event}`" not in text)
