"""The header Idempotency-Key: what is sent twice under one key is done once."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from flask import request

import store.idempotency
from web import answers, auth, submission
from web.parts import here
from web.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


def once(work: Callable[[], tuple[dict[str, Any], int]]) -> Response:
    """Do the work and answer with its members and status; or answer what was answered under this key before.

    Raises:
        Problem: LPS_BAD_INPUT, LPS_KEY_REUSED (another request under this key), LPS_IN_PROGRESS, and those of `work`.
    """
    sent = request.headers.get(HEADER)
    if sent is None:
        return answers.json(*work())
    if not _KEY.fullmatch(sent):
        raise Problem("LPS_BAD_INPUT", errors=[submission.error(HEADER, "wrong_form")])
    key = hashlib.sha256(f"{auth.current().who}\n{request.path}\n{sent}".encode()).hexdigest()
    asked = hashlib.sha256(request.get_data()).hexdigest()
    with here().pool.autocommit() as cur:
        known = store.idempotency.begin(cur, key, asked)
    if known:
        return _again(known, asked)
    try:
        members, status = work()
    except BaseException:
        with here().pool.autocommit() as cur:
            store.idempotency.forget(cur, key)
        raise
    with here().pool.autocommit() as cur:
        store.idempotency.finish(cur, key, status, members)
    return answers.json(members, status)


def _again(known: store.idempotency.Known, asked: str) -> Response:
    if known.request_hash != asked:
        raise Problem("LPS_KEY_REUSED")
    if known.answer is None or known.status is None:
        raise Problem("LPS_IN_PROGRESS", headers={"Retry-After": "1"})
    return answers.json(known.answer, known.status, {"Idempotency-Replayed": "true"})
