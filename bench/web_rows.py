"""What bench/web.py reads: a search with many offers, one that runs, and a million that have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import Product
from tests.conftest import Database
from tests.web import rows

if TYPE_CHECKING:
    from store.pool import Pool

MALLS = ("naver", "coupang", "gmarket", "auction", "st11")


def result_page(pool: Pool, count: int) -> str:
    """A finished search with so many offers, a third of them accepted; its id."""
    from model import Reason, Same

    decisions = []
    for n in range(count):
        name, mall = f"햇살 백미밥 210g 24개입 {n}호", MALLS[n % 5]
        offer = rows.offer(name, 20_000 + n, mall=mall, rank=n, seller=f"판매자 {n}")
        right = n % 3 == 0
        decisions.append(rows.decision(offer) if right else rows.decision(offer, Same.DIFFERENT, Reason.COUNT))
    return rows.finished(Database("", pool), decisions)


def running_job(pool: Pool) -> str:
    """A search half of which is done; its id."""
    database = Database("", pool)
    job_id = rows.submitted(database, Product(code="RUN", name="도는 검색"))
    rows.close(database, job_id, rows.report("naver", count=40))
    return job_id


def finished_jobs(pool: Pool, count: int) -> None:
    """So many searches that ended in the last weeks."""
    with pool.transaction() as cur:
        cur.execute(
            "INSERT INTO job (status, product_code, product_name, dedupe_key, deadline_at, trace_id, result,"
            " created_at, finished_at) SELECT 3, 'P' || n %% 5000, '상품 ' || n, md5(n::text), now(), '', "
            " jsonb_build_object('outcome', 'found', 'complete', true, 'metrics',"
            " jsonb_build_object('cost', jsonb_build_object('total_usd', 0.001)), 'x', repeat('y', 200)),"
            " now() - n * interval '3 s' - interval '2 days', now() - n * interval '3 s' - interval '2 days'"
            " FROM generate_series(1, %s) n",
            (count,),
        )
    connection = pool.dedicated()
    with connection.cursor() as cur:
        cur.execute("VACUUM ANALYZE job")
    connection.close()
