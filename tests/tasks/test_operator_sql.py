"""The queries that operators already use answer on our tables."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from errors import Blocked
from model import Product
from store import crawls, spend
from tests.conftest import ROOT
from tests.tasks.conftest import Bench, ScriptedMarket, offer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Database


def statements(text: str) -> list[str]:
    """Every statement of the ```sql blocks of a Markdown text; a saved web page has "|" for each line's margin."""
    text = re.sub(r"^\|+$", "", text, flags=re.MULTILINE)
    blocks = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    return [part for block in blocks for part in block.split(";") if re.sub(r"--.*", "", part).strip()]


def fill(bench: Bench, market: ScriptedMarket) -> None:
    """Searches of each kind, so that each query has something to say."""
    market.script["naver"] = [[offer("naver", 5_000)], ()]
    market.script["coupang"] = [[offer("coupang", 5_500)], Blocked("no", kind="akamai"), ()]
    bench.done(Product(code="T1", name="맑은샘 생수 2L", specification="6개"))
    bench.search(Product(code="T2", name="없는 생수 ZZZ"))
    bench.done(Product(code="T3", name="없는 생수 YYY"))
    # A payment, which rules alone do not make.
    paid = spend.reserve(bench.database.pool, spend.Caps(), kind="ai", stage="match", usd=Decimal("0.001"))
    spend.settle(bench.database.pool, paid, Decimal("0.0003"))
    with bench.database.pool.autocommit() as cur:
        # The crawler's own record, which a scripted market does not make.
        crawls.blocked(cur, job_id=None, mall="coupang", marker="akamai", ip="direct", request_no=1)


def check(text: str, db: Database) -> None:
    """Each statement gives rows, and none of them holds a NULL in a found search's columns."""
    found = statements(text)
    assert len(found) >= 6
    for statement in found:
        with db.pool.transaction() as cur:
            cur.execute(statement)
            rows = cur.fetchall()
        assert rows, statement
        whole = [row for row in rows if None not in row]
        assert whole, statement


def test_the_guides_queries_run_as_they_stand(bench: Bench, market: ScriptedMarket, db: Database, shared: Path) -> None:
    """The user's own document, verbatim."""
    fill(bench, market)
    check((shared / "seeds/operations-guide.txt").read_text(encoding="utf-8"), db)


def test_our_own_documents_queries_run_as_they_stand(bench: Bench, market: ScriptedMarket, db: Database) -> None:
    """docs/operations.md promises nothing that does not run."""
    fill(bench, market)
    check((ROOT / "docs/operations.md").read_text(encoding="utf-8"), db)
