-- How a try ends. Each demands state consumed and the fence of its claim, writes the try into `attempt` in the same
-- statement, and answers with no row when another worker owns the message.

-- name: finish
-- The work is done: consumed to done.
WITH ended AS (
  UPDATE dramatiq.queue SET state = 'done', owner = NULL, lease_until = NULL, mtime = lps.now()
  WHERE message_id = %(message_id)s AND state = 'consumed' AND fence = %(fence)s
  RETURNING message_id
)
INSERT INTO attempt (job_id, stage, mall, round, try, message_id, worker, started_at, outcome, error_type, error)
SELECT %(job_id)s::uuid, %(stage)s, %(mall)s, %(round)s::smallint, %(try)s::smallint, message_id, %(worker)s,
  %(started_at)s::timestamptz, %(outcome)s, %(error_type)s, %(error)s
FROM ended

-- name: finish_all
-- The work of many messages is done: consumed to done, each for its owner only; answers with those that were.
WITH given AS MATERIALIZED (
  SELECT * FROM json_to_recordset(%(rows)s::json) AS g (message_id uuid, fence bigint, job_id uuid, stage text,
    mall text, round smallint, try smallint, worker text, started_at timestamptz, outcome text)
), ended AS (
  UPDATE dramatiq.queue q SET state = 'done', owner = NULL, lease_until = NULL, mtime = lps.now()
  FROM given g WHERE q.message_id = g.message_id AND q.state = 'consumed' AND q.fence = g.fence
  RETURNING q.message_id, q.fence
), tried AS (
  INSERT INTO attempt (job_id, stage, mall, round, try, message_id, worker, started_at, outcome)
  SELECT g.job_id, g.stage, g.mall, g.round, g.try, g.message_id, g.worker, g.started_at, g.outcome
  FROM ended JOIN given g USING (message_id, fence)
)
SELECT message_id::text, fence FROM ended

-- name: retry
-- It failed and is tried again after a while: consumed to queued, the same row.
WITH ended AS (
  UPDATE dramatiq.queue SET state = 'queued', owner = NULL, lease_until = NULL, mtime = lps.now(),
    eta = lps.now() + %(delay_s)s * interval '1 second', last_error = %(error_type)s || ': ' || %(error)s
  WHERE message_id = %(message_id)s AND state = 'consumed' AND fence = %(fence)s
  RETURNING message_id, queue_name
), tried AS (
  INSERT INTO attempt (job_id, stage, mall, round, try, message_id, worker, started_at, outcome, error_type, error)
  SELECT %(job_id)s, %(stage)s, %(mall)s, %(round)s, %(try)s, message_id, %(worker)s, %(started_at)s, %(outcome)s,
    %(error_type)s, %(error)s
  FROM ended
)
SELECT pg_notify('lps', queue_name)::text FROM ended

-- name: bury
-- No try is left, or none can help: consumed to rejected.
WITH ended AS (
  UPDATE dramatiq.queue SET state = 'rejected', owner = NULL, lease_until = NULL, mtime = lps.now(),
    last_error = %(error_type)s || ': ' || %(error)s
  WHERE message_id = %(message_id)s AND state = 'consumed' AND fence = %(fence)s
  RETURNING message_id
)
INSERT INTO attempt (job_id, stage, mall, round, try, message_id, worker, started_at, outcome, error_type, error)
SELECT %(job_id)s, %(stage)s, %(mall)s, %(round)s, %(try)s, message_id, %(worker)s, %(started_at)s, %(outcome)s,
  %(error_type)s, %(error)s
FROM ended

-- name: release
-- This worker stops: consumed to queued at once, and the try does not count. A try that never began leaves no trace.
WITH ended AS (
  UPDATE dramatiq.queue SET state = 'queued', owner = NULL, lease_until = NULL, mtime = lps.now(),
    attempts = attempts - 1, eta = lps.now()
  WHERE message_id = %(message_id)s AND state = 'consumed' AND fence = %(fence)s
  RETURNING message_id, queue_name
), tried AS (
  INSERT INTO attempt (job_id, stage, mall, round, try, message_id, worker, started_at, outcome, error_type, error)
  SELECT %(job_id)s, %(stage)s, %(mall)s, %(round)s, %(try)s, message_id, %(worker)s, %(started_at)s, %(outcome)s,
    %(error_type)s, %(error)s
  FROM ended WHERE %(worker)s <> ''
)
SELECT pg_notify('lps', queue_name)::text FROM ended
