"""What somebody set, and which calls it strikes: shared by the malls' scenarios and the model's failures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self


class UnknownScenario(ValueError):
    """No such mall, scenario or argument."""


@dataclass(frozen=True, slots=True)
class Strike:
    """A misbehaviour as set."""

    name: str = "ok"
    value: str = ""
    after: int = 0
    first: int | None = None

    def holds(self, number: int) -> bool:
        """Whether it strikes the page or call number so-and-so (from 1) since it was set."""
        return number > self.after and (self.first is None or number <= self.after + self.first)

    def given(self, arg: str) -> Self:
        """With the arguments as written by a person: a comma list of its own value, `after=N` and `first=N`.

        Raises:
            UnknownScenario: one of them is none.
        """
        made = self
        for part in filter(None, arg.split(",")):
            word, sign, number = part.partition("=")
            if not sign:
                made = replace(made, value=part)
            elif word in ("after", "first") and number.isdigit():
                made = replace(made, after=int(number)) if word == "after" else replace(made, first=int(number))
            else:
                raise UnknownScenario(f"no such argument: {part!r}")
        return made
