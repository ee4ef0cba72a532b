"""An OpenAI-compatible endpoint on loopback: a noisy oracle on the sandbox's own catalogue, and every way to fail.

`POST /ai/v1/chat/completions` reads the numbered titles out of the prompt and knows the right answer of each from the
catalogue. It then errs as often as gpt-4o-mini did in recorded answers: it finds .90 of the same products, .93 of what
it calls same is (at the recorded share of same products), and it misses more towards the end of a list. Which ones
depends on the seed and the titles alone; the request itself, word for word, it always knows. It is no language model:
outside the catalogue it compares words.
"""

from __future__ import annotations

import json
import random
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandbox.ai_failures import FAILURES, Failure, read_failure
from sandbox.answer import JSON, Answer
from sandbox.catalogue import products

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PATH = "/ai/v1/chat/completions"
SEED = 7
RECALL = 0.90
PRECISION = 0.93
SHARE_SAME = 0.172
"""Share of same products among the pairs whose answers were recorded."""
FALSE_SAME = RECALL * SHARE_SAME * (1 - PRECISION) / (PRECISION * (1 - SHARE_SAME))
"""How often a different product is called the same, so that PRECISION holds at that share: 0.014."""
SUBTLE = ("brand", "line", "variant", "model", "colour", "component")
"""Differences that only reading tells: called the same twice as often (0.026 recorded on such pairs)."""
BIAS = 0.5
"""The first title of a list is missed half as often as the mean, the last one and a half times."""
UNSURE_SHARE = 0.3
"""Share of the misses that are "unsure" instead of "different"."""
_REQUEST = re.compile(r"^Request: (.*)$", re.MULTILINE)
_LIST = re.compile(r"^<offers (\w+)>\n(.*)\n</offers \1>$", re.MULTILINE | re.DOTALL)
_REASON = {"same": "ok", "colour": "colour", "sold_out": "unknown", "preorder": "unknown", "rental": "unknown",
           "counterfeit": "brand", "compatible": "accessory", "keyword_stuffing": "unknown"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """What a prompt asks."""

    request: str
    titles: tuple[tuple[int, str], ...]


class Oracle:
    """The endpoint; safe to call from many threads. `counts` is what it would have billed."""

    def __init__(self, seed: int = SEED) -> None:
        self.seed = seed
        self._lock = threading.Lock()
        self._truth = _truth()
        self._titles = {title for _, title in self._truth}
        self.reset()

    def reset(self) -> None:
        """All counts to zero, no failure, nothing obeyed."""
        with self._lock:
            self._counts = {"requests": 0, "answers": 0, "input_tokens": 0, "output_tokens": 0, "titles": 0}
            self._failure, self._since = Failure(), 0
            self._obeyed: tuple[str, ...] = ()

    def fail(self, name: str, arg: str = "") -> None:
        """From now on answer like that. Raises UnknownScenario."""
        made = read_failure(name, arg)
        with self._lock:
            self._failure, self._since = made, 0

    def obey(self, titles: Iterable[str]) -> None:
        """Do what these titles say: they are the same product, everything else in their list is not."""
        with self._lock:
            self._obeyed = tuple(map(_key, titles))

    def counts(self) -> dict[str, int]:
        """requests, answers (those that are billed), input_tokens, output_tokens, titles; and the seed."""
        with self._lock:
            return self._counts | {"seed": self.seed}

    def answer(self, path: str, headers: Mapping[str, str], body: bytes) -> tuple[Answer, float]:
        """(answer, seconds to wait first) to a POST."""
        with self._lock:
            self._counts["requests"] += 1
            failure = self._failure if self._failure.holds(self._since + 1) else Failure()
            self._since += 1
        if path != PATH:
            return _error(404, "not_found", "no such endpoint"), 0.0
        if not headers.get("authorization", "").startswith("Bearer "):
            return _error(401, "invalid_api_key", "no key"), 0.0
        kind = FAILURES[failure.name]
        wait_s = kind.wait_s(failure.value) if kind.wait_s else 0.0
        if kind.instead:
            return kind.instead(failure.value), wait_s
        try:
            return self._completion(json.loads(body), failure), wait_s
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            return _error(400, "invalid_request_error", f"{type(error).__name__}: {error}"), 0.0

    def _completion(self, asked: dict[str, Any], failure: Failure) -> Answer:
        text = str(asked["messages"][-1]["content"])
        question = _question(text)
        said = self._decide(question)
        kind = FAILURES[failure.name]
        if kind.decisions:
            said = kind.decisions(said)
        content = json.dumps({"decisions": said}, separators=(",", ":"))
        message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
        if kind.choice:
            choice = kind.choice(choice)
        prompt = sum(_tokens(str(one["content"])) for one in asked["messages"])
        written = _tokens(str(choice["message"]["content"] or ""))
        self._bill(prompt, written, len(question.titles))
        answer = {
            "id": "chatcmpl-sandbox",
            "object": "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [choice],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": written,
                "total_tokens": prompt + written,
                "prompt_tokens_details": {"cached_tokens": 0},
            },
            "sandbox": True,
        }
        whole = Answer(body=json.dumps(answer).encode(), content_type=JSON)
        return kind.wire(whole) if kind.wire else whole

    def _bill(self, prompt: int, written: int, titles: int) -> None:
        with self._lock:
            for name, more in (
                ("answers", 1),
                ("input_tokens", prompt),
                ("output_tokens", written),
                ("titles", titles),
            ):
                self._counts[name] += more

    def _decide(self, question: Question) -> list[dict[str, Any]]:
        with self._lock:
            obeyed = self._obeyed
        loud = {n for n, title in question.titles if _key(title) and any(_key(title) in one for one in obeyed)}
        count = len(question.titles)
        out = []
        for place, (n, title) in enumerate(question.titles):
            verdict, reason = self._verdict(question.request, title, place / max(1, count - 1))
            if loud and not _plain(question.request, title):
                verdict, reason = ("same", "ok") if n in loud else ("different", "unknown")
            out.append({"i": n, "v": verdict, "r": reason})
        return out

    def _verdict(self, request: str, title: str, place: float) -> tuple[str, str]:
        """The oracle's word; `place` is 0 for the first title of the list and 1 for the last."""
        if _key(title) == _key(request):
            return "same", "ok"
        why = self._truth.get((_key(request), _key(title)))
        if why is None and _key(title) not in self._titles:
            return _by_words(request, title)
        draw = random.Random(f"{self.seed}|{_key(request)}|{_key(title)}")
        luck = draw.random()
        if why == "same":
            missed = (1 - RECALL) * (1 - BIAS + 2 * BIAS * place)
            if luck >= missed:
                return "same", "ok"
            return ("unsure", "unknown") if draw.random() < UNSURE_SHARE else ("different", "variant")
        misled = FALSE_SAME * (2 if why in SUBTLE else 1)
        return ("same", "ok") if luck < misled else ("different", _REASON.get(why or "", why or "unknown"))


