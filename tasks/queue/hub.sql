-- name: renew
-- Push the leases of this process on; answers with those it no longer holds. Rows that are locked are just being
-- ended: waiting for them would stall every other lease, so they are left alone and not reported.
WITH mine AS MATERIALIZED (
  SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[]) AS m (message_id, fence)
), held AS MATERIALIZED (
  SELECT q.message_id FROM dramatiq.queue q JOIN mine m ON q.message_id = m.message_id AND q.fence = m.fence
  WHERE q.state = 'consumed' FOR UPDATE OF q SKIP LOCKED
), renewed AS (
  UPDATE dramatiq.queue q SET lease_until = lps.now() + %(lease_s)s * interval '1 second'
  FROM held WHERE q.message_id = held.message_id
)
SELECT m.message_id::text, m.fence FROM mine m
WHERE NOT EXISTS (
  SELECT FROM dramatiq.queue q
  WHERE q.message_id = m.message_id AND q.fence = m.fence AND q.state = 'consumed'
)

-- name: stopped
-- This process ends in good order.
UPDATE worker SET stopped_at = lps.now(), seen_at = lps.now(), running = '[]' WHERE worker_id = %(worker_id)s

-- name: due
-- Which of these queues hold something that is due now or before the next look; a few index probes each.
SELECT wanted.name FROM unnest(%(queues)s::text[]) AS wanted (name)
WHERE EXISTS (
  SELECT FROM unnest(%(priorities)s::smallint[]) AS p (priority)
  CROSS JOIN LATERAL (
    SELECT FROM dramatiq.queue q
    WHERE q.state = 'queued' AND q.queue_name = wanted.name AND q.priority = p.priority
      AND q.eta <= lps.now() + %(within_s)s * interval '1 second'
    LIMIT 1
  ) found
)
