"""Every failure LPS names, and what is to be done about it.

    LpsError
    ├── Retry                the queue backs off and tries again
    │   ├── RateLimited          429, or the mall says "slower"
    │   ├── UpstreamTimeout      no answer in time
    │   ├── UpstreamDown         5xx, refused, reset
    │   └── DatabaseDown         PostgreSQL does not answer
    ├── Rotate               the session takes a new IP (own budget, inside the stage's deadline)
    │   ├── Blocked              the mall refuses this visitor
    │   ├── ProxyAuth            407 from the proxy
    │   └── ProxyDead            the proxy does not carry
    ├── Stop                 trying again cannot help: dead, with the reason
    │   ├── BadProduct           the submission itself is unusable
    │   ├── BadKey               credentials refused
    │   ├── Disabled             this source is switched off, or may not be visited
    │   │   └── NoKey                no credentials were given
    │   ├── NotRendered          the page never showed its result
    │   ├── Drift                the page is the mall's, but its cards no longer read
    │   ├── UnknownPage          none of the pages we know
    │   ├── ByteCap              the page would cost more bytes than a lease may
    │   ├── Paused               held back: its cap of the day is reached, or it refused too often
    │   ├── BrowserMissing       no Chromium, driver or display
    │   └── DeadlineExceeded     the stage's own time is over
    ├── EvidenceFailure      an answer cannot be kept, or not read back as it came; the search goes on
    ├── OverBudget           a cap does not leave what a step may cost
    ├── Unasked              the model gave no usable verdict: the rules decide alone, and the result says why
    │   ├── AiDown               unreachable, 5xx, or an answer that is none
    │   ├── AiTimeout            no answer in time
    │   ├── AiRateLimited        429: too many requests
    │   ├── AiNoQuota            the account has no money left
    │   ├── AiBadKey             the key is refused
    │   ├── AiRefused            the model refuses to answer
    │   ├── AiTruncated          the answer was cut off, or empty
    │   ├── AiInvalid            not the JSON that was asked for
    │   └── AiUntrusted          the model got the control offers wrong
    ├── NotFound             there is nothing of that name
    ├── Lost                 another worker owns this message now: end silently
    └── Setup                LPS cannot start; the text says what to do
        ├── BadConfig            one or more settings are wrong, all of them listed
        ├── SchemaMismatch       the database is older or newer than this code
        ├── NoRights             the database role may not read or write LPS's tables
        ├── WrongOrigin          a sandbox start on a live database, or the reverse
        └── PortTaken            someone else listens there

An error's docstring is its default message. `outcome` is the word a failed source carries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model import SourceOutcome

if TYPE_CHECKING:
    from decimal import Decimal

    from ruling import Usage


class LpsError(Exception):
    """LPS failed."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])


