-- name: turn
-- The next request to this mall is ours, at least one gap after the one before; no row when it is too far away.
INSERT INTO mall_turn AS t (mall, next_at) VALUES (%(mall)s, lps.now() + %(gap_s)s * interval '1 second')
ON CONFLICT (mall) DO UPDATE SET next_at = greatest(t.next_at, lps.now()) + %(gap_s)s * interval '1 second'
  WHERE t.next_at <= lps.now() + %(most_s)s * interval '1 second'
RETURNING greatest(0, extract(epoch FROM next_at - lps.now()) - %(gap_s)s)::float8

-- name: alone
-- One at a time looks for a slot, so that each sees what the one before it took.
SELECT pg_advisory_xact_lock(hashtextextended('lps slot ' || %(mall)s, 0))

-- name: make
-- As many slots as are allowed now.
INSERT INTO mall_slot (mall, n) SELECT %(mall)s, n FROM generate_series(1, %(most)s) AS n ON CONFLICT DO NOTHING

-- name: slot
-- Take a slot whose holder runs no more.
UPDATE mall_slot SET message_id = %(message_id)s, fence = %(fence)s
WHERE (mall, n) = (
  SELECT s.mall, s.n FROM mall_slot s
  WHERE s.mall = %(mall)s AND s.n <= %(most)s AND NOT EXISTS (
    SELECT FROM dramatiq.queue q
    WHERE q.message_id = s.message_id AND q.fence = s.fence AND q.state = 'consumed')
  ORDER BY s.n LIMIT 1
)

-- name: postpone
-- Consumed to queued, due later, the try not counted.
UPDATE dramatiq.queue SET state = 'queued', owner = NULL, lease_until = NULL, mtime = lps.now(),
  attempts = attempts - 1, eta = lps.now() + %(delay_s)s * interval '1 second'
WHERE message_id = %(message_id)s AND state = 'consumed' AND fence = %(fence)s
