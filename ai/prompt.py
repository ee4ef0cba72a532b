"""What a model is shown and what its answer means.

One call judges one request against many titles: one plain line each, in an order that depends on the search alone,
never on a price, and no price anywhere. Two control offers, one surely the product and one surely not, stand among
them.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import AiInvalid, AiUntrusted
from model import Reason, Same

if TYPE_CHECKING:
    from collections.abc import Sequence

PROMPT_VERSION = "1"
"""Part of every cached decision: raise it with any change of the text or of what is shown."""
MAX_TITLE = 120
MAX_REQUEST = 400
TOKENS_AN_OFFER = 40
"""Room in the answer; one decision takes about 24."""
REASONS = ("ok", "brand", "line", "variant", "model", "size", "count", "colour", "bundle", "accessory", "refill",
           "component", "condition", "origin", "option", "unknown")  # fmt: skip
_DIFFERENT = (
    "모나미 153 볼펜 0.7mm 흑색 12자루",
    "크리넥스 3겹 데코 화장지 30m 30롤",
    "로지텍 무선 마우스 M185 그레이",
    "오뚜기 진라면 매운맛 120g 5개",
    "나이키 남성 러닝화 270mm 블랙",
)
"""Control offers: of five, one has nothing in common with the request."""
_MARKS = re.compile(r"[<>{}`|\\]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call, ready to be sent."""

    system: str
    user: str
    titles: tuple[str, ...]
    """What was asked, in the caller's order; controls are not among them."""
    numbers: tuple[int, ...]
    """The number each of `titles` has in the list."""
    same: int
    """The number of the control offer that is the product."""
    different: int
    """The number of the one that is not."""

    @property
    def max_tokens(self) -> int:
        """The answer's limit."""
        return TOKENS_AN_OFFER * (len(self.titles) + 2) + 40


@dataclass(frozen=True, slots=True)
class Said:
    """What the model said of one title."""

    verdict: Same
    reason: Reason


@cache
def instructions() -> str:
    """The system text."""
    return (Path(__file__).parent / "prompts" / "match.md").read_text(encoding="utf-8").strip()


def cleaned(text: str, most: int = MAX_TITLE) -> str:
    """A title as a model may see it: one line, no control, joining or direction characters, no mark-up, cut.

    The marker lines that enclose titles hold angle brackets, so that no title can imitate one.
    """
    shown = "".join(char if unicodedata.category(char)[0] not in "CZ" else " " for char in text if _visible(char))
    return " ".join(_MARKS.sub(" ", shown).split())[:most].rstrip()


def _visible(char: str) -> bool:
    return unicodedata.category(char) not in ("Cf", "Cs", "Co", "Cn")


def build(request: str, titles: Sequence[str], seed: str) -> Prompt:
    """The prompt for one request and its distinct titles; the same seed gives the same prompt."""

    def place(text: str) -> bytes:
        return hashlib.sha256(f"{seed}\0{text}".encode("utf-8", "replace")).digest()

    request = cleaned(request, MAX_REQUEST)
    controls = (request[:MAX_TITLE], _unlike(request, seed))
    listed = [(cleaned(title), at) for at, title in enumerate(titles)] + [(controls[0], -1), (controls[1], -2)]
    listed.sort(key=lambda one: place(f"{one[1]}\0{one[0]}"))
    number = {at: n for n, (_, at) in enumerate(listed, 1)}
    nonce = hashlib.sha256(f"nonce\0{seed}".encode("utf-8", "replace")).hexdigest()[:12]
    lines = "\n".join(f"{n}\t{text}" for n, (text, _) in enumerate(listed, 1))
    user = f"Request: {request}\n<offers {nonce}>\n{lines}\n</offers {nonce}>"
    numbers = tuple(number[at] for at in range(len(titles)))
    return Prompt(instructions(), user, tuple(titles), numbers, number[-1], number[-2])


def _unlike(request: str, seed: str) -> str:
    """A control title that shares no word, and no part of one, with the request."""
    words = set(re.findall(r"[^\W\d_]{2,}", request.casefold()))
    shares = [title for title in _DIFFERENT if not any(word in title.casefold() for word in words)]
    start = hashlib.sha256(seed.encode("utf-8", "replace")).digest()[0]
    return shares[start % len(shares)] if shares else "개업 축하 화환 3단 대형"


def schema() -> dict[str, Any]:
    """The strict JSON schema of the answer: numbers and words from lists, no free text."""
    decision = {
        "type": "object",
        "additionalProperties": False,
        "required": ["i", "v", "r"],
        "properties": {
            "i": {"type": "integer"},
            "v": {"type": "string", "enum": [verdict.value for verdict in Same]},
            "r": {"type": "string", "enum": list(REASONS)},
        },
    }
    return {
        "name": "match",
        "strict": True,
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["decisions"],
            "properties": {"decisions": {"type": "array", "items": decision}},
        },
    }


def read(prompt: Prompt, text: str) -> tuple[Said, ...]:
    """What the answer says of each of the prompt's titles; a number that is missing or stands twice is unsure.

    Raises:
        AiInvalid: not the JSON of the schema; it is never repaired.
        AiUntrusted: a control offer came back wrong.
    """
    said: dict[int, Said | None] = {}
    for row in _rows(text):
        number, verdict, reason = row
        # None: it stands twice, and which of them was meant cannot be known.
        said[number] = None if number in said else Said(verdict, reason)
    same, different = said.get(prompt.same), said.get(prompt.different)
    if not same or same.verdict is not Same.SAME or not different or different.verdict is not Same.DIFFERENT:
        raise AiUntrusted
    unsure = Said(Same.UNSURE, Reason.UNKNOWN)
    return tuple(said.get(number) or unsure for number in prompt.numbers)


def _rows(text: str) -> list[tuple[int, Same, Reason]]:
    try:
        rows = json.loads(text)["decisions"]
        return [(_number(row["i"]), Same(row["v"]), Reason(_known(row["r"]))) for row in rows]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise AiInvalid(f"the model's answer is not the JSON that was asked for ({type(error).__name__})") from None


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("no number")  # noqa: TRY004 - one word for every answer that is not as asked
    return value


def _known(reason: str) -> str:
    if reason not in REASONS:
        raise ValueError("no reason of the list")
    return reason