class SourceFailure(LpsError):
    """A source could not be read."""

    outcome: SourceOutcome = SourceOutcome.NET
    """What the source is marked with when no further try is left."""

    def __init__(self, message: str = "", *, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        """The finer name: `akamai`, `cloudflare`, `http_429`, … or empty."""
        self.proxy_bytes = 0
        """Bytes that went through the proxy for it."""
        self.seen: tuple[Any, ...] = ()
        """What was received before it failed (`crawl.Seen`), the answer that failed last; often nothing."""


class Retry(SourceFailure):
    """Trying again later may help."""

    after_s: float | None = None
    """Seconds the other side asked us to wait, if it did."""


class RateLimited(Retry):
    """The other side asks for fewer requests."""

    outcome = SourceOutcome.BLOCKED


class UpstreamTimeout(Retry):
    """No answer in time."""


class UpstreamDown(Retry):
    """The other side is not reachable or answers with a server error."""


class DatabaseDown(Retry):
    """PostgreSQL does not answer."""


class Rotate(SourceFailure):
    """This IP is of no more use here."""

    ip_request_no: int = 1
    """The how-manieth request of this IP to this mall it was."""


class Blocked(Rotate):
    """The mall refuses this visitor."""

    outcome = SourceOutcome.BLOCKED


class ProxyAuth(Rotate):
    """The proxy refuses our credentials."""

    outcome = SourceOutcome.PROXY_AUTH


class ProxyDead(Rotate):
    """The proxy does not carry the request."""

    outcome = SourceOutcome.PROXY_DEAD


class Stop(SourceFailure):
    """Trying again cannot help."""


class BadProduct(Stop):
    """The submitted product cannot be searched for."""


class BadKey(Stop):
    """The other side refuses our key."""

    outcome = SourceOutcome.BLOCKED


class Disabled(Stop):
    """This source is switched off."""

    outcome = SourceOutcome.DISABLED


class NoKey(Disabled):
    """No credentials were given for this source."""


class NotRendered(Stop):
    """The page never showed its result."""

    outcome = SourceOutcome.NOT_RENDERED


class Drift(Stop):
    """The mall's page no longer reads as it used to."""

    outcome = SourceOutcome.DRIFT


class UnknownPage(Stop):
    """The answer is none of the pages we know."""

    outcome = SourceOutcome.UNKNOWN_PAGE


class ByteCap(Stop):
    """The page would cost more bytes than a lease of a proxy port may."""


class Paused(Stop):
    """This source is held back for now."""

    outcome = SourceOutcome.PAUSED


class BrowserMissing(Stop):
    """No Chromium, driver or display to run a browser with."""


class DeadlineExceeded(Stop):
    """The time for this stage is over."""

    outcome = SourceOutcome.DEADLINE


class EvidenceFailure(LpsError):
    """An answer cannot be kept, or cannot be read back as it came."""


class OverBudget(LpsError):
    """A budget does not leave what this step may cost."""

    def __init__(self, scope: str, usd: Decimal) -> None:
        super().__init__(f"the {scope}'s budget does not leave {usd:f} USD: raise [money] {scope}_cap_usd, or wait")
        self.scope = scope
        """Which budget: "day", "hour", "job" or "key"."""


class Unasked(LpsError):
    """The model gave no usable verdict."""

    kind = "ai_error"
    """The word in the result: why the rules decided alone."""
    usage: Usage | None = None
    """What it was billed by; None when nobody knows, so that the worst case stands."""


class AiDown(Unasked):
    """The model's server is not reachable, or answers with an error."""


class AiTimeout(Unasked):
    """The model gave no answer in time."""

    kind = "ai_timeout"


class AiRateLimited(Unasked):
    """The model's server asks for fewer requests."""

    kind = "ai_rate_limited"


class AiNoQuota(Unasked):
    """The account at the model's provider has no money left: top it up there."""

    kind = "ai_no_quota"


class AiBadKey(Unasked):
    """The model's provider refuses the key: set OPENAI_API_KEY."""

    kind = "ai_bad_key"


class AiRefused(Unasked):
    """The model refuses to answer."""

    kind = "ai_refusal"


class AiTruncated(Unasked):
    """The model's answer was cut off, or empty."""

    kind = "ai_truncated"


class AiInvalid(Unasked):
    """The model's answer is not the JSON that was asked for."""

    kind = "ai_invalid"


class AiUntrusted(Unasked):
    """The model got the control offers wrong, so none of its verdicts counts."""

    kind = "ai_untrusted"


class NotFound(LpsError):
    """There is nothing of that name."""


class Lost(LpsError):
    """Another worker owns this message now."""


class Setup(LpsError):
    """LPS cannot start like this."""


class BadConfig(Setup):
    """The settings cannot be used."""


class SchemaMismatch(Setup):
    """The database has another schema than this code."""


class NoRights(Setup):
    """The database role may not do this."""


class WrongOrigin(Setup):
    """This database belongs to the other world (sandbox or live)."""


class PortTaken(Setup):
    """Another program listens on the port."""
