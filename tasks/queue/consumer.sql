-- name: claim
-- Up to n due messages of one queue: queued to consumed, fence raised. One row more often than not holds no message
-- but the seconds until the next one is due. Priorities are listed, so that each is one short range of the index
-- however many delayed rows lie in it.
WITH ready AS MATERIALIZED (
  SELECT due.message_id
  FROM unnest(%(priorities)s::smallint[]) AS p (priority)
  CROSS JOIN LATERAL (
    SELECT q.message_id FROM dramatiq.queue q
    WHERE q.state = 'queued' AND q.queue_name = %(queue)s AND q.priority = p.priority AND q.eta <= lps.now()
    ORDER BY q.eta LIMIT %(n)s FOR UPDATE SKIP LOCKED
  ) due
  WHERE NOT EXISTS (SELECT FROM queue_pause WHERE name = %(queue)s)
  LIMIT %(n)s
), claimed AS (
  UPDATE dramatiq.queue q SET state = 'consumed', owner = %(owner)s, fence = q.fence + 1, attempts = q.attempts + 1,
    lease_until = lps.now() + %(lease_s)s * interval '1 second', mtime = lps.now()
  FROM ready WHERE q.message_id = ready.message_id
  RETURNING q.message_id, q.message::text AS message, q.fence, q.attempts, q.priority, q.eta, q.mtime
), upcoming AS (
  SELECT extract(epoch FROM min(next.eta) - lps.now())::float8 AS in_s
  FROM unnest(%(priorities)s::smallint[]) AS p (priority)
  CROSS JOIN LATERAL (
    SELECT q.eta FROM dramatiq.queue q
    WHERE q.state = 'queued' AND q.queue_name = %(queue)s AND q.priority = p.priority AND q.eta > lps.now()
    ORDER BY q.eta LIMIT 1
  ) next
)
SELECT upcoming.in_s, claimed.message_id::text, claimed.message, claimed.fence, claimed.attempts, claimed.mtime
FROM upcoming LEFT JOIN claimed ON true
ORDER BY claimed.priority, claimed.eta
