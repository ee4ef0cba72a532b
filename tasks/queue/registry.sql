-- name: report
-- Say that this process lives, and what it works on; answers with whether it is asked to drain.
INSERT INTO worker AS w (worker_id, host, pid, machine, pid_started, queues, running, rss_bytes)
VALUES (%(worker_id)s, %(host)s, %(pid)s, %(machine)s, %(pid_started)s, %(queues)s, %(running)s, %(rss_bytes)s)
ON CONFLICT (worker_id) DO UPDATE
SET queues = excluded.queues, running = excluded.running, rss_bytes = excluded.rss_bytes, seen_at = lps.now()
RETURNING w.drain_by IS NOT NULL
