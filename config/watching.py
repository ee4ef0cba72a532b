"""The blocks of what watches the malls' pages: evidence of what they answered, and canaries."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.kinds import Block, Count


class EvidenceConfig(Block):
    """What is kept of the malls' answers, and where."""

    dir: str
    keep: Literal["failures+winner", "all", "none"]
    keep_days: Count


class CanaryConfig(Block):
    """What happens to a mall whose known product no longer reads."""

    pause: bool
    drop: Annotated[float, Field(gt=0, le=1)]
