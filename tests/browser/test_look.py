"""Every page wide and narrow, by day and by night, in both languages: no axe violation, no sideways scrolling."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from model import Product, Reason, Same, SourceOutcome
from store import watches
from store.watches import Terms
from tests.browser.conftest import NARROW, WIDE
from tests.web import rows

if TYPE_CHECKING:
    from tests.browser.conftest import Page
    from tests.browser.stack import Stack
    from tests.conftest import Database

pytestmark = pytest.mark.browser
LOOKS = ((WIDE, False, "ko"), (NARROW, True, "en"), (NARROW, False, "ko"), (WIDE, True, "en"))
"""Width, night, language: each pair of them at least once."""


def filled(db: Database) -> dict[str, str]:
    """Something of everything, and the address of each page that shows it."""
    from tasks import bulk

    winner = rows.decision(
        rows.offer("햇살 백미밥 210g 24개입", 21800, seller="행복마트", ad=True),
        unit_price="100g당 492원",
        matched=("24개",),
    )
    known = rows.decision(rows.offer("24입 무료배송", 26900, mall="coupang", shipping_krw=0))
    unsure = rows.decision(rows.offer("옵션 선택", 9900), Same.UNSURE, Reason.OPTION, missing=("24개",))
    other = rows.decision(rows.offer("12개", 9000, shipping_krw=2500), Same.DIFFERENT, Reason.COUNT)
    blocked = [rows.report("naver"), rows.report("coupang", SourceOutcome.BLOCKED, 0, kind="akamai", error="403")]
    for _ in range(3):
        job_id = rows.finished(db, [winner, known, unsure, other], reports=blocked)
    db.rows("UPDATE price_history SET triggered_at = triggered_at - random() * interval '60 days'")
    absent = rows.finished(db, [], reports=blocked, product=Product(code="NONE", name="없는 상품"))
    running = rows.submitted(db, Product(code="RUN", name="진행 중인 검색"))
    db.rows("INSERT INTO crawl_session (mall, ip) VALUES ('coupang', '10.0.0.1')")
    db.rows("INSERT INTO proxy_port (host, port, last_ip) VALUES ('gate.example', 10001, '10.0.0.2')")
    db.rows("INSERT INTO mall_drift (mall, sign, text) VALUES ('auction', 'price_krw', 'half of it')")
    letter = db.rows(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, message, attempts, last_error)"
        " SELECT id, 'st11', 'rejected', jsonb_build_object('queue_name', 'st11', 'actor_name', 'st11', 'args',"
        " jsonb_build_array(%s::text), 'kwargs', '{}'::jsonb, 'options', '{}'::jsonb, 'message_id', id,"
        " 'message_timestamp', 1), 5, 'UpstreamDown: 503' FROM gen_random_uuid() AS id RETURNING message_id::text",
        job_id,
    )
    batch_id = bulk.preview(
        "상품명,규격\n맑은샘 생수 2L,6개\n맑은샘 생수 2L,6개\n,\n".encode(),
        bulk.Owner(who="test"),
        name="11월",
        file_name="x.csv",
    )
    under_way = bulk.preview("상품명\n생수 500ml\n".encode(), bulk.Owner(who="test"), name="", file_name="y.csv")
    bulk.start(under_way, who="test")
    with db.pool.transaction() as cur:
        terms = Terms(target_krw=22000, every_s=21600, direction="down", business_hours=True, url="", signer="")
        watches.add(cur, rows.RICE, terms, next_at=datetime.now(UTC), who="test")
    return {
        "home": "/",
        "home-wrong": "/?product_name=x&allow_used=1",
        "result": f"/jobs/{job_id}?all=1",
        "offer": f"/jobs/{job_id}/offers/1",
        "absent": f"/jobs/{absent}",
        "running": f"/jobs/{running}",
        "sheet": f"/jobs/{job_id}/sheet",
        "product": "/products/RICE24",
        "bulk": "/bulk",
        "batch": f"/bulk/{batch_id}",
        "batch-running": f"/bulk/{under_way}",
        "watches": "/watches",
        "ops": "/ops",
        "ops-jobs": "/ops/jobs",
        "ops-job": f"/ops/jobs/{job_id}",
        "ops-dead": "/ops/dead?group=00000000",
        "ops-letter": f"/ops/dead/{letter[0][0]}",
        "ops-queues": "/ops/queues",
        "ops-workers": "/ops/workers",
        "ops-crawl": "/ops/crawl",
        "ops-alerts": "/ops/alerts",
        "ops-callbacks": "/ops/callbacks",
        "ops-money": "/ops/money",
        "ops-keys": "/ops/keys",
        "ops-settings": "/ops/settings",
        "ops-audit": "/ops/audit",
        "login": "/login",
        "nothing": "/nothing",
    }


def test_every_page_can_be_read_by_everybody(page: Page, stack: Stack, db: Database) -> None:
    """axe-core finds nothing, no page is wider than its screen, and no script or policy complains."""
    from tasks import operate

    for mall in ("naver", "coupang"):
        operate.pause(mall, who="test", reason="so that the running search stays")
    places = filled(db)
    for width, dark, language in LOOKS:
        page.look(width=width, dark=dark)
        wrong: dict[str, list[str]] = {}
        for name, path in places.items():
            page.open(f"{path}{'&' if '?' in path else '?'}lang={language}")
            page.keep(f"{name}-{width}-{'dark' if dark else 'light'}-{language}")
            found = page.violations()
            needed = page.driver.execute_script("return document.documentElement.scrollWidth")
            found += [f"{needed} px wide"] if needed > width else []
            found += [] if name == "nothing" else page.complaints()
            wrong |= {name: found} if found else {}
        page.complaints()
        assert {} == wrong, (width, dark, language)
