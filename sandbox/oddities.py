"""Pages that are odd rather than wrong: another status, another site, too deep, too slow, too many ads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sandbox import markup
from sandbox.answer import JSON, Answer, Ask, html
from sandbox.malls import MALLS, naver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.catalogue import SandboxOffer

ADS = 44
"""Percent of the cards that were ads on the real page that was counted (51 of 115)."""
THIRD = "/_third/"
"""Below this path a slow third party answers, after `ms` of its query."""
_FOREIGN = (
    '<!DOCTYPE html><html lang="en"><head><!-- LPS sandbox --><meta charset="utf-8"><title>Welcome</title></head>'
    "<body><h1>Choose your country or region</h1><p>This service is not available where you are.</p></body></html>"
)


def foreign(_: Ask, __: str) -> Answer:
    """Another site's page, as a visitor from abroad gets it."""
    return html(_FOREIGN)


def teapot(ask: Ask, _: str) -> Answer:
    """418, as Coupang's gate gives it to some robots."""
    return html(markup.page(ask.mall, "418", "<main>I'm a teapot</main>", base=ask.base), status=418)


def not_found(ask: Ask, _: str) -> Answer:
    """The mall's own 404."""
    if ask.mall == "naver":
        return naver.failure("SE05")
    body = "<main>요청하신 페이지를 찾을 수 없습니다.</main>"
    return html(markup.page(ask.mall, MALLS[ask.mall].BRAND, body, base=ask.base), status=404)


def nested(answer: Answer, _: Ask, value: str) -> Answer:
    """The page inside so many elements; JSON inside so many lists."""
    depth = int(value or "500000")
    if answer.content_type == JSON:
        return replace(answer, body=b"[" * depth + answer.body + b"]" * depth)
    return replace(answer, body=answer.body.replace(b"</head>", b"</head>" + b"<div>" * depth, 1))


def hung(answer: Answer, _: Ask, __: str) -> Answer:
    """A script in the page that never ends: a browser's renderer hangs."""
    return replace(answer, body=answer.body.replace(b"</body>", b"<script>for(;;);</script></body>", 1))


def slow_third_party(answer: Answer, ask: Ask, value: str) -> Answer:
    """A picture, a script and a frame of another host, which takes its time (ms, 6000)."""
    other = ask.base.split("//", 1)[1].split("/", 1)[0].replace("127.0.0.1", "localhost")
    url = f"http://{other}{THIRD}tag?ms={int(value or '6000')}"
    tags = f'<script async src="{url}&amp;js"></script><img src="{url}" alt=""><iframe src="{url}"></iframe>'
    return replace(answer, body=answer.body.replace(b"</body>", tags.encode() + b"</body>", 1))


def advertised(hits: Sequence[SandboxOffer]) -> list[SandboxOffer]:
    """The same goods, `ADS` percent of them paid places."""
    return [replace(one, ad=one.ad or n * ADS % 100 < ADS) for n, one in enumerate(hits)]


def baited(hits: Sequence[SandboxOffer]) -> list[SandboxOffer]:
    """The same goods, the cheapest right one at a tenth of its price: a slip of the page, or a bait."""
    cheapest = min((one for one in hits if one.why == "same"), key=lambda one: one.price_krw, default=None)
    return [replace(one, price_krw=one.price_krw // 10) if one is cheapest else one for one in hits]


def robots(mall: str) -> Answer:
    """What the mall says to robots: invented, in the form that real ones have."""
    search = MALLS[mall].SEARCH_PATHS[0]
    lines = (
        "# LPS sandbox: invented rules",
        "User-agent: *",
        "Disallow: /cart",
        f"Disallow: {search}" if mall == "auction" else f"Allow: {search}",
        "Crawl-delay: 1",
        "",
        "User-agent: BadBot",
        "Disallow: /",
        "",
    )
    return Answer(body="\n".join(lines).encode(), content_type="text/plain; charset=utf-8")
