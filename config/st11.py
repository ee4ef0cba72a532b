"""The block of 11st, which has three addresses and an interface of its own."""

from pydantic import SecretStr

from config.blocks import PageMallConfig
from config.kinds import WebAddress, on_this_machine


class St11Config(PageMallConfig):
    """11st: read from its JSON, shown to people elsewhere."""

    shop_url: WebAddress
    api_key: SecretStr
    api_url: WebAddress

    @property
    def why_disabled(self) -> str:
        """As for every mall; a key of its open API is its own permission."""
        return super().why_disabled if not self.enabled or not self.api_key.get_secret_value() else ""

    @property
    def open_api(self) -> str:
        """Where the open API is, the stand-in's too; empty without a key."""
        where = self.base_url if self.stand_in and not on_this_machine(self.api_url) else self.api_url
        return where if self.api_key.get_secret_value() else ""

    @property
    def pages_url(self) -> str:
        """Where people search: whatever stands in for its data stands in for its pages too."""
        return self.base_url if self.stand_in and not on_this_machine(self.shop_url) else self.shop_url
