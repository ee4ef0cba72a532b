-- name: add
-- A program's key; only its hash is kept.
INSERT INTO api_key (prefix, key_hash, name, scopes, daily_quota, daily_budget_usd, expires_at, made_by)
VALUES (%(prefix)s, %(hash)s, %(name)s, %(scopes)s, %(daily_quota)s, %(daily_budget_usd)s,
  lps.now() + %(days)s * interval '1 day', %(made_by)s)
RETURNING api_key_id

-- name: admit
-- The key of this prefix, and how often it was used in this window: one round trip a request.
WITH found AS (
  SELECT api_key_id, key_hash, name, scopes, daily_quota, daily_budget_usd, last_used_at
  FROM api_key WHERE prefix = %(prefix)s AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > lps.now())
), used AS (
  INSERT INTO rate AS r (key, window_start, n)
  SELECT 'key:' || api_key_id, to_timestamp(floor(extract(epoch FROM lps.now()) / 60) * 60), 1
  FROM found WHERE key_hash = %(hash)s
  ON CONFLICT (key, window_start) DO UPDATE SET n = r.n + 1
  RETURNING n
)
SELECT found.*, (SELECT n FROM used), (60 - extract(epoch FROM lps.now())::numeric %% 60)::float8 FROM found

-- name: touch
-- When the key was last used, to the minute.
UPDATE api_key SET last_used_at = lps.now()
WHERE api_key_id = %s AND (last_used_at IS NULL OR last_used_at < lps.now() - interval '1 minute')

-- name: listed
-- Every key, the newest first.
SELECT api_key_id, prefix, name, scopes, daily_quota, daily_budget_usd, created_at, expires_at, last_used_at,
  revoked_at, made_by, (SELECT count(*) FROM job j WHERE j.api_key_id = k.api_key_id
    AND j.created_at >= date_trunc('day', lps.now(), 'Asia/Seoul')) AS used_today
FROM api_key k WHERE %(all)s OR revoked_at IS NULL ORDER BY api_key_id DESC LIMIT 500

-- name: revoke
-- The key holds no more, for good.
UPDATE api_key SET revoked_at = lps.now(), revoked_by = %s WHERE api_key_id = %s AND revoked_at IS NULL

-- name: revoke_named
-- Every key of this name holds no more.
UPDATE api_key SET revoked_at = lps.now(), revoked_by = %s WHERE name = %s AND revoked_at IS NULL

-- name: today
-- Searches and dollars of a key since midnight in Korea.
SELECT (SELECT count(*) FROM job WHERE api_key_id = %(id)s AND created_at >= date_trunc('day', lps.now(), 'Asia/Seoul')),
  (SELECT coalesce(sum(coalesce(settled_usd, reserved_usd)), 0) FROM spend
    WHERE job_id IN (SELECT job_id FROM job WHERE api_key_id = %(id)s
      AND created_at >= date_trunc('day', lps.now(), 'Asia/Seoul')))