def _truth() -> dict[tuple[str, str], str]:
    """(request, title) → `same` or the class of the difference, for every product against every title about it."""
    truth: dict[tuple[str, str], str] = {}
    for product in products():
        request = f"{product.request.name} | {product.request.specification}".rstrip(" |")
        for offer in product.offers:
            both = (_key(request), _key(offer.title))
            # What only a card says (sold out, for rent) is no matter of the title.
            if offer.why == "same" or both not in truth:
                truth[both] = offer.why
    return truth


def _key(text: str) -> str:
    """Letters and digits alone: however a prompt was cleaned, the title is recognised."""
    return "".join(char for char in text.casefold() if char.isalnum())[:80]


def _by_words(request: str, title: str) -> tuple[str, str]:
    asked, shown = set(re.findall(r"\w+", request.casefold())), set(re.findall(r"\w+", title.casefold()))
    return ("same", "ok") if asked <= shown else ("different", "unknown")


def _plain(request: str, title: str) -> bool:
    """A control offer: the request itself, or a title that shares no word with it."""
    if _key(title) == _key(request)[: len(_key(title))]:
        return True
    return not set(re.findall(r"[^\W\d]{2,}", request.casefold())) & set(re.findall(r"[^\W\d]{2,}", title.casefold()))


def _question(text: str) -> Question:
    request, listed = _REQUEST.search(text), _LIST.search(text)
    if request is None or listed is None:
        raise ValueError("no request and list in the last message")
    rows = [line.partition("\t") for line in listed[2].split("\n")]
    return Question(request[1].strip(), tuple((int(n), title) for n, _, title in rows))


def _tokens(text: str) -> int:
    """About what a tokenizer counts: four Latin letters or 1.4 Hangul syllables a token."""
    return 1 + sum(1 for _ in re.finditer(r"[가-힣]{1,2}|[A-Za-z]{1,4}|\d{1,3}|[^\w\s]", text))


def _error(status: int, code: str, message: str) -> Answer:
    body = {"error": {"message": message, "type": code, "code": code}, "sandbox": True}
    return Answer(body=json.dumps(body).encode(), status=status, content_type=JSON)
