"""One word of a request, as the gate looks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


@dataclass(frozen=True, slots=True)
class Core:
    """One word of the request that an offer should show."""

    text: str
    raw: str
    """As the buyer wrote it."""
    pattern: re.Pattern[str]
    """Finds it in a squeezed title, in either script and in near spellings."""
    kind: str = ""
    """"brand", "type", "variant", "plain", "attribute" or "" (distinctive)."""
    unit: str = ""
    bracket: bool = False
    """Stands in brackets, as variants of one article do."""
    required: bool = True
    """False for words of the specification that only describe."""
