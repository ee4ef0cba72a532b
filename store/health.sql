-- name: record
-- Add one page's cards to this hour.
INSERT INTO page_health (hour, mall, field, cards, had)
SELECT date_trunc('hour', lps.now()), %(mall)s, field, cards, had
FROM unnest(%(fields)s::text[], %(cards)s::bigint[], %(had)s::float8[]) AS f (field, cards, had)
ON CONFLICT (mall, field, hour) DO UPDATE SET cards = page_health.cards + excluded.cards,
  had = page_health.had + excluded.had

-- name: between
-- What a mall's cards had from so many hours ago until so many hours ago, whole hours.
SELECT field, sum(cards)::bigint, sum(had)::float8 FROM page_health
WHERE mall = %(mall)s AND hour >= date_trunc('hour', lps.now()) - %(from_h)s * interval '1 hour'
  AND hour < date_trunc('hour', lps.now()) - %(to_h)s * interval '1 hour'
GROUP BY field

-- name: drifted
-- A mall's pages changed; said again, it is still the same trouble.
INSERT INTO mall_drift (mall, sign, text, value, usual, paused)
VALUES (%(mall)s, %(sign)s, %(text)s, %(value)s, %(usual)s, %(paused)s)
ON CONFLICT (mall, sign) DO UPDATE SET text = excluded.text, value = excluded.value, usual = excluded.usual,
  paused = excluded.paused OR (mall_drift.paused AND mall_drift.ended_at IS NULL),
  since = CASE WHEN mall_drift.ended_at IS NULL THEN mall_drift.since ELSE lps.now() END,
  seen_at = lps.now(), ended_at = NULL
RETURNING since = seen_at

-- name: recovered
-- A mall's pages read as they used to.
UPDATE mall_drift SET ended_at = lps.now() WHERE mall = %s AND ended_at IS NULL RETURNING sign

-- name: drifting
-- Malls whose pages changed, the longest first.
SELECT mall, sign, text, value, usual, paused, since, seen_at FROM mall_drift WHERE ended_at IS NULL ORDER BY since, mall

-- name: hold
-- Hold a mall back, unless someone does already: nobody's pause is replaced.
WITH held AS (
  INSERT INTO queue_pause (name, reason, who) VALUES (%(mall)s, %(reason)s, %(who)s)
  ON CONFLICT (name) DO NOTHING RETURNING name
)
INSERT INTO audit (who, action, subject, detail)
SELECT %(who)s, 'pause', name, jsonb_build_object('reason', %(reason)s::text) FROM held

-- name: release
-- Ask it again; only what this one held back, and the workers are told at COMMIT.
WITH released AS (
  DELETE FROM queue_pause WHERE name = %(mall)s AND who = %(who)s RETURNING name
), noted AS (
  INSERT INTO audit (who, action, subject) SELECT %(who)s, 'resume', name FROM released
)
SELECT pg_notify('lps', name)::text FROM released

-- name: forget
-- Hours past their days, and troubles long over.
WITH hours AS (
  DELETE FROM page_health WHERE hour < lps.now() - %(days)s * interval '1 day' RETURNING 1
), over AS (
  DELETE FROM mall_drift WHERE ended_at < lps.now() - %(days)s * interval '1 day' RETURNING 1
)
SELECT (SELECT count(*) FROM hours) + (SELECT count(*) FROM over)
