"""The one owner of openai: a question to any server that speaks OpenAI's chat completions, as one typed answer.

One request a call, the library's own retries off, ended at its deadline however slowly the server drips. Every failure
is an `Unasked` that knows what it was billed by, where that is known.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ai.client_bounds import MAX_ANSWER_BYTES, bounded
from ai.prompt import schema
from errors import (
    AiBadKey,
    AiDown,
    AiInvalid,
    AiNoQuota,
    AiRateLimited,
    AiRefused,
    AiTimeout,
    AiTruncated,
    Unasked,
)
from ruling import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ai.prompt import Prompt
    from config import AiConfig


MOST_TOKENS = 10_000_000
"""No call is billed for more; a server that says so, or says less than nothing, says nothing."""
_GRACE_S = 1.0
_REASONING = ("o1", "o3", "o4", "gpt-5")
_ROOM_TO_THINK = 2000


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, not yet read."""

    text: str
    usage: Usage | None
    """None where the server does not say what it bills, or says what cannot be."""


class Client:
    """Asks one model; safe to use from many threads. `close` gives its connections back."""

    def __init__(self, settings: AiConfig) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._api: Any = None

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        """One call.

        Args:
            prompt: what is asked.
            timeout_s: seconds until it is given up; `[ai] timeout_s` at most.

        Raises:
            Unasked: there is no usable answer; its type says why.
        """
        timeout_s = min(timeout_s, self._settings.timeout_s)
        end = time.monotonic() + timeout_s
        import httpx2  # noqa: PLC0415 - as below
        import openai  # noqa: PLC0415 - half a second to load, and most processes never ask

        # Headers that drip are seen by nobody else: the connections are closed under them.
        guard = threading.Timer(timeout_s + _GRACE_S, self.close)
        guard.daemon = True
        guard.start()
        try:
            with self._open().chat.completions.with_streaming_response.create(
                timeout=timeout_s, **self._arguments(prompt)
            ) as response:
                return _reply(_body(response.iter_bytes(), end, timeout_s))
        except (openai.APITimeoutError, httpx2.TimeoutException):
            raise AiTimeout(f"the model gave no answer within {timeout_s:g} s") from None
        except openai.APIStatusError as error:
            raise _refusal(error.status_code, error.code, error.message) from None
        except openai.OpenAIError as error:
            if time.monotonic() > end:
                raise AiTimeout(f"the model gave no answer within {timeout_s:g} s") from None
            raise _unbilled(AiDown(f"the model's server is not reachable ({type(error).__name__})")) from None
        except httpx2.HTTPError as error:
            if time.monotonic() > end:
                raise AiTimeout(f"the model gave no answer within {timeout_s:g} s") from None
            raise AiDown(f"the model's answer broke off ({type(error).__name__})") from None
        finally:
            guard.cancel()

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            api, self._api = self._api, None
        if api is not None:
            api.close()

    def _open(self) -> Any:
        import openai  # noqa: PLC0415 - as above

        with self._lock:
            if self._api is None:
                settings = self._settings
                # A proxy of the environment leads to no server on this machine.
                # A redirect is no answer: the question goes to the named server alone.
                http = openai.DefaultHttpxClient(
                    trust_env=not settings.stand_in, follow_redirects=False, event_hooks={"response": [bounded]}
                )
                self._api = openai.OpenAI(
                    api_key=settings.api_key.get_secret_value(),
                    base_url=settings.base_url,
                    max_retries=0,
                    http_client=http,
                )
            return self._api

    def _arguments(self, prompt: Prompt) -> dict[str, Any]:
        name = self._settings.model
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        asked: dict[str, Any] = {
            "model": name,
            "messages": messages,
            "response_format": {"type": "json_schema", "json_schema": schema()},
        }
        if name.startswith(_REASONING):
            return asked | {"max_completion_tokens": answer_limit(prompt, name)}
        return asked | {"max_tokens": answer_limit(prompt, name), "temperature": 0}


def _body(chunks: Iterable[bytes], end: float, timeout_s: float) -> bytes:
    """The whole answer, however slowly it drips, or the error that ends the waiting."""
    body = b""
    for chunk in chunks:
        body += chunk
        if time.monotonic() > end:
            raise AiTimeout(f"the model's answer was not complete after {timeout_s:g} s")
        if len(body) > MAX_ANSWER_BYTES:
            raise AiInvalid("the model's answer is longer than 1 MB")
    return body


def answer_limit(prompt: Prompt, model: str) -> int:
    """Output tokens a call may take: the answer's own, and room to think for models that do."""
    return prompt.max_tokens + (_ROOM_TO_THINK if model.startswith(_REASONING) else 0)


def _refusal(status: int, code: str | None, message: str) -> Unasked:
    """An HTTP error as ours; nothing was billed."""
    if status == 429:
        quota = code == "insufficient_quota" or "quota" in message
        return _unbilled(AiNoQuota() if quota else AiRateLimited())
    if status in (401, 403):
        return _unbilled(AiBadKey())
    return _unbilled(AiDown(f"the model's server answers with HTTP {status}: {' '.join(message.split())[:200]}"))


def _unbilled(error: Unasked) -> Unasked:
    error.usage = Usage()
    return error


def _reply(body: bytes) -> Reply:
    """The text of an answer with its usage.

    Raises:
        AiRefused, AiTruncated, AiInvalid: there is none; what it was billed by goes with the error.
    """
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        message = choice["message"]
        content, refusal, finish = message.get("content"), message.get("refusal"), choice.get("finish_reason")
        usage = _usage(answer.get("usage"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError):
        raise AiInvalid("the model's server answers with something else than a chat completion") from None
    error: Unasked
    if refusal or finish == "content_filter":
        error = AiRefused()
    elif finish == "length" or not content:
        error = AiTruncated()
    elif not isinstance(content, str):
        error = AiInvalid()
    else:
        return Reply(content, usage)
    error.usage = usage
    raise error


def _usage(row: dict[str, Any] | None) -> Usage | None:
    if row is None:
        return None
    details = row.get("prompt_tokens_details") or {}
    given, cached, told = (
        int(count) for count in (row["prompt_tokens"], details.get("cached_tokens") or 0, row["completion_tokens"])
    )
    if not (0 <= given <= MOST_TOKENS and 0 <= told <= MOST_TOKENS):
        return None
    return Usage(input_tokens=given, cached_tokens=max(0, min(given, cached)), output_tokens=told)
