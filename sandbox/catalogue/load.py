"""Reads the catalogue: products in `data/*.toml`, one offer a line, the same offers in every run.

A line is

    why mall[,mall…] price [flag…] | title | seller

`why` is `same` or the class of the difference. The first mall gets title and price verbatim; each further one the same
offer as another seller lists it: another name, a decoration around the title, a price up to 7 % higher. Wrong offers
turn up in up to two further malls by themselves. Flags:
free ship=2500 cond=19800:2500 (free from 19,800, else 2,500) quiet (no word about shipping) ad used overseas agent sold
cat (Naver catalogue row) list=35900 unit=100g당_412원 coupon= card= wow= (prices beside the price) range (from-price of
several options) rental type=5 (Naver's product type). Without a shipping flag Naver and 11st say nothing, the others
what `_SHIPPING` draws. What is drawn depends only on the text of the line, never on its place or the clock.
"""

from __future__ import annotations

import random
import tomllib
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from sandbox.catalogue import names
from sandbox.catalogue.nouns import Request, SandboxOffer, SandboxProduct

DATA = Path(__file__).parent / "data"
MALLS = ("naver", "coupang", "gmarket", "auction", "st11")

WHYS = (
    "same",
    *("brand", "line", "variant", "model", "size", "count", "colour", "bundle", "accessory", "refill", "component"),
    *("condition", "origin", "counterfeit", "compatible", "option", "sold_out", "preorder", "rental"),
    "keyword_stuffing",
)
_OTHER_MAKER = ("brand", "accessory", "counterfeit", "compatible", "keyword_stuffing")

_AD_SHARE = {"naver": 0.0, "coupang": 0.15, "gmarket": 0.44, "auction": 0.22, "st11": 0.15}
_SHIPPING = {
    "coupang": ("free", "free", "ship=2500", "ship=3000", "cond=19800:3000", "cond=30000:2500"),
    "gmarket": ("free", "free", "free", "ship=2500", "ship=3000", "quiet"),
    "auction": ("free", "free", "ship=2500", "ship=3000", "ship=3500", "quiet"),
}
_BARE = {
    "ad": "ad",
    "used": "used",
    "overseas": "overseas",
    "agent": "agent",
    "sold": "sold_out",
    "cat": "catalogue",
    "range": "option_range",
    "rental": "rental",
}
_NUMBER = {
    "list": "list_price_krw",
    "coupon": "coupon_krw",
    "card": "card_krw",
    "wow": "member_krw",
    "type": "product_type",
}


class _Line(NamedTuple):
    why: str
    price_krw: int
    flags: tuple[str, ...]
    title: str
    seller: str

    def flags_of(self, *words: str) -> tuple[str, ...]:
        """The flags that begin with one of these words."""
        return tuple(flag for flag in self.flags if flag.partition("=")[0] in words)


class BadCatalogue(ValueError):
    """A line of the catalogue cannot be read."""


def load(folder: Path = DATA) -> tuple[SandboxProduct, ...]:
    """Every product of every file, in the order of files and lines. Raises BadCatalogue with the line."""
    tables: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.toml")):
        tables += tomllib.loads(path.read_text(encoding="utf-8"))["product"]
    return tuple(_product(table) for table in tables)


def _product(table: dict[str, Any]) -> SandboxProduct:
    request = Request(code=table["code"], name=table["name"], specification=table.get("specification", ""))
    offers: list[SandboxOffer] = []
    for line in table["offers"].strip().splitlines():
        if line.strip():
            offers += _line(line.strip(), table)
    return SandboxProduct(request=request, offers=tuple(offers), right_price=table.get("right_price"))


