"""What is spent: today and this hour against their caps, by kind and stage, and every budget."""

from __future__ import annotations

import store.board
import store.listing
import store.spend
from tasks import money as caps_of
from web.ops import blueprint
from web.ops.frame import page
from web.parts import here
from web.roles import needs


@blueprint.get("/ops/money")
@needs("operator")
def money() -> str:
    """Korean days and hours, USD."""
    with here().pool.autocommit() as cur:
        return page(
            "money",
            spent=store.board.spent(cur),
            caps=caps_of.caps(),
            over=here().settings.money.over,
            leaks=store.spend.leaks(cur, 24),
            budgets=store.listing.budgets(cur),
        )
