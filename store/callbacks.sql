-- name: wish
-- Somebody wants to be told when this search ends.
INSERT INTO job_callback (job_id, url, signer) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING

-- name: wished
-- Who is to be told.
SELECT url, signer FROM job_callback WHERE job_id = %s

-- name: put
-- One message to deliver.
INSERT INTO outbox (outbox_id, job_id, kind, url, body, event, signer, until)
VALUES (%(id)s, %(job_id)s, %(kind)s, %(url)s, %(body)s, %(event)s, %(signer)s,
  lps.now() + %(hours)s * interval '1 hour')
ON CONFLICT (outbox_id) DO NOTHING

-- name: take
-- A message that is still to be delivered.
SELECT outbox_id::text, url, body, event, signer, kind, until < lps.now(), attempts, created_at
FROM outbox WHERE outbox_id = %s AND sent_at IS NULL AND failed_at IS NULL

-- name: tried
-- One try of a delivery, for the log.
INSERT INTO outbox_try (outbox_id, try, status, error, took_ms)
SELECT %(id)s, coalesce(max(try), 0) + 1, %(status)s, %(error)s, %(took_ms)s FROM outbox_try WHERE outbox_id = %(id)s

-- name: note
-- What the last try brought; sent and failed end the delivery.
UPDATE outbox SET attempts = attempts + 1, status = %(status)s, answer = %(error)s,
  sent_at = CASE WHEN %(sent)s THEN lps.now() END, failed_at = CASE WHEN %(failed)s THEN lps.now() END
WHERE outbox_id = %(id)s AND sent_at IS NULL AND failed_at IS NULL

-- name: listed
-- A page of deliveries, the newest first.
SELECT outbox_id::text, job_id::text, kind, event, url, attempts, status, answer, created_at, sent_at, failed_at
FROM outbox
WHERE kind IN ('callback', 'price') AND (%(job_id)s::uuid IS NULL OR job_id = %(job_id)s::uuid) AND (%(signer)s::text IS NULL OR signer = %(signer)s)
  AND (%(state)s::text IS NULL OR %(state)s = CASE WHEN sent_at IS NOT NULL THEN 'sent'
    WHEN failed_at IS NOT NULL THEN 'failed' ELSE 'waiting' END)
  AND (%(before)s::uuid IS NULL OR (created_at, outbox_id) <
    (SELECT created_at, outbox_id FROM outbox WHERE outbox_id = %(before)s::uuid))
ORDER BY created_at DESC, outbox_id DESC LIMIT %(limit)s

-- name: one
-- One delivery.
SELECT outbox_id::text, job_id::text, kind, event, url, attempts, status, answer, created_at, sent_at, failed_at
FROM outbox WHERE outbox_id = %(id)s AND kind IN ('callback', 'price') AND (%(signer)s::text IS NULL OR signer = %(signer)s)

-- name: tries
-- Every try of one delivery.
SELECT try, at, status, error, took_ms FROM outbox_try WHERE outbox_id = %s ORDER BY try

-- name: again
-- A delivery that ended, well or not, is made once more.
UPDATE outbox SET sent_at = NULL, failed_at = NULL, until = lps.now() + %(hours)s * interval '1 hour'
WHERE outbox_id = %(id)s AND (sent_at IS NOT NULL OR failed_at IS NOT NULL)
  AND (%(signer)s::text IS NULL OR signer = %(signer)s)
RETURNING attempts
