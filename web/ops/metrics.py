"""/metrics in Prometheus' text format, made from SQL when it is asked for: right after any restart of any process."""

from __future__ import annotations

from flask import Response

from store import metrics
from web.ops import blueprint
from web.parts import here
from web.roles import needs

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@blueprint.get("/metrics")
@needs("viewer")
def scrape() -> Response:
    """All metrics; names and meanings are in docs/events.md."""
    from web import exposition  # noqa: PLC0415 - loads prometheus_client, which no other view needs

    parts = here()
    with parts.pool.transaction() as cur:
        now = metrics.gauges(cur, lease_s=parts.settings.queue.lease_s)
        counts = metrics.counters(cur)
    caps = {"day": parts.settings.money.day_cap_usd, "hour": parts.settings.money.hour_cap_usd}
    return Response(exposition.text(now, counts, caps), content_type=CONTENT_TYPE)
