"""What is to be told to others (a search's end, a price), put into the outbox by the transaction that made it so."""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
from typing import TYPE_CHECKING

from alerts import callback as sender
from alerts.callback import BadAddress
from errors import LpsError
from store import callbacks, jobs
from store.callbacks import Letter
from tasks.runtime import runtime

if TYPE_CHECKING:
    from store.pool import Cursor

__all__ = ["BadAddress", "NotConfigured", "check", "ended", "redeliver", "send", "signing_secrets"]

EVENT = "job.finished"
_NAMES = uuid.UUID("6f0b6f7e-6d0b-4b57-9f7b-7f0f4a1c9d55")


class NotConfigured(LpsError):
    """Callbacks need [outbox] secret (LPS_OUTBOX__SECRET): the secret that all signing secrets are made of."""


def signing_secrets(signer: str) -> list[str]:
    """What a receiver checks signatures with, the newest first: made of the operator's own secret, stored nowhere.

    Raises:
        NotConfigured: the operator has set none.
    """
    block = runtime.settings.outbox
    masters = [block.secret.get_secret_value(), block.previous_secret.get_secret_value()]
    if not masters[0]:
        raise NotConfigured
    return [_secret(master, signer) for master in masters if master]


def _secret(master: str, signer: str) -> str:
    raw = hmac.new(master.encode(), f"callback:{signer}".encode(), hashlib.sha256).digest()
    return "whsec_" + base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def check(url: str) -> None:
    """Refuse an address that may not be called, before anything is stored.

    Raises:
        BadAddress: `kind` says why; what its name leads to is looked at when it is called.
        NotConfigured: nothing can be signed.
    """
    signing_secrets("")
    sender.check(url, runtime.settings.outbox.internal)


def ended(cur: Cursor, job_id: str) -> int:
    """A search has ended, in this transaction: put a message for everybody who asked; how many."""
    wished = callbacks.wished(cur, job_id)
    job = jobs.get(cur, job_id) if wished else None
    if job is None:
        return 0
    for url, signer in wished:
        # A search that is taken up again ends again: its round makes another event of it.
        event_id = str(uuid.uuid5(_NAMES, f"{job_id} {job.round} {int(job.status)} {url} {signer}"))
        body = {
            "event_id": event_id,
            "event": EVENT,
            "job_id": job_id,
            "status": int(job.status),
            "state": job.status.name.lower(),
            "product_code": job.product.code,
            "product_name": job.product.name,
            "specification": job.product.specification,
            "finished_at": job.finished_at.isoformat() if job.finished_at else None,
            "result": job.result,
            "error": job.error,
        }
        send(cur, Letter(outbox_id=event_id, url=url, body=body, event=EVENT, signer=signer, job_id=job_id))
    return len(wished)


def send(cur: Cursor, letter: Letter) -> bool:
    """Put a message into the outbox and have it delivered, in this transaction; False when it is there already."""
    if not callbacks.put(cur, letter, hours=runtime.settings.outbox.max_hours):
        return False
    _enqueue(cur, letter.outbox_id, 0)
    return True


def redeliver(outbox_id: str, *, signer: str | None = None) -> bool:
    """Deliver once more what was delivered or given up; False when there is nothing of that kind.

    Args:
        outbox_id: which.
        signer: whose it must be; None = anybody's.
    """
    with runtime.pool.transaction() as cur:
        tries = callbacks.again(cur, outbox_id, hours=runtime.settings.outbox.max_hours, signer=signer)
        if tries is None:
            return False
        _enqueue(cur, outbox_id, tries)
    return True


def _enqueue(cur: Cursor, outbox_id: str, tries: int) -> None:
    """Its id is made of how often it was tried: whoever asks twice at once asks once."""
    runtime.broker.enqueue_in(cur, runtime.broker.message("callback", outbox_id, job=outbox_id, round=tries))
