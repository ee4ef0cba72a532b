-- name: listed
-- Dead messages, newest first; of one queue, of one group, or all.
SELECT message_id::text, queue_name, message::text, attempts, last_error, enqueued_at, mtime
FROM dramatiq.queue
WHERE state = 'rejected' AND (%(queue)s::text IS NULL OR queue_name = %(queue)s)
  AND (%(ids)s::uuid[] IS NULL OR message_id = ANY (%(ids)s::uuid[]))
  AND (%(group)s::text IS NULL OR md5(concat_ws('|', queue_name, message->>'actor_name',
    regexp_replace(last_error, '[0-9a-fA-F-]{8,}|[0-9]+', '#', 'g'))) LIKE %(group)s || '%%')
ORDER BY mtime DESC, message_id LIMIT %(limit)s

-- name: groups
-- Dead messages by queue, actor and error; numbers and ids in the error do not make it another one.
SELECT left(md5(concat_ws('|', queue_name, message->>'actor_name', error)), 8), queue_name,
  coalesce(message->>'actor_name', ''), error, count(*)::int, min(mtime), max(mtime)
FROM (
  SELECT *, regexp_replace(last_error, '[0-9a-fA-F-]{8,}|[0-9]+', '#', 'g') AS error
  FROM dramatiq.queue WHERE state = 'rejected'
) dead
GROUP BY queue_name, message->>'actor_name', error
ORDER BY count(*) DESC, max(mtime) DESC

-- name: revived
-- One dead message is queued again with all its tries: rejected to queued.
WITH again AS (
  UPDATE dramatiq.queue SET state = 'queued', attempts = 0, mtime = lps.now(),
    eta = lps.now() + %(delay_s)s * interval '1 second'
  WHERE message_id = %(message_id)s AND state = 'rejected'
  RETURNING message_id, queue_name
), noted AS (
  INSERT INTO audit (who, action, subject) SELECT %(who)s, 'replay', message_id::text FROM again
)
SELECT pg_notify('lps', queue_name)::text FROM again

-- name: discarded
-- One dead message is given up by a person: rejected to done, its error and the reason kept.
WITH gone AS (
  UPDATE dramatiq.queue SET state = 'done', mtime = lps.now()
  WHERE message_id = %(message_id)s AND state = 'rejected'
  RETURNING message_id, last_error
)
INSERT INTO audit (who, action, subject, detail)
SELECT %(who)s, 'discard', message_id::text, jsonb_build_object('reason', %(reason)s::text, 'error', last_error) FROM gone
