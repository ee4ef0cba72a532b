"""Style sheets, one script and tiny pictures, so that a browser has something to load."""

from __future__ import annotations

import struct
import zlib
from functools import cache

from sandbox.answer import Answer

_FOR_A_DAY = (("Cache-Control", "public, max-age=86400"),)
_COLOURS = {"coupang": "#346aff", "gmarket": "#00a651", "auction": "#e5001f", "st11": "#ff0038", "naver": "#03c75a"}
_CSS = """
*{{box-sizing:border-box}}body{{margin:0;font-family:"Noto Sans KR","Nanum Gothic",sans-serif;color:#222}}
.site-header{{display:flex;gap:16px;align-items:center;padding:14px 24px;border-bottom:2px solid {colour}}}
.logo{{font-size:22px;font-weight:700;color:{colour};text-decoration:none}}.search-form{{flex:1;display:flex}}
.search-form input{{flex:1;padding:8px;border:2px solid {colour}}}
.search-form button{{padding:8px 16px;color:#fff;border:0;background:{colour}}}
main,.l_search_content,#section__inner-content-body-container{{max-width:1080px;margin:0 auto;padding:16px}}
a{{color:inherit;text-decoration:none}}.box__brand{{margin-right:4px}}ul{{list-style:none;margin:0;padding:0}}
#product-list,#productList,.list__slot,.c-search-list,.box__component-list{{display:grid;grid-template-columns:repeat(4,1fr);gap:16px}}
li[class*=ProductUnit],li.search-product,li.c-search-list__item,
.box__component-itemcard,.component--item_card{{border:1px solid #eee;padding:10px}}
img{{max-width:100%;height:auto}}del,.box__price-original{{color:#999}}.site-footer{{margin-top:40px;padding:20px;background:#f6f6f6;color:#777}}
.for-a11y,.sr-only,.ir{{position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden}}
strong,.fw-font-bold{{font-weight:700;color:{colour}}}.no-result{{padding:60px;text-align:center}}
"""
_JS = """
/* sandbox */
(function () {
  var born = Date.now();
  document.cookie = "sensor=" + born + "; path=/";
  document.addEventListener("DOMContentLoaded", function () {
    var cards = document.querySelectorAll("li, .box__component-itemcard, .component--item_card");
    document.documentElement.setAttribute("data-cards", String(cards.length));
  });
})();
"""


@cache
def css(mall: str) -> Answer:
    """The mall's style sheet."""
    text = "/* sandbox */" + _CSS.format(colour=_COLOURS.get(mall, "#333"))
    return Answer(body=text.encode(), content_type="text/css; charset=utf-8", headers=_FOR_A_DAY)


@cache
def script() -> Answer:
    """The site's script: sets a sensor cookie, as the real ones do."""
    return Answer(body=_JS.encode(), content_type="text/javascript; charset=utf-8", headers=_FOR_A_DAY)


@cache
def picture(shade: int) -> Answer:
    """A 48 x 48 picture in one of 64 shades, about 120 bytes."""
    colour = bytes((64 + 3 * (shade % 64), 220 - 2 * (shade % 64), 160))
    rows = (b"\0" + colour * 48) * 48
    body = b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", 48, 48, 8, 2, 0, 0, 0)),
            _chunk(b"tEXt", b"Comment\0sandbox"),
            _chunk(b"IDAT", zlib.compress(rows, 9)),
            _chunk(b"IEND", b""),
        )
    )
    return Answer(body=body, content_type="image/png", headers=_FOR_A_DAY)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
