"""How each mall refuses a visitor: Akamai's 303 bytes, Cloudflare's challenge, a ban, a closed API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox import markup
from sandbox.answer import JSON, Answer, html
from sandbox.malls import naver, st11

if TYPE_CHECKING:
    from sandbox.answer import Ask

_RAY = "9f0sandbox0c0de1"
_AKAMAI = """<html><head>
<title>Access Denied</title>
</head><body>
<h1>Access Denied</h1>

You don't have permission to access "http://www.coupang.sandbox/search?" on this server.<p>
Reference #18.5a2d1f17.1790000000.3c0ffee5
</p><p>https://errors.edgesuite.net/18.5a2d1f17.1790000000.3c0ffee5</p>


</body></html>"""
_CHALLENGE = """<!DOCTYPE html><html lang="ko"><head><!-- LPS sandbox --><meta charset="utf-8">
<title>Just a moment...</title>
<meta name="robots" content="noindex,nofollow"><meta http-equiv="refresh" content="360">
<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray={ray}"></script></head>
<body><div id="wrap"><div id="container"><div class="content"><section><div class="msg_error">
<p class="text_title">봇 확인 절차를 진행하고 있습니다.</p>
<p>잠시만 기다려 주세요. 확인이 끝나면 자동으로 이동합니다.</p>
<div class="cf-turnstile" data-sitekey="sandbox"></div><p>검토번호 : {ray}</p></div></section></div></div></div>
{script}</body></html>"""
_CLEAR = (
    "<script>setTimeout(function(){document.cookie='cf_clearance=sandbox; path=/';location.reload();},400);</script>"
)
_AGAIN = "<script>setTimeout(function(){location.reload();},400);</script>"


def refusal(ask: Ask, value: str) -> Answer:
    """403 in the mall's own way; Naver's with a reason, or `plain`."""
    if ask.mall == "naver":
        return (
            Answer(body=b"<!-- LPS sandbox --><h1>403 Forbidden</h1>", status=403)
            if value == "plain"
            else naver.failure("403")
        )
    if ask.mall == "coupang":
        return html(_AKAMAI, status=403, headers=(("Server", "AkamaiGHost"), ("Mime-Version", "1.0")))
    if ask.mall == "st11":
        return _banned(ask)
    return _cloudflare("")


def challenge(ask: Ask, _: str) -> Answer | None:
    """A challenge that a browser's script passes by itself: a cookie, and the page loads again."""
    return None if "cf_clearance=" in ask.headers.get("cookie", "") else _cloudflare(_CLEAR)


def endless(_: Ask, __: str) -> Answer:
    """A challenge that nothing passes."""
    return _cloudflare(_AGAIN)


def challenge_script() -> Answer:
    """The script that a challenge page loads."""
    return Answer(body=b"/* sandbox challenge */", content_type="text/javascript; charset=utf-8")


def _cloudflare(script: str) -> Answer:
    marks = (("Server", "cloudflare"), ("CF-RAY", f"{_RAY}-ICN"), ("cf-mitigated", "challenge"))
    return html(_CHALLENGE.format(ray=_RAY, script=script), status=403, headers=marks)


def _banned(ask: Ask) -> Answer:
    if "/api/" in ask.path:
        return Answer(body=b'{"sandbox":true,"isBanned":true,"data":[]}', status=403, content_type=JSON)
    return html(markup.page("st11", "11번가", st11.BANNED, base=ask.base), status=403)