def _line(line: str, table: dict[str, Any]) -> list[SandboxOffer]:
    try:
        head, title, seller = (part.strip() for part in line.split("|"))
        why, malls, price, *flags = head.split()
        said = _Line(why, int(price), tuple(flags), title, seller)
        listed = malls.split(",")
        everywhere = (*listed, *_more(table, said, listed))
        return [_offer(table, said, mall, again=place > 0) for place, mall in enumerate(everywhere)]
    except (ValueError, KeyError) as error:
        raise BadCatalogue(f"{table['code']}: {line!r}: {error}") from error


def _more(table: dict[str, Any], said: _Line, listed: list[str]) -> list[str]:
    """Further malls where a wrong offer is listed too: wrong ones are everywhere, right ones where the file says."""
    if said.why == "same" or said.flags_of("cat", "sold", "rental", "used", "type"):
        return []
    draw = random.Random(zlib.crc32(f"{table['code']}|more|{said}".encode()))
    others = [mall for mall in MALLS if mall not in listed]
    return draw.sample(others, k=min(len(others), draw.choice((0, 1, 1, 2))))


def _offer(table: dict[str, Any], said: _Line, mall: str, *, again: bool) -> SandboxOffer:
    if mall not in MALLS or said.why not in WHYS:
        raise KeyError(f"no such mall or class: {mall} {said.why}")
    if mall == "naver" and "sold" in said.flags:
        raise KeyError("Naver's API does not show what is sold out")
    draw = random.Random(zlib.crc32(f"{table['code']}|{mall}|{said}".encode()))
    price, title, seller, flags = said.price_krw, said.title, said.seller, said.flags
    if again:
        price = round(price * (1000 + draw.randrange(70)) // 1000, -1)
        title, seller = names.relist(draw, title, mall)
    fields = _fields(flags)
    fields.update(_shipping(draw, mall, price, said.flags_of("free", "ship", "cond", "quiet")))
    if mall == "st11" and said.why == "same":
        # The shop's JSON never states shipping, and the truth is what that JSON lets anyone know.
        fields.update(shipping_krw=None, free_from_krw=None)
    made_by = ("", "") if said.why in _OTHER_MAKER else (table.get("brand", ""), table.get("maker", ""))
    fields["ad"] = fields.get("ad", False) or draw.random() < _AD_SHARE[mall]
    if mall == "naver":
        fields.setdefault("product_type", _naver_type(fields, draw))
    return SandboxOffer(
        offer_id=1_000_000_000 + draw.randrange(8_999_999_999),
        product_code=table["code"],
        mall=mall,
        title=title,
        price_krw=price,
        seller="네이버" if fields.get("catalogue") and mall == "naver" else seller,
        why=said.why,
        brand=made_by[0],
        maker=made_by[1],
        category=tuple(table.get("category", ())),
        **fields,
    )


def _fields(flags: tuple[str, ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for flag in flags:
        word, _, value = flag.partition("=")
        if word in _BARE:
            fields[_BARE[word]] = True
        elif word in _NUMBER:
            fields[_NUMBER[word]] = int(value)
        elif word == "unit":
            fields["unit_price"] = value.replace("_", " ")
        elif word not in ("free", "ship", "cond", "quiet"):
            raise KeyError(f"no such flag: {flag}")
    return fields


def _shipping(draw: random.Random, mall: str, price: int, flags: tuple[str, ...]) -> dict[str, int | None]:
    drawn = draw.choice(_SHIPPING.get(mall, ("quiet",)))
    word, _, value = (*flags, drawn)[0].partition("=")
    if mall == "naver" or word == "quiet":
        return {"shipping_krw": None}
    if word == "free":
        return {"shipping_krw": 0}
    if word == "ship":
        return {"shipping_krw": int(value)}
    threshold, fee = (int(part) for part in value.split(":"))
    if price >= threshold:
        return {"shipping_krw": 0}
    return {"shipping_krw": fee, "free_from_krw": threshold}


def _naver_type(fields: dict[str, Any], draw: random.Random) -> int:
    kind = 1 if fields.get("catalogue") else draw.choice((2, 2, 3))
    return kind + 3 if fields.get("used") else kind
