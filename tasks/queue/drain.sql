-- name: workers
-- Processes that live or have gone within the hour, with what is the matter with them.
SELECT worker_id::text, host, pid, queues,
  CASE WHEN stopped_at IS NOT NULL THEN 'stopped'
    WHEN seen_at < lps.now() - 2 * %(lease_s)s * interval '1 second' THEN 'lost'
    WHEN EXISTS (SELECT FROM jsonb_array_elements(running) r
      WHERE (r->>'since')::timestamptz < lps.now() - %(stuck_s)s * interval '1 second') THEN 'stuck'
    WHEN drain_by IS NOT NULL THEN 'draining'
    WHEN jsonb_array_length(running) > 0 THEN 'working'
    ELSE 'idle' END,
  jsonb_array_length(running), rss_bytes, started_at, seen_at
FROM worker WHERE seen_at > lps.now() - interval '1 hour'
ORDER BY stopped_at IS NOT NULL, started_at DESC

-- name: drain
-- Ask workers to finish and end; they are told at COMMIT, and find it with their next heartbeat in any case.
WITH asked AS (
  UPDATE worker SET drain_by = %(who)s
  WHERE stopped_at IS NULL AND drain_by IS NULL AND seen_at > lps.now() - interval '5 minutes'
    AND (%(worker)s::text IS NULL OR worker_id::text LIKE %(worker)s || '%%')
    AND (%(host)s::text IS NULL OR host = %(host)s)
  RETURNING worker_id
), noted AS (
  INSERT INTO audit (who, action, subject) SELECT %(who)s, 'drain', worker_id::text FROM asked
)
SELECT worker_id::text, pg_notify('lps', 'drain ' || worker_id)::text FROM asked
