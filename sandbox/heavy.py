"""A page as heavy as a real one: pictures, style sheet, script, font, a frame of advertisements, counting pixels.

The weights are those of the page that was measured: 72 cards in 126 KB of HTML, 72 pictures of 24 KB, 305 KB CSS,
1.07 MB script, 180 KB font, a third party's frame with 20 pictures, 20 pixels. Text is sent compressed to who takes it.
"""

from __future__ import annotations

import gzip
import random
import zlib
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from sandbox.answer import JSON, Answer, html

if TYPE_CHECKING:
    from sandbox.answer import Ask

ADS = "/_ads/"
"""Below this path of any host an advertiser answers."""
AD_HOST = "ad.doubleclick.net"
HTML_BYTES = 126_000
CARDS = 72
PICTURES = 72
PICTURE_BYTES = 24_000
CSS_BYTES = 305_000
SCRIPT_BYTES = 1_070_000
FONT_BYTES = 180_000
AD_PICTURES = 20
AD_PICTURE_BYTES = 15_000
PIXELS = 20
_FOR_A_DAY = (("Cache-Control", "public, max-age=86400"),)
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwx", "aeiou"
_SYLLABLES = [first + second for first in _CONSONANTS for second in _VOWELS]
_PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")


def weighed(answer: Answer, ask: Ask, _: str) -> Answer:
    """The mall's page with all that a real one loads beside it; JSON stays as it is."""
    if answer.content_type == JSON:
        return answer
    head = (
        f'<link rel="stylesheet" href="{ask.base}/static/heavy.css">'
        f'<script src="{ask.base}/static/heavy.js" defer></script></head>'
    )
    advertiser = _advertiser(ask.base)
    pictures = "".join(f'<img src="{ask.base}/img/heavy-{n}.png" alt="">' for n in range(PICTURES))
    pixels = "".join(f'<img src="{advertiser}pixel-{n}.gif" alt="">' for n in range(PIXELS))
    frame = f'<iframe src="{advertiser}frame" width="300" height="250"></iframe>'
    state = f'<script type="application/json" id="state">{{"filler":"{{}}"}}</script>{pictures}{frame}{pixels}</body>'
    body = answer.body.replace(b"</head>", head.encode(), 1)
    room = max(0, HTML_BYTES - len(body) - len(state))
    body = body.replace(b"</body>", state.replace("{}", _words(room, 1)).encode(), 1)
    return packed(replace(answer, body=body), ask)


def packed(answer: Answer, ask: Ask) -> Answer:
    """The same, compressed if the visitor takes that."""
    return _packed(answer) if "gzip" in ask.headers.get("accept-encoding", "") else answer


@cache
def _packed(answer: Answer) -> Answer:
    headers = (*answer.headers, ("Content-Encoding", "gzip"))
    return replace(answer, body=gzip.compress(answer.body, 6, mtime=0), headers=headers)


def asset(ask: Ask) -> Answer | None:
    """A file of the mall's own that a heavy page loads."""
    name = ask.path.rpartition("/")[2]
    if not name.startswith("heavy"):
        return None
    if name.endswith(".png"):
        return _picture(PICTURE_BYTES, name)
    if name.endswith(".woff2"):
        return Answer(body=random.Random(2).randbytes(FONT_BYTES), content_type="font/woff2", headers=_FOR_A_DAY)
    return packed(_css(f"{ask.base}/static/heavy.woff2") if name.endswith(".css") else _script(), ask)


def advertisement(path: str) -> Answer:
    """What the advertiser answers: the frame, its pictures, the pixels."""
    name = path.removeprefix(ADS)
    if name.endswith(".gif"):
        return Answer(body=_PIXEL, content_type="image/gif", headers=(("Cache-Control", "no-store"),))
    if name.endswith(".png"):
        return _picture(AD_PICTURE_BYTES, name)
    pictures = "".join(f'<img src="{ADS}ad-{n}.png" alt="">' for n in range(AD_PICTURES))
    return html(f"<!DOCTYPE html><!-- LPS sandbox --><title>ad</title>{pictures}")


def _advertiser(base: str) -> str:
    """Another host: a real advertiser's where malls have their real names, else this machine's other name."""
    host = base.split("//", 1)[1].split("/", 1)[0]
    name, _, port = host.partition(":")
    return f"http://localhost:{port}{ADS}" if name == "127.0.0.1" else f"http://{AD_HOST}{ADS}"


@cache
def _words(size: int, seed: int) -> str:
    """So many characters that compress about as well as a page's data."""
    draw = random.Random(seed)
    parts: list[str] = []
    length = 0
    while length < size:
        word = "".join(draw.choices(_SYLLABLES, k=draw.randint(2, 5))) + draw.choice(("_", ".", "-", " "))
        parts.append(word)
        length += len(word)
    return "".join(parts)[:size]


@cache
def _css(font: str) -> Answer:
    rules = [f'@font-face{{font-family:"heavy";src:url("{font}") format("woff2")}}body{{font-family:heavy,sans-serif}}']
    size, draw = len(rules[0]), random.Random(3)
    while size < CSS_BYTES:
        name = "".join(draw.choices(_SYLLABLES, k=4))
        rule = f".{name}-{draw.randrange(9999)}{{margin:{draw.randrange(40)}px;color:#{draw.randrange(1 << 24):06x}}}\n"
        rules.append(rule)
        size += len(rule)
    return Answer(body="".join(rules).encode(), content_type="text/css; charset=utf-8", headers=_FOR_A_DAY)


@cache
def _script() -> Answer:
    """Functions that are parsed and mostly not run, as in a real bundle, and a sensor cookie."""
    lines = ['/* sandbox */document.cookie="sensor="+Date.now()+"; path=/";var bundle={};\n']
    size, draw = len(lines[0]), random.Random(4)
    while size < SCRIPT_BYTES:
        name = "".join(draw.choices(_SYLLABLES, k=4)) + str(draw.randrange(9999))
        work = f"var c=a*{draw.randrange(9999)}+b;return c>{draw.randrange(999)}"
        line = f'bundle.{name}=function(a,b){{{work}?"{name}":b}};\n'
        lines.append(line)
        size += len(line)
    return Answer(body="".join(lines).encode(), content_type="text/javascript; charset=utf-8", headers=_FOR_A_DAY)


@cache
def _picture(size: int, name: str) -> Answer:
    """A picture of one dot and much beside it."""
    noise = random.Random(zlib.crc32(name.encode())).randbytes(size)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    dot = chunk(b"IHDR", bytes((0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0))) + chunk(b"IDAT", zlib.compress(b"\0abc"))
    body = b"\x89PNG\r\n\x1a\n" + dot + chunk(b"saNd", noise[: size - 100]) + chunk(b"IEND", b"")
    return Answer(body=body, content_type="image/png", headers=_FOR_A_DAY)
