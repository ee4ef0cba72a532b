"""How the malls are read: refusals and drift by mall, sessions, proxy ports."""

from __future__ import annotations

import store.board
import store.crawls
import store.health
from model import MALLS
from tasks import operate
from web.ops import blueprint
from web.ops.frame import page
from web.parts import here
from web.roles import needs

SESSIONS, PORTS = 30, 200


@blueprint.get("/ops/crawl")
@needs("operator")
def crawl() -> str:
    """The last hour by mall; open drift; the newest sessions; ports."""
    with here().pool.autocommit() as cur:
        return page(
            "crawl",
            malls=MALLS,
            why_off={mall: here().settings.mall(mall).why_disabled for mall in MALLS},
            hour={one.stage: one for one in store.board.hour(cur)},
            blocks={one.mall: one for one in store.board.blocks(cur)},
            drift=store.health.drifting(cur),
            sessions=store.board.sessions(cur, SESSIONS),
            ports=operate.proxy_ports()[:PORTS],
            usable_pct=store.crawls.usable_ports_pct(cur),
            held={one.name: one for one in operate.paused()},
        )
