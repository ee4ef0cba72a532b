-- name: claim
-- Take one minute's evaluation; no row when it was taken already.
INSERT INTO alert_clock AS c (tick, evaluated_at, clock_at)
VALUES (date_trunc('minute', lps.now()), lps.now(), CASE WHEN %(clock)s THEN lps.now() END)
ON CONFLICT (one) DO UPDATE SET tick = excluded.tick, evaluated_at = excluded.evaluated_at,
  clock_at = coalesce(excluded.clock_at, c.clock_at)
WHERE c.tick < excluded.tick
RETURNING lps.now()

-- name: evaluated
-- How much of an evaluation could be measured.
UPDATE alert_clock SET rules = %s, unknown = %s

-- name: pinged
-- What the outside watchdog answered.
UPDATE alert_clock SET ping_status = %s, pinged_at = lps.now()

-- name: late
-- The minute it is, when evaluations have been missing for so many seconds: a worker has to stand in for the clock.
SELECT to_char(lps.now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI') FROM alert_clock
WHERE evaluated_at < lps.now() - %s * interval '1 second'

-- name: clock
-- The last evaluation.
SELECT tick, evaluated_at, clock_at, rules, unknown, ping_status, pinged_at,
  extract(epoch FROM lps.now() - evaluated_at)::float8 FROM alert_clock

-- name: states
-- What every rule knows.
SELECT rule, labels, state, since, value, limit_value, peak, text, clear_since, unknown_since, notices, last_notified,
  notice::text,
  coalesce((SELECT o.sent_at IS NOT NULL FROM outbox o WHERE o.outbox_id = s.notice), false)
FROM alert_state s ORDER BY rule, labels

-- name: save
-- One rule's state after an evaluation.
INSERT INTO alert_state (rule, labels, state, since, value, limit_value, peak, text, clear_since, unknown_since,
  notices, last_notified, notice, evaluated_at)
VALUES (%(rule)s, %(labels)s, %(state)s, %(since)s, %(value)s, %(limit)s, %(peak)s, %(text)s, %(clear_since)s,
  %(unknown_since)s, %(notices)s, %(last_notified)s, %(notice)s, lps.now())
ON CONFLICT (rule, labels) DO UPDATE SET state = excluded.state, since = excluded.since, value = excluded.value,
  limit_value = excluded.limit_value, peak = excluded.peak, text = excluded.text, clear_since = excluded.clear_since,
  unknown_since = excluded.unknown_since, notices = excluded.notices, last_notified = excluded.last_notified,
  notice = excluded.notice, evaluated_at = excluded.evaluated_at

-- name: forget
-- Labels that are calm and have not been measured for a week: a host or a queue that is gone.
DELETE FROM alert_state WHERE labels <> '' AND state = 'ok' AND since < lps.now() - interval '7 days'

-- name: event
-- What happened to a rule.
INSERT INTO alert_event (rule, labels, event, value, text, notice, at) VALUES (%s, %s, %s, %s, %s, %s, lps.now())

-- name: history
-- The latest happenings, of one rule when it is named.
SELECT at, rule, labels, event, value, text, notice::text FROM alert_event
WHERE %(rule)s::text IS NULL OR rule = %(rule)s ORDER BY id DESC LIMIT %(limit)s

-- name: deliveries
-- The latest tries to deliver a notice.
SELECT at, notice::text, outcome, status, answer, took_ms FROM alert_delivery ORDER BY id DESC LIMIT %s

-- name: silences
-- Silences in force.
SELECT id, rule, labels, until, reason, who FROM alert_silence WHERE until > lps.now() ORDER BY until, id

-- name: silence
-- Hold a rule's notices back until then.
INSERT INTO alert_silence (rule, labels, until, reason, who)
VALUES (%s, %s, lps.now() + %s * interval '1 second', %s, %s) RETURNING id

-- name: unsilence
-- End a rule's silences now.
UPDATE alert_silence SET until = greatest(lps.now(), created_at + interval '1 microsecond')
WHERE rule = %s AND until > lps.now()

-- name: notice
-- A notice to be sent; its address is a secret and stays in the settings.
INSERT INTO outbox (outbox_id, kind, url, body) VALUES (%s, 'alert', '[alert] webhook', %s)

-- name: unsent
-- A notice that nobody has yet, its age in seconds, and whether any alert it tells of still holds.
SELECT body, extract(epoch FROM lps.now() - created_at)::float8, attempts,
  NOT (body ? 'holds') OR EXISTS (
    SELECT FROM jsonb_array_elements(body->'holds') h
    JOIN alert_state s ON s.rule = h->>0 AND s.labels = h->>1 AND s.state = h->>2)
FROM outbox WHERE outbox_id = %s AND kind = 'alert' AND sent_at IS NULL AND failed_at IS NULL

-- name: tried
-- One try to send it, and what became of it.
UPDATE outbox SET attempts = attempts + 1, status = %(status)s, answer = %(answer)s,
  sent_at = CASE WHEN %(outcome)s = 'sent' THEN lps.now() END,
  failed_at = CASE WHEN %(outcome)s IN ('failed', 'dropped') THEN lps.now() END
WHERE outbox_id = %(notice)s

-- name: delivery
-- The same for the record.
INSERT INTO alert_delivery (notice, outcome, status, answer, took_ms)
VALUES (%(notice)s, %(outcome)s, %(status)s, %(answer)s, %(took_ms)s)

-- name: prune
-- Events, deliveries, silences and notices past their days.
WITH events AS (DELETE FROM alert_event WHERE at < lps.now() - %(days)s * interval '1 day' RETURNING 1),
deliveries AS (DELETE FROM alert_delivery WHERE at < lps.now() - %(days)s * interval '1 day' RETURNING 1),
silences AS (DELETE FROM alert_silence WHERE until < lps.now() - %(days)s * interval '1 day' RETURNING 1),
notices AS (DELETE FROM outbox WHERE kind = 'alert' AND created_at < lps.now() - %(days)s * interval '1 day'
  AND (sent_at IS NOT NULL OR failed_at IS NOT NULL) RETURNING 1)
SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM deliveries) + (SELECT count(*) FROM silences)
  + (SELECT count(*) FROM notices)
