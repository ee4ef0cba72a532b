-- name: hit
-- So many more in the window that is open now, and the seconds until it is over; windows of a day begin at midnight in Korea.
INSERT INTO rate AS r (key, window_start, n)
VALUES (%(key)s,
  to_timestamp(floor((extract(epoch FROM lps.now()) + 32400) / %(window_s)s) * %(window_s)s - 32400), %(n)s)
ON CONFLICT (key, window_start) DO UPDATE SET n = r.n + excluded.n
RETURNING n, (%(window_s)s - (extract(epoch FROM lps.now())::numeric + 32400) %% %(window_s)s)::float8

-- name: prune
-- Windows that are over.
DELETE FROM rate WHERE window_start < lps.now() - interval '2 days'
