-- name: listed
-- Dead messages, newest first; of one queue, of one group, by id (its beginning is enough, a job's whole id too), or all.
SELECT message_id::text, queue_name, message::text, attempts, last_error, enqueued_at, mtime
FROM dramatiq.queue
WHERE state = 'rejected' AND (%(queue)s::text IS NULL OR queue_name = %(queue)s)
  AND (%(ids)s::text[] IS NULL OR EXISTS (SELECT FROM unnest(%(ids)s::text[]) AS wanted (id)
    WHERE message_id::text LIKE wanted.id || '%%' OR message->'args'->>0 = wanted.id))
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

-- name: counted
-- How many messages are dead, of the kind that `listed` would list.
SELECT count(*) FROM dramatiq.queue
WHERE state = 'rejected' AND (%(queue)s::text IS NULL OR queue_name = %(queue)s)
  AND (%(ids)s::text[] IS NULL OR EXISTS (SELECT FROM unnest(%(ids)s::text[]) AS wanted (id)
    WHERE message_id::text LIKE wanted.id || '%%' OR message->'args'->>0 = wanted.id))
  AND (%(group)s::text IS NULL OR md5(concat_ws('|', queue_name, message->>'actor_name',
    regexp_replace(last_error, '[0-9a-fA-F-]{8,}|[0-9]+', '#', 'g'))) LIKE %(group)s || '%%')

-- name: tries
-- Every try of one message, oldest first.
SELECT try, worker, started_at, ended_at, outcome, coalesce(error_type || ': ' || error, '') FROM attempt
WHERE message_id = %(message_id)s AND (job_id = %(job_id)s::uuid OR %(job_id)s::uuid IS NULL) ORDER BY attempt_id

-- name: noted
-- What people did to one message or job, oldest first.
SELECT at, who, action, detail FROM audit WHERE subject = %(subject)s ORDER BY audit_id

-- name: revived
-- One dead message is queued again with all its tries: rejected to queued.
WITH again AS (
  UPDATE dramatiq.queue SET state = 'queued', attempts = 0, mtime = lps.now(),
    eta = lps.now() + %(delay_s)s * interval '1 second'
  WHERE message_id = %(message_id)s AND state = 'rejected'
  RETURNING message_id, queue_name, last_error
), noted AS (
  INSERT INTO audit (who, action, subject, detail)
  SELECT %(who)s, 'replay', message_id::text,
    jsonb_build_object('error', last_error, 'attempts', %(attempts)s::int, 'delay_s', %(delay_s)s::float8)
  FROM again
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
