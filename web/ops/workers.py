"""Worker processes: who lives, what each does, and having one finish and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import store.ops
from tasks import operate
from web.auth import current
from web.ops import blueprint
from web.ops.frame import back, page
from web.parts import here
from web.roles import needs

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.get("/ops/workers")
@needs("operator")
def workers() -> str:
    """Processes that have not stopped in order."""
    settings = here().settings
    with here().pool.autocommit() as cur:
        alive = store.ops.workers(cur, stuck_s=settings.worker.stuck_s, lease_s=settings.queue.lease_s)
    return page("workers", workers=alive)


@blueprint.post("/ops/workers/<worker_id>/drain")
@needs("operator")
def drain(worker_id: str) -> Response:
    """Have one finish what it has and end; its supervisor starts another."""
    done = operate.drain(who=current().who, worker=worker_id)
    return back("ops.workers", "drained" if done else "gone")
