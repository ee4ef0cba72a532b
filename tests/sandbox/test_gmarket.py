"""Gmarket in the sandbox: `__NEXT_DATA__` in the form of the real page, and the same cards as DOM."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborHTMLParser

from sandbox.catalogue import offers_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sandbox.conftest import Visitor

RICE = "햇반 백미밥 210g"
BY_ID = {str(offer.offer_id): offer for offer in offers_of("gmarket")}


def next_data(page: str) -> Any:
    """The embedded data of a page."""
    found = re.search(r'<script id="__NEXT_DATA__" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def view_models(data: Any) -> list[dict[str, Any]]:
    """Every item card, power items included."""
    states = data["props"]["pageProps"]["initialStates"]
    rows = [row for module in states["curatorData"]["regionsData"]["content"]["modules"] for row in module["rows"]]
    nested = [row["viewModel"]["itemList"] if "itemList" in row["viewModel"] else [row["viewModel"]] for row in rows]
    return [one for models in nested for one in models if one.get("itemNo")]


def paths(value: Any, prefix: str = "") -> set[str]:
    """Every key path of a JSON value; all entries of a list are alike."""
    if isinstance(value, dict):
        return {f"{prefix}.{key}" for key in value}.union(*(paths(v, f"{prefix}.{k}") for k, v in value.items()))
    if isinstance(value, list):
        return set().union(*(paths(entry, f"{prefix}[]") for entry in value))
    return set()


def test_every_key_is_one_of_the_real_page(visit: Visitor, shared: Path) -> None:
    """The sandbox invents no field but its own mark and the coupon price."""
    real = next((shared / "fixtures/gmarket").glob("*.html")).read_text(encoding="utf-8")
    ours = paths(next_data(visit.search("gmarket", "SSD 2TB").text)) | paths(
        next_data(visit.search("gmarket", RICE).text)
    )
    unknown = ours - paths(next_data(real))
    assert {".sandbox"} == {path for path in unknown if not path.partition("price.couponPrice")[1]}


def test_data_and_cards_show_the_same(visit: Visitor) -> None:
    """Number, name, price, seller, shipping."""
    page = visit.search("gmarket", RICE).text
    models = {model["itemNo"]: model for model in view_models(next_data(page))}
    cards = LexborHTMLParser(page).css(".box__item-container")
    assert len(models) == len(cards) > 5
    for card in cards:
        link = card.css_first("a.link__item")
        number = re.search(r"goodscode=(\d+)", (link.attributes["href"] if link else "") or "")
        assert number
        model, offer = models[number[1]], BY_ID[number[1]]
        name, price, seller = (
            card.css_first(s) for s in ("span.text__item", ".box__price-seller strong", ".text__seller")
        )
        assert offer.title == model["commonItemInfo"]["item"]["text"] == (name.attributes["title"] if name else "")
        assert f"{offer.price_krw:,}" == model["commonItemInfo"]["price"]["price"]["text"] == (price and price.text())
        assert offer.seller == model["seller"]["seller"]["text"] == (seller and seller.text())
        assert model["commonItemInfo"]["tags"] == [tag.text() for tag in card.css(".text__tag")]


def test_shipping_and_condition_are_tags(visit: Visitor) -> None:
    """무료배송, 배송비 N원, or nothing."""
    for model in view_models(next_data(visit.search("gmarket", RICE).text)):
        offer, tags = BY_ID[model["itemNo"]], model["commonItemInfo"]["tags"]
        assert (offer.shipping_krw == 0) == ("무료배송" in tags)
        assert bool(offer.shipping_krw) == any(re.fullmatch(r"배송비 [\d,]+원", tag) for tag in tags)
        assert offer.used == ("중고상품" in tags)
        assert offer.sold_out is model["isSoldOut"]


def test_almost_half_of_the_cards_are_ads(visit: Visitor) -> None:
    """44 % on the real page; told by the link and by utsValue."""
    ads = [offer.ad for offer in BY_ID.values()]
    assert 0.38 < sum(ads) / len(ads) < 0.5
    for model in view_models(next_data(visit.search("gmarket", RICE).text)):
        item = model["commonItemInfo"]["item"]
        assert BY_ID[model["itemNo"]].ad == ("buyboxtype=ad" in item["link"]) == ("adTier" in item["utsValue"])


def test_a_from_price_has_a_tilde(visit: Visitor) -> None:
    """The unit is 원~."""
    units = {
        BY_ID[model["itemNo"]].option_range: model["commonItemInfo"]["price"]["priceUnit"]["text"]
        for model in view_models(next_data(visit.search("gmarket", RICE).text))
    }
    assert {True: "원~", False: "원"} == units


def test_nothing_found_has_its_own_words(visit: Visitor) -> None:
    """On the page and in the data."""
    page = visit.search("gmarket", "없는상품 ZZZ-9999").text
    assert LexborHTMLParser(page).css(".box__no-result")
    assert [] == view_models(next_data(page))
    assert "검색 결과가 없습니다" in page
    assert "검색 결과가 없습니다" not in visit.search("gmarket", RICE).text


def test_links_lead_to_a_page(visit: Visitor) -> None:
    """With the price on it."""
    for model in view_models(next_data(visit.search("gmarket", RICE).text))[:3]:
        reply = visit.get(model["commonItemInfo"]["item"]["link"])
        assert 200 == reply.status
        assert f"{BY_ID[model['itemNo']].price_krw:,}원" in reply.text
