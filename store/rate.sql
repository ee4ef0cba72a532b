-- name: hit
-- One more in the window that is open now, and the seconds until it is over.
INSERT INTO rate AS r (key, window_start, n)
VALUES (%(key)s, to_timestamp(floor(extract(epoch FROM lps.now()) / %(window_s)s) * %(window_s)s), 1)
ON CONFLICT (key, window_start) DO UPDATE SET n = r.n + 1
RETURNING n, (%(window_s)s - extract(epoch FROM lps.now())::numeric %% %(window_s)s)::float8

-- name: prune
-- Windows that are over.
DELETE FROM rate WHERE window_start < lps.now() - interval '2 days'
