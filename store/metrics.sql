-- name: begin
-- Nothing was ever added up.
INSERT INTO rollup_clock (folded_to) VALUES ('-infinity') ON CONFLICT DO NOTHING

-- name: hold
-- From when to when happenings are to be added up, while nobody else does; what is younger than two minutes may still be
-- being written.
SELECT folded_to::text, greatest(folded_to, lps.now() - interval '2 minutes')::text FROM rollup_clock FOR UPDATE

-- name: fold
-- Add them up by the hour.
INSERT INTO rollup AS r (hour, name, label, n, total)
SELECT date_trunc('hour', at), name, label, count(*), coalesce(sum(amount), 0) FROM happening
WHERE at > %(since)s AND at <= %(upto)s GROUP BY 1, 2, 3
ON CONFLICT (hour, name, label) DO UPDATE SET n = r.n + excluded.n, total = r.total + excluded.total

-- name: folded
-- They are.
UPDATE rollup_clock SET folded_to = %s

-- name: shrink
-- Hours of more than a year ago become one.
WITH old AS (DELETE FROM rollup WHERE hour < lps.now() - interval '400 days' AND hour > '-infinity' RETURNING name, label, n, total)
INSERT INTO rollup AS r (hour, name, label, n, total)
SELECT '-infinity', name, label, sum(n), sum(total) FROM old GROUP BY name, label
ON CONFLICT (hour, name, label) DO UPDATE SET n = r.n + excluded.n, total = r.total + excluded.total

-- name: counters
-- All that ever happened: what is added up, and what came since.
SELECT name, label, sum(n)::float8, sum(total)::float8 FROM (
  SELECT name, label, n, total FROM rollup
  UNION ALL
  SELECT name, label, count(*), coalesce(sum(amount), 0) FROM happening
  WHERE at > coalesce((SELECT folded_to FROM rollup_clock), '-infinity') GROUP BY name, label
) AS whole GROUP BY name, label ORDER BY name, label

-- name: hours
-- By hour, what happened of one name.
SELECT hour, label, n, total FROM rollup WHERE name = %s AND hour >= lps.now() - %s * interval '1 hour' ORDER BY hour, label

-- name: jobs
-- Searches by status.
SELECT status, count(*) FROM job GROUP BY status

-- name: queues
-- Age of the oldest message of each queue that may run, seconds.
SELECT queue_name, greatest(0, extract(epoch FROM lps.now() - min(eta)))::float8 FROM queue_oldest GROUP BY queue_name

-- name: workers
-- Living and lost worker processes, and the age of the oldest heartbeat among the living, seconds.
SELECT count(*) FILTER (WHERE age_s < %(lost_s)s), count(*) FILTER (WHERE age_s >= %(lost_s)s),
  coalesce(max(age_s) FILTER (WHERE age_s < %(lost_s)s), 0)::float8
FROM (SELECT extract(epoch FROM lps.now() - seen_at) AS age_s FROM worker
  WHERE stopped_at IS NULL AND seen_at > lps.now() - interval '1 hour') AS seen

-- name: ports
-- Proxy ports that may be used, and those that rest.
SELECT count(*) FILTER (WHERE NOT rests), count(*) FILTER (WHERE rests) FROM (
  SELECT EXISTS (SELECT FROM jsonb_each_text(cooldown_until) AS c WHERE c.value::timestamptz > lps.now()) AS rests
  FROM proxy_port) AS port

-- name: alerts
-- The worst state of each rule: 0 ok, 1 pending, 2 unknown, 3 firing.
SELECT rule, max(array_position(ARRAY['ok', 'pending', 'unknown', 'firing'], state)) - 1 FROM alert_state GROUP BY rule

-- name: budgets
-- What today and this hour (Seoul) have used, USD.
SELECT scope, used_usd::float8 FROM budget
WHERE (scope = 'day' AND name = to_char(lps.now() AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD'))
  OR (scope = 'hour' AND name = to_char(lps.now() AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD"T"HH24'))

-- name: notified
-- When a notice was delivered last, and when the rules were evaluated last, seconds since 1970.
SELECT coalesce((SELECT extract(epoch FROM max(at)) FROM alert_delivery WHERE outcome = 'sent'), 0)::float8,
  coalesce((SELECT extract(epoch FROM evaluated_at) FROM alert_clock), 0)::float8
