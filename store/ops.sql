-- name: snapshot
-- What an operator asks first: how much waits, how long, what went wrong in the last hour, what it cost.
SELECT
  (SELECT coalesce(jsonb_object_agg(status, n), '{}') FROM (
    SELECT status, count(*) AS n FROM job GROUP BY status) AS by_status),
  (SELECT coalesce(extract(epoch FROM lps.now() - min(eta)), 0)::float8 FROM dramatiq.queue q
    WHERE state = 'queued' AND eta <= lps.now() AND NOT EXISTS (SELECT FROM queue_pause p WHERE p.name = q.queue_name)),
  (SELECT count(*) FROM job WHERE status = 4 AND finished_at > lps.now() - interval '1 hour'),
  (SELECT count(*) FROM dramatiq.queue WHERE state = 'consumed' AND lease_until < lps.now()),
  (SELECT count(*) FROM bot_detection WHERE at > lps.now() - interval '1 hour'),
  (SELECT count(*) FROM attempt WHERE error_type = 'JobDeadlineExceeded' AND ended_at > lps.now() - interval '1 hour'),
  (SELECT coalesce(sum((result->'metrics'->'cost'->>'total_usd')::numeric), 0) FROM job
    WHERE status = 3 AND finished_at > lps.now() - interval '1 hour')

-- name: stages
-- How long the tries of each stage took in the last hour, milliseconds.
SELECT stage, count(*)::float8,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY took)::float8, percentile_cont(0.95) WITHIN GROUP (ORDER BY took)::float8
FROM (SELECT stage, extract(epoch FROM ended_at - started_at) * 1000 AS took FROM attempt
  WHERE ended_at > lps.now() - interval '1 hour' AND try > 0) AS tries
GROUP BY stage ORDER BY stage

-- name: record_block
-- A mall refused us.
INSERT INTO bot_detection (job_id, mall, marker, ip, ip_request_no) VALUES (%s, %s, %s, %s, %s)

-- name: paused
-- What an operator holds back, and why.
SELECT name, reason FROM queue_pause
