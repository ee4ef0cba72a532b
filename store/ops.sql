-- name: snapshot
-- What an operator asks first: how much waits, how long, what went wrong in the last hour, what it cost.
WITH running AS (
  SELECT count(*) FILTER (WHERE lease_until < lps.now()) AS lost,
    count(*) FILTER (WHERE lease_until >= lps.now() AND mtime < lps.now() - %(stuck_s)s * interval '1 second') AS stuck
  FROM dramatiq.queue WHERE state = 'consumed'
)
SELECT
  (SELECT coalesce(jsonb_object_agg(status, n), '{}') FROM (
    SELECT status, count(*) AS n FROM job GROUP BY status) AS by_status),
  (SELECT greatest(0, coalesce(extract(epoch FROM lps.now() - min(eta)), 0))::float8 FROM queue_oldest),
  (SELECT count(*) FROM job WHERE status = 4 AND finished_at > lps.now() - interval '1 hour'),
  (SELECT stuck FROM running),
  (SELECT lost FROM running),
  (SELECT count(*) FROM bot_detection WHERE at > lps.now() - interval '1 hour'),
  (SELECT count(*) FROM attempt WHERE error_type = 'JobDeadlineExceeded' AND ended_at > lps.now() - interval '1 hour'),
  (SELECT coalesce(sum((result->'metrics'->'cost'->>'total_usd')::numeric), 0) FROM job
    WHERE status = 3 AND finished_at > lps.now() - interval '1 hour')

-- name: workers
-- Worker processes that have not stopped in order, those gone silent included, for an hour.
-- A lost one runs what still stands in its name.
SELECT worker_id::text, host, pid, queues,
  CASE WHEN seen_at < lps.now() - 2 * %(lease_s)s * interval '1 second'
    THEN (SELECT count(*)::int FROM dramatiq.queue q WHERE q.state = 'consumed' AND q.owner = worker_id)
    ELSE jsonb_array_length(running) END,
  rss_bytes, started_at, seen_at,
  CASE WHEN seen_at < lps.now() - 2 * %(lease_s)s * interval '1 second' THEN 'lost'
    WHEN EXISTS (SELECT FROM jsonb_array_elements(running) r
      WHERE (r->>'since')::timestamptz < lps.now() - %(stuck_s)s * interval '1 second') THEN 'stuck'
    WHEN drain_by IS NOT NULL THEN 'draining'
    WHEN jsonb_array_length(running) > 0 THEN 'working'
    ELSE 'idle' END
FROM worker WHERE stopped_at IS NULL AND seen_at > lps.now() - interval '1 hour'
ORDER BY host, pid

-- name: stages
-- How long the tries of each stage took in the last hour, milliseconds.
SELECT stage, count(*)::float8,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY took)::float8, percentile_cont(0.95) WITHIN GROUP (ORDER BY took)::float8
FROM (SELECT stage, extract(epoch FROM ended_at - started_at) * 1000 AS took FROM attempt
  WHERE ended_at > lps.now() - interval '1 hour' AND try > 0) AS tries
GROUP BY stage ORDER BY stage

-- name: paused
-- What an operator holds back, why, who and since when.
SELECT name, reason, who, since FROM queue_pause ORDER BY since, name

-- name: server_time
-- The database's own clock, seconds since 1970.
SELECT extract(epoch FROM lps.now())::float8
