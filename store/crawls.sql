-- name: usable_ports_pct
-- Share of the proxy ports that do not rest, of the pool and the mall with the fewest; NULL without any port.
SELECT min(usable_pct) FROM proxy_pool

-- name: block_sessions
-- Crawl sessions that ended in a block although they kept their request budget.
SELECT count(*) FROM session_leak WHERE ended_at > lps.now() - %s * interval '1 hour'

-- name: blocked
-- A mall refused us.
INSERT INTO bot_detection (job_id, mall, marker, ip, ip_request_no)
VALUES (%(job_id)s, %(mall)s, %(marker)s, %(ip)s, %(request_no)s)

-- name: trip
-- Too many refusals within the window, or the probe was refused: nobody asks for a while, twice as long each time.
INSERT INTO mall_breaker (mall, until)
SELECT %(mall)s, lps.now() + %(hold_s)s * interval '1 second'
WHERE (SELECT count(*) FROM bot_detection WHERE mall = %(mall)s AND at > lps.now() - %(window_s)s * interval '1 second')
  >= %(blocks)s OR EXISTS (SELECT FROM mall_breaker WHERE mall = %(mall)s AND probe = %(visit)s)
ON CONFLICT (mall) DO UPDATE SET probe = NULL, probe_until = NULL, strikes = mall_breaker.strikes + 1,
  until = lps.now() + least(%(most_s)s, %(hold_s)s * 2.0 ^ least(20, mall_breaker.strikes)) * interval '1 second'
WHERE mall_breaker.probe = %(visit)s

-- name: admit
-- Whether a mall may be asked: seconds until then (0 = now, NULL = no breaker is open), and whether this visit is the
-- one that tries. While it does, for everybody else it takes as long as the try may last.
WITH probe AS (
  UPDATE mall_breaker SET probe = %(visit)s, probe_until = lps.now() + %(probe_s)s * interval '1 second'
  WHERE mall = %(mall)s AND until <= lps.now() AND (probe IS NULL OR probe = %(visit)s OR probe_until < lps.now())
  RETURNING mall
)
SELECT extract(epoch FROM greatest(until, coalesce(probe_until, until)) - lps.now())::float8,
  EXISTS (SELECT FROM probe)
FROM mall_breaker WHERE mall = %(mall)s

-- name: mend
-- The probe was answered.
DELETE FROM mall_breaker WHERE mall = %(mall)s AND probe = %(visit)s

-- name: drop_probe
-- The probe said nothing about the mall: another may try.
UPDATE mall_breaker SET probe = NULL, probe_until = NULL WHERE mall = %(mall)s AND probe = %(visit)s

-- name: count_pages
-- So many pages of a mall's day, if its cap allows them; negative gives some back.
INSERT INTO mall_day AS d (mall, day, pages) VALUES (%(mall)s, (lps.now() AT TIME ZONE 'Asia/Seoul')::date, %(n)s)
ON CONFLICT (mall, day) DO UPDATE SET pages = greatest(0, d.pages + %(n)s) WHERE d.pages + %(n)s <= %(cap)s
RETURNING pages

-- name: forget_days
-- Days that are over.
DELETE FROM mall_day WHERE day < (lps.now() AT TIME ZONE 'Asia/Seoul')::date - 30
