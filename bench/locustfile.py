"""Load on the API from many users, for Locust, which is not among the locked packages (`pip install locust`).

    locust -f bench/locustfile.py --host http://127.0.0.1:9600          (LPS_KEY=lps_… unless the sandbox is open)

Submits, follows until the search ends, and looks at the numbers, as clients do.
"""

from __future__ import annotations

import itertools
import os
from typing import Any

from locust import HttpUser, between, task

from cli.load import GOODS

COUNTER = itertools.count()


class Buyer(HttpUser):  # type: ignore[misc]  # locust is not installed for mypy
    """Searches and waits for answers."""

    wait_time = between(0.5, 2)

    def on_start(self) -> None:
        """With a key where one is needed."""
        key = os.getenv("LPS_KEY")  # noqa: TID251 - Locust has no place for it
        if key:
            self.client.headers["Authorization"] = f"Bearer {key}"

    @task(3)  # type: ignore[untyped-decorator]  # as above
    def search(self) -> None:
        """One product, followed to its end."""
        n = next(COUNTER)
        name, spec = GOODS[n % len(GOODS)]
        body = {"product_code": f"LOCUST{n}", "product_name": name, "specification": spec, "again": True}
        answer: dict[str, Any] = self.client.post("/v1/lps/search", json=body).json()
        for _ in range(60):
            job = self.client.get(f"/v1/lps/jobs/{answer['job_id']}", name="/v1/lps/jobs/{id}").json()
            if job.get("finished_at"):
                return
            self.wait()

    @task(1)  # type: ignore[untyped-decorator]  # as above
    def numbers(self) -> None:
        """What a monitor asks."""
        self.client.get("/v1/lps/ops")
