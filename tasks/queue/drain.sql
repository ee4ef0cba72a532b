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
