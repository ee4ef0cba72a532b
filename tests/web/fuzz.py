"""schemathesis over the whole /openapi.json with an admin's key: no 5xx, no undocumented status, type or body.

    make fuzz-api [SECONDS=120]

An own database, the application on loopback, and real ids (a search, a dead letter, a batch, a watch, a key, a
delivery) as examples of what an address may hold. Exit status 1 when schemathesis finds anything.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

import config
import embedded
from model import Product
from store import access, migrate
from store.keys import Wanted
from store.pool import Pool
from tests.chromium import served
from tests.conftest import Database, fresh_database
from tests.web import rows
from web import create_app
from web.api.openapi import document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
ENV = {
    "LPS_SANDBOX__ON": "true",
    "NAVER_KEYS": "a:b",
    "LPS_OUTBOX__SECRET": "of the fuzzer",
    "LPS_WEB__RATE_PER_MIN": "1000000",
}


@contextmanager
def database() -> Iterator[Database]:
    """An own, migrated database on LPS_TEST_DATABASE_URL's server, or on a PostgreSQL of its own."""
    with ExitStack() as stack:
        server = os.environ.get("LPS_TEST_DATABASE_URL")
        if server is None:
            cluster = stack.enter_context(embedded.Cluster(embedded.test_home()))
            stack.callback(embedded.remove, cluster.home)
            server = cluster.url("postgres")
        url = stack.enter_context(fresh_database(server, f"lps_fuzz_{os.getpid()}"))
        pool = Pool(url, size=8, application="lps fuzz")
        stack.callback(pool.close)
        migrate.run(pool, "sandbox")
        yield Database(url, pool)


def seeded(db: Database, key: str, app: Flask) -> dict[str, list[str]]:
    """What an address may hold, by the name of its part: real ids first, then what is none."""
    from tasks.runtime import runtime

    client = app.test_client()
    header = {"Authorization": f"Bearer {key}"}

    def made(address: str, **sent: Any) -> dict[str, Any]:
        answer = client.post(f"/v1/lps{address}", headers=header, **sent)
        assert answer.status_code < 300, answer.text
        members: dict[str, Any] = json.loads(answer.data)
        return members

    job_id = rows.finished(db, [rows.decision(rows.offer("밥", 9000))])
    other = made("/search", json={"product_name": "라면", "callback_url": "https://erp.example/"})["job_id"]
    client.delete(f"/v1/lps/jobs/{other}", headers=header)
    with db.pool.transaction() as cur:
        message = runtime.broker.message("naver", job=rows.submitted(db, Product(code="D", name="우유")))
        runtime.broker.enqueue_in(cur, message)
    db.rows("UPDATE dramatiq.queue SET state = 'rejected', last_error = 'x', attempts = 5 WHERE message_id = %s",
            message.message_id)  # fmt: skip
    batch = made("/batches", data="상품명\n밥\n국\n".encode(), content_type="text/csv")["batch_id"]
    watch = made("/watches", json={"product_code": "W", "product_name": "라면"})["watch_id"]
    spare = made("/keys", json={"name": "spare"})["api_key_id"]
    made("/accounts", json={"name": "bob"})
    delivery = str(db.rows("SELECT outbox_id FROM outbox")[0][0])
    return {
        "job_id": [job_id, other, "x"],
        "rule": ["dead", "nothing"],
        "mall": ["coupang", "nothing"],
        "code": ["RICE24", "a/b"],
        "name": ["naver", "bob"],
        "message_id": [str(message.message_id), "ffff"],
        "batch_id": [batch, "x"],
        "watch_id": [str(watch), "0"],
        "key_id": [str(spare), "9" * 30],
        "delivery_id": [delivery, "x"],
    }


def with_examples(told: dict[str, Any], examples: dict[str, list[str]]) -> dict[str, Any]:
    """The document with real ids in it."""
    for methods in told["paths"].values():
        for operation in methods.values():
            for parameter in operation["parameters"]:
                if parameter["in"] == "path":
                    values = examples.get(parameter["name"], [])
                    parameter["examples"] = {str(n): {"value": value} for n, value in enumerate(values)}
    return told


def main() -> int:
    """Run it; schemathesis' own exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120, help="for the whole run")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    from tasks.runtime import runtime

    settings = config.load(env=ENV)
    with database() as db, tempfile.TemporaryDirectory() as folder:
        runtime.use(settings, db.pool)
        app = create_app(settings, db.pool)
        with db.pool.transaction() as cur:
            _, key = access.new_key(cur, Wanted(name="fuzz", scopes=("admin",)), who="fuzz")
        schema = Path(folder) / "openapi.json"
        schema.write_text(json.dumps(with_examples(document(), seeded(db, key, app))), encoding="utf-8")
        with served(app) as base:
            command = [sys.executable, "-m", "schemathesis.cli", "run", str(schema), "--url", base, "--checks", CHECKS]
            command += ["-H", f"Authorization: Bearer {key}", "--max-time", str(args.seconds), "--seed", str(args.seed)]
            command += ["--phases", "examples,coverage,fuzzing", "--continue-on-failure", "--warnings", "off"]
            return subprocess.run(command, check=False, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
