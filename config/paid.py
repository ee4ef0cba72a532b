"""The blocks of what costs money at the model's provider, and of how much may be spent at all."""

from __future__ import annotations

from typing import Literal

from pydantic import SecretStr  # noqa: TC002 - pydantic reads it at run time

from config.kinds import Amount, Block, Count, ModelPrices, Seconds, WebAddress, Word, on_this_machine


class AiConfig(Block):
    """The model that judges what the rules cannot."""

    enabled: bool
    api_key: SecretStr
    base_url: WebAddress
    model: Word
    timeout_s: Seconds
    max_offers: Count
    max_calls: Count
    deadline_s: Seconds
    prices: ModelPrices

    @property
    def why_off(self) -> str:
        """Why no model is asked; empty when one is."""
        return "switched off" if not self.enabled else "" if self.api_key.get_secret_value() else "no key"

    @property
    def stand_in(self) -> bool:
        """Whether a server on this machine stands in for the provider."""
        return on_this_machine(self.base_url)


class MoneyConfig(Block):
    """What may be spent; 0 is no cap."""

    job_cap_usd: Amount
    hour_cap_usd: Amount
    day_cap_usd: Amount
    over: Literal["rules", "refuse"]
    unsettled_s: Seconds
