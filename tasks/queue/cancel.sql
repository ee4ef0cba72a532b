-- name: cancel
-- Messages of one job are done, whoever works on them: the fence is raised, and what ran leaves a row in `attempt`.
WITH mine AS MATERIALIZED (
  SELECT message_id, state, attempts, mtime, owner, message FROM dramatiq.queue
  WHERE message_id = ANY (%(ids)s::uuid[]) AND state IN ('queued', 'consumed', 'rejected')
  ORDER BY message_id FOR UPDATE
), ended AS (
  UPDATE dramatiq.queue q SET state = 'done', owner = NULL, lease_until = NULL, fence = q.fence + 1,
    mtime = lps.now(), last_error = %(reason)s
  FROM mine WHERE q.message_id = mine.message_id
), tried AS (
  INSERT INTO attempt (job_id, stage, mall, round, try, message_id, worker, started_at, outcome, error_type, error)
  SELECT %(job_id)s, message->>'actor_name',
    CASE WHEN message->>'actor_name' = ANY (%(malls)s) THEN message->>'actor_name' END,
    coalesce((message->'options'->>'round')::smallint, 0), attempts, message_id,
    coalesce(w.host || ':' || w.pid, mine.owner::text), mtime, 'cancelled', 'Cancelled', %(reason)s
  FROM mine LEFT JOIN worker w ON w.worker_id = mine.owner WHERE state = 'consumed'
)
SELECT count(*) FILTER (WHERE state = 'queued')::int, count(*) FILTER (WHERE state = 'consumed')::int,
  pg_notify('lps', 'cancel ' || %(job_id)s)::text
FROM mine
