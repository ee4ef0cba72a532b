-- name: begin
-- A failure takes back this measurement alone; one that takes longer than this is none.
SAVEPOINT measured; SET LOCAL statement_timeout = '5s'

-- name: undo
-- It failed.
ROLLBACK TO SAVEPOINT measured

-- name: end
-- It is there.
RELEASE SAVEPOINT measured

-- name: dead
-- Searches given up within the hour.
SELECT '', count(*)::float8, count(*)::int, '{}'::jsonb FROM job
WHERE status = 4 AND finished_at > lps.now() - interval '1 hour'

-- name: blocks
-- Refusals within the hour by malls that are still asked, and by which.
SELECT '', coalesce(sum(n), 0)::float8, coalesce(sum(n), 0)::int, coalesce(jsonb_object_agg(mall, n), '{}') FROM (
  SELECT mall, count(*)::int AS n FROM bot_detection
  WHERE at > lps.now() - interval '1 hour' AND NOT EXISTS (SELECT FROM queue_pause WHERE name = mall)
  GROUP BY mall) AS of_mall

-- name: queue_lag
-- Age of the oldest message that may run, seconds, and its queue. What runs is no lag, however long.
SELECT '', greatest(0, coalesce(extract(epoch FROM lps.now() - min(eta)), 0))::float8, count(*)::int,
  jsonb_build_object('queue', (array_agg(queue_name ORDER BY eta))[1]) FROM queue_oldest

-- name: deadline
-- Deadlines that passed within the hour, whether or not a retry saved the search.
SELECT '', count(*)::float8, count(*)::int, '{}'::jsonb FROM attempt
WHERE error_type = 'JobDeadlineExceeded' AND ended_at > lps.now() - interval '1 hour'

-- name: cost
-- What the searches finished within the hour cost, USD; and what the day will have cost at midnight in Seoul at this
-- rate, against the day's cap.
WITH hour AS (
  SELECT coalesce(sum((result->'metrics'->'cost'->>'total_usd')::numeric), 0)::float8 AS usd, count(*)::int AS n
  FROM job WHERE status = 3 AND finished_at > lps.now() - interval '1 hour'
), day AS (
  SELECT coalesce(sum(coalesce(settled_usd, reserved_usd)), 0)::float8 AS usd FROM spend
  WHERE reserved_at >= date_trunc('day', lps.now() AT TIME ZONE 'Asia/Seoul') AT TIME ZONE 'Asia/Seoul'
), rest AS (
  SELECT 24 - extract(epoch FROM (lps.now() AT TIME ZONE 'Asia/Seoul')
    - date_trunc('day', lps.now() AT TIME ZONE 'Asia/Seoul'))::float8 / 3600 AS hours
)
SELECT '', usd, n, '{}'::jsonb FROM hour
UNION ALL
SELECT 'day', day.usd + hour.usd * rest.hours, hour.n, jsonb_build_object('spent', day.usd) FROM day, hour, rest

-- name: proxy_ports_low
-- Share of usable proxy ports of each pool, percent; no row without a proxy.
SELECT host, usable_pct, ports, '{}'::jsonb FROM proxy_pool

-- name: budget_leak
-- Sessions of six hours that a block ended although they kept their request budget, and of which malls.
SELECT '', coalesce(sum(n), 0)::float8, coalesce(sum(n), 0)::int, coalesce(jsonb_object_agg(mall, n), '{}') FROM (
  SELECT mall, count(*)::int AS n FROM session_leak
  WHERE ended_at > lps.now() - interval '6 hours' GROUP BY mall) AS of_mall

-- name: worker_down
-- By host: worker processes gone silent within the hour that no later start on that host has replaced.
WITH seen AS (
  SELECT host, started_at, seen_at, seen_at < lps.now() - 2 * %(lease_s)s * interval '1 second' AS lost
  FROM worker WHERE stopped_at IS NULL AND seen_at > lps.now() - interval '1 hour'
), hosts AS (
  SELECT host, count(*) FILTER (WHERE lost) AS lost, count(*) FILTER (WHERE NOT lost) AS live,
    min(seen_at) FILTER (WHERE lost) AS first FROM seen GROUP BY host
)
SELECT host, greatest(0, lost - (
    SELECT count(*) FROM seen WHERE seen.host = hosts.host AND NOT seen.lost AND seen.started_at > hosts.first
  ))::float8, (lost + live)::int, jsonb_build_object('live', live) FROM hosts

-- name: no_consumer
-- By queue: how long, in seconds, work waits that no living worker listens for.
SELECT queue_name, greatest(0, extract(epoch FROM lps.now() - min(eta)))::float8, 1, '{}'::jsonb
FROM queue_oldest WHERE eta < lps.now() AND NOT EXISTS (
  SELECT FROM worker WHERE stopped_at IS NULL AND drain_by IS NULL AND queue_name = ANY (queues)
    AND seen_at > lps.now() - 2 * %(lease_s)s * interval '1 second')
GROUP BY queue_name

-- name: drift
-- By mall: share of the hour's reads whose page no longer read as it should, percent; 100 once the canary has seen a change.
SELECT coalesce(reads.mall, seen.mall), CASE WHEN seen.mall IS NULL THEN reads.pct ELSE 100 END::float8,
  coalesce(reads.n, 0), jsonb_build_object('canary', seen.text, 'paused', seen.paused)
FROM (
  SELECT mall, count(*)::int AS n,
    100.0 * count(*) FILTER (WHERE outcome IN ('drift', 'unknown_page')) / count(*) AS pct
  FROM attempt WHERE ended_at > lps.now() - interval '1 hour' AND mall IS NOT NULL AND try > 0
  GROUP BY mall) AS reads
FULL JOIN (
  SELECT mall, min(text) AS text, bool_or(paused) AS paused FROM mall_drift
  WHERE ended_at IS NULL AND sign <> 'search' GROUP BY mall
) AS seen ON seen.mall = reads.mall

-- name: scheduler_late
-- Seconds since the scheduler's own tick was evaluated last; no row before its first.
SELECT '', extract(epoch FROM lps.now() - clock_at)::float8, 1, '{}'::jsonb FROM alert_clock WHERE clock_at IS NOT NULL

-- name: delivery_failing
-- Notices given up within the hour, and those on their way for more than ten minutes.
SELECT '', count(*)::float8, count(*)::int, jsonb_build_object('answer', max(answer), 'status', max(status)) FROM outbox
WHERE kind = 'alert' AND (
  (failed_at > lps.now() - interval '1 hour' AND answer <> 'resolved before it could be sent')
  OR (sent_at IS NULL AND failed_at IS NULL AND created_at < lps.now() - interval '10 minutes'))

-- name: dead_letters
-- Messages that died within the hour and wait for a decision.
SELECT '', count(*)::float8, count(*)::int, '{}'::jsonb FROM dramatiq.queue
WHERE state = 'rejected' AND mtime > lps.now() - interval '1 hour'

-- name: ledger_leak
-- Spending of a day that no search accounts for, and reservations that nobody settled, written off by now or not.
SELECT '', count(*)::float8, count(*)::int, jsonb_build_object(
  'open', count(*) FILTER (WHERE settled_at IS NULL OR leaked), 'usd', coalesce(sum(coalesce(settled_usd, reserved_usd)), 0))
FROM spend s WHERE reserved_at > lps.now() - interval '1 day' AND (
  leaked OR (settled_at IS NULL AND reserved_at < lps.now() - interval '15 minutes')
  OR job_id IS NULL OR NOT EXISTS (SELECT FROM job WHERE job.job_id = s.job_id))
