"""What may be searched for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import config
from errors import BadProduct, OverBudget
from model import Product
from store import spend
from tests.tasks.conftest import ENV

if TYPE_CHECKING:
    from tests.conftest import Database
    from tests.tasks.conftest import ScriptedMarket


@pytest.mark.parametrize(
    ("field", "product"),
    [
        ("product_name", Product(code="A", name="")),
        ("product_name", Product(code="A", name=" \u3000 ")),
        ("product_name", Product(code="A", name="!?…")),
        ("product_name", Product(code="A", name="생수\x00")),
        ("product_name", Product(code="A", name="생수\n2L")),
        ("product_name", Product(code="A", name="생수\ud800")),
        ("product_name", Product(code="A", name="가" * 10_000)),
        ("specification", Product(code="A", name="생수", specification="가" * 10_000)),
        ("specification", Product(code="A", name="생수", specification="6개\x1b[2J")),
        ("product_code", Product(code="", name="생수")),
        ("product_code", Product(code="A" * 65, name="생수")),
    ],
)
def test_bad_input_names_its_field_and_leaves_no_row(
    field: str, product: Product, market: ScriptedMarket, db: Database
) -> None:
    """Nothing is stored, nothing is sent."""
    from tasks.submit import submit

    with pytest.raises(BadProduct) as raised:
        submit(product)
    assert field == raised.value.kind
    assert [] == db.rows("SELECT 1 FROM job") + db.rows("SELECT 1 FROM dramatiq.queue")


def test_job_sources_and_messages_are_stored_together(market: ScriptedMarket, db: Database) -> None:
    """One transaction: a PENDING job, its open sources, one message each."""
    from tasks.submit import submit

    job_id = submit(Product(code="A", name="생수 2L", specification="6개")).job_id
    assert [(1,)] == db.rows("SELECT status FROM job WHERE job_id = %s", job_id)
    assert [("coupang",), ("naver",)] == db.rows("SELECT mall FROM job_source WHERE outcome IS NULL ORDER BY mall")
    assert [("coupang",), ("naver",)] == db.rows("SELECT queue_name FROM dramatiq.queue ORDER BY queue_name")


def test_with_every_mall_switched_off_the_job_still_ends(market: ScriptedMarket, db: Database) -> None:
    """The match is sent at once; the sources say why they were not asked."""
    import config
    from tasks.runtime import runtime
    from tasks.submit import submit

    runtime.use(config.load(env={}), db.pool, market)
    submit(Product(code="A", name="생수 2L"))
    assert [("disabled",), ("disabled",)] == db.rows("SELECT outcome FROM job_source")
    assert [("match",)] == db.rows("SELECT queue_name FROM dramatiq.queue")


@pytest.mark.parametrize("over", ["rules", "refuse"])
def test_with_the_hours_money_gone_a_search_is_refused_only_by_policy(
    over: str, market: ScriptedMarket, db: Database
) -> None:
    """Policy "rules": taken, and it goes without a model; "refuse": told which budget is used up, nothing stored."""
    from tasks.money import caps
    from tasks.runtime import runtime
    from tasks.submit import submit

    env = ENV | {"LPS_MONEY__OVER": over, "LPS_MONEY__HOUR_CAP_USD": "0.01"}
    runtime.use(config.load(env=env), db.pool, market)
    spend.reserve(db.pool, caps(), kind="ai", stage="match", usd=Decimal("0.01"))
    if over == "rules":
        assert submit(Product(code="A", name="생수 2L")).job_id
        return
    with pytest.raises(OverBudget, match="the hour's budget"):
        submit(Product(code="A", name="생수 2L"))
    assert [(0,)] == db.rows("SELECT count(*) FROM job")
