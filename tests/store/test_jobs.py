"""The identity of a product."""

from __future__ import annotations

from model import Product
from store import jobs


def test_width_case_and_spacing_do_not_make_another_product() -> None:
    """A buyer's typing habits do not cost a second search."""
    one = Product(code="w1", name="맑은샘 생수 2L", specification="6개")
    other = Product(code="W1", name="맑은샘  생수 ２ｌ", specification=" 6개")
    assert jobs.dedupe_key(one) == jobs.dedupe_key(other)
    assert jobs.dedupe_key(one) != jobs.dedupe_key(Product(code="w1", name="맑은샘 생수 2L", specification="12개"))


def test_a_search_without_a_code_gets_the_same_one_for_the_same_question() -> None:
    """The web form and the command line join each other's history."""
    assert jobs.derived_code("라면 120g", "5개") == jobs.derived_code(" 라면  120G", "5개")
    assert jobs.derived_code("라면 120g", "5개") != jobs.derived_code("라면 120g", "4개")
