"""Real Chromium through forwarder and gate: addresses change under a live browser, a refused login is never empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from errors import ProxyAuth, ProxyDead
from tests.crawl.browser_server import family, words
from tests.tasks.proxied import world

if TYPE_CHECKING:
    from tests.conftest import Database

pytestmark = pytest.mark.browser
BROWSER: dict[str, Any] = {
    "LPS_COUPANG__FETCHER": "browser",
    "LPS_BROWSER__HEADLESS": "true",
    "LPS_BROWSER__PER_MACHINE": "8",
}
SECONDS = 60


def browsers() -> set[int]:
    """The main processes of the browsers that run."""
    found = {process.pid: words(process) for process in family()}
    return {
        pid
        for pid, said in found.items()
        if any(word.startswith("--remote-debugging-port") for word in said)
        and not any(word.startswith("--type=") for word in said)
        and "chrom" in said[0]
    }


def test_another_address_under_the_same_browser(db: Database) -> None:
    """Front page and two searches with one address, the third with the next one, which is a new visitor."""
    with world(db, **BROWSER) as here:
        here.market.set_scenario("coupang", "ip_budget", "3")
        for _ in range(2):
            assert here.fetch(seconds=SECONDS).offers
        before = browsers()
        assert here.fetch(seconds=SECONDS).offers
        assert 1 == len(before)
        assert before == browsers()
        addresses = here.gate.addresses()
        assert {addresses[0]: 3, addresses[1]: 2} == here.pages()
        here.crawler.close()
        rows = here.rows("SELECT sum(bytes), sum(requests), count(*) FROM crawl_session WHERE ended_at IS NOT NULL")
        assert [(here.gate.total_bytes(), 5, 2)] == rows


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_refused_login_is_proxy_auth(db: Database, scheme: str) -> None:
    """Chromium shows an empty page or a tunnel that failed; the forwarder knows why."""
    more: dict[str, Any] = {"LPS_COUPANG__BASE_URL": f"{scheme}://www.coupang.com", "DECODO_PASSWORD": "wrong"}
    with world(db, **BROWSER, **more, LPS_SESSION__ROTATIONS="1") as here, pytest.raises(ProxyAuth):
        here.fetch(query="없는상품 ZZZ-9999", seconds=SECONDS)


def test_a_dead_port_is_left_by_the_browser_too(db: Database) -> None:
    """The next port serves the same browser."""
    with world(db, ports=2, **BROWSER) as here:
        here.gate.set_fault(here.gate.ports[0], "dead")
        assert here.fetch(seconds=SECONDS).offers
        assert [(here.gate.ports[0], "refused")] == here.rows(
            "SELECT port, last_error FROM proxy_port WHERE errors > 0"
        )


def test_a_page_that_breaks_off_is_not_taken_for_whole(db: Database) -> None:
    """Half a page through a dying port: no answer, or one that says that there is more."""
    with world(db, ports=1, **BROWSER, LPS_SESSION__ROTATIONS="1") as here:
        whole = here.fetch(seconds=SECONDS)
        here.gate.set_fault(here.gate.ports[0], "cut", "9000")
        try:
            page = here.fetch(seconds=SECONDS)
        except ProxyDead:
            return
        assert "truncated" == page.kind
        assert len(page.offers) < len(whole.offers)
