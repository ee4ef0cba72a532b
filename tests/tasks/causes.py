"""What makes each alert rule ring, as rows."""

from __future__ import annotations

JOB = (
    "INSERT INTO job (job_id, status, product_code, product_name, specification, dedupe_key, trace_id, deadline_at,"
    " finished_at"
)
JOB_VALUES = "gen_random_uuid(), {status}, 'P', 'n', '', gen_random_uuid()::text, '', lps.now(), lps.now()"
QUEUED = (
    "INSERT INTO dramatiq.queue (message_id, queue_name, state, eta, message)"
    " VALUES (gen_random_uuid(), '{queue}', 'queued', lps.now() - interval '400 s', '{{}}')"
)
WORKER = (
    "INSERT INTO worker (worker_id, host, pid, queues, started_at, seen_at)"
    " VALUES (gen_random_uuid(), 'h1', 1, '{{{queues}}}', lps.now() - interval '{age}', lps.now() - interval '{seen}')"
)
LIVE = WORKER.format(queues="naver,coupang", age="1 hour", seen="-7 days")
CAUSES: dict[str, list[str]] = {
    "dead": [f"{JOB}, error) SELECT {JOB_VALUES.format(status=4)}, 'no source answered' FROM generate_series(1, 20)"],
    "blocks": [("INSERT INTO bot_detection (mall, marker, ip, ip_request_no)"
               " SELECT 'coupang', 'akamai', 'x', 1 FROM generate_series(1, 80)")],
    "queue_lag": [LIVE, QUEUED.format(queue="naver")],
    "deadline": [("INSERT INTO attempt (stage, try, message_id, worker, started_at, outcome, error_type)"
                 " SELECT 'coupang', 0, gen_random_uuid(), '', lps.now(), 'deadline', 'JobDeadlineExceeded'"
                 " FROM generate_series(1, 5)")],
    "cost": [(f"{JOB}, result) SELECT {JOB_VALUES.format(status=3)},"
             " '{\"metrics\": {\"cost\": {\"total_usd\": \"0.25\"}}}' FROM generate_series(1, 4)")],
    "proxy_ports_low": [("INSERT INTO proxy_port (host, port, cooldown_until)"
                        " SELECT 'gate', n, '{\"coupang\": \"2999-01-01T00:00:00Z\"}' FROM generate_series(1, 3) n")],
    "budget_leak": [("INSERT INTO crawl_session (mall, ip, ended_at, end_reason)"
                    " VALUES ('coupang', 'x', lps.now(), 'block')")],
    "worker_down": [WORKER.format(queues="naver", age="1 hour", seen="5 minutes")],
    "no_consumer": [QUEUED.format(queue="st11")],
    "drift": [("INSERT INTO attempt (stage, mall, try, message_id, worker, started_at, outcome)"
              " SELECT 'gmarket', 'gmarket', 1, gen_random_uuid(), '', lps.now(), 'drift' FROM generate_series(1, 6)")],
    "scheduler_late": [],
    "delivery_failing": [("INSERT INTO outbox (outbox_id, kind, url, body, failed_at, status, answer)"
                         " VALUES (gen_random_uuid(), 'alert', '', '{}', lps.now(), 404, 'gone')")],
    "dead_letters": [("INSERT INTO dramatiq.queue (message_id, queue_name, state, message)"
                     " SELECT gen_random_uuid(), 'match', 'rejected', '{}' FROM generate_series(1, 20)")],
    "ledger_leak": [("INSERT INTO spend (kind, stage, reserved_usd, reserved_at)"
                    " VALUES ('ai', 'match', 0.1, lps.now() - interval '20 minutes')")],
}  # fmt: skip
"""What makes each rule ring; the clock's move a day on, or the rows' end, calms it."""
