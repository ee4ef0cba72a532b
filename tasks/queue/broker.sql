-- name: enqueue
-- New messages: queued, due after their delay; one that is known already is left as it is. Queues that got something
-- due soon are notified, once each, where somebody waits for that.
WITH added AS (
  INSERT INTO dramatiq.queue (message_id, queue_name, state, message, priority, eta)
  SELECT m.message_id, m.queue_name, 'queued', m.message, m.priority, lps.now() + m.delay_s * interval '1 second'
  FROM unnest(%(ids)s::uuid[], %(queues)s::text[], %(messages)s::jsonb[], %(priorities)s::smallint[],
    %(delays)s::float8[]) AS m (message_id, queue_name, message, priority, delay_s)
  ON CONFLICT (message_id) DO NOTHING
  RETURNING queue_name, eta
), due AS (
  SELECT DISTINCT queue_name FROM added WHERE eta <= lps.now() + %(within_s)s * interval '1 second'
)
SELECT (SELECT count(*) FROM added), (
  SELECT count(pg_notify('lps', queue_name)::text) FROM due WHERE NOT lps.unheard(queue_name)
)

-- name: enqueue_one
-- `enqueue` for one message that is due now, the way most are sent: the least that a commit can cost.
WITH added AS (
  INSERT INTO dramatiq.queue (message_id, queue_name, state, message, priority)
  VALUES (%(id)s, %(queue)s, 'queued', %(message)s, %(priority)s)
  ON CONFLICT (message_id) DO NOTHING
  RETURNING queue_name
)
SELECT pg_notify('lps', queue_name)::text FROM added WHERE NOT lps.unheard(queue_name)

-- name: flush
-- Queued messages of one queue are gone.
DELETE FROM dramatiq.queue WHERE queue_name = %(queue)s AND state = 'queued'

-- name: open
-- Messages of one queue that wait or run.
SELECT count(*) FROM dramatiq.queue WHERE queue_name = %(queue)s AND state IN ('queued', 'consumed')
