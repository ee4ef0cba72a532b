-- name: take
-- All budgets of one payment or none: each row is locked in one order and raised only where the cap still holds; what
-- comes back are the budgets that would not. The caller rolls back when there is one.
WITH moment AS (
  SELECT to_char(lps.now() AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD') AS day,
    to_char(lps.now() AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD"T"HH24') AS hour
), payer AS (
  SELECT k.api_key_id, k.daily_budget_usd FROM job j JOIN api_key k ON k.api_key_id = j.api_key_id
  WHERE j.job_id = %(job_id)s AND k.daily_budget_usd IS NOT NULL
), wanted (scope, name, cap) AS (
  SELECT 'day', day, %(day_usd)s::numeric FROM moment WHERE %(day_usd)s::numeric IS NOT NULL
  UNION ALL SELECT 'hour', hour, %(hour_usd)s::numeric FROM moment WHERE %(hour_usd)s::numeric IS NOT NULL
  UNION ALL SELECT 'job', %(job_id)s::text, %(job_usd)s::numeric
    WHERE %(job_usd)s::numeric IS NOT NULL AND %(job_id)s::text IS NOT NULL
  UNION ALL SELECT 'key', payer.api_key_id || ' ' || moment.day, payer.daily_budget_usd FROM payer, moment
), granted AS (
  INSERT INTO budget AS b (scope, name, cap_usd, used_usd)
  SELECT scope, name, cap, %(usd)s::numeric FROM wanted WHERE %(usd)s::numeric <= cap ORDER BY scope, name
  ON CONFLICT (scope, name) DO UPDATE
  SET cap_usd = excluded.cap_usd, used_usd = b.used_usd + excluded.used_usd, updated_at = lps.now()
  WHERE b.used_usd + excluded.used_usd <= excluded.cap_usd
  RETURNING scope, name
)
SELECT coalesce(array_agg(wanted.scope ORDER BY wanted.scope) FILTER (WHERE granted.scope IS NULL), '{}'),
  coalesce(array_agg(wanted.scope || ' ' || wanted.name ORDER BY wanted.scope), '{}')
FROM wanted LEFT JOIN granted USING (scope, name)

-- name: record
-- The payment's row in the ledger, at its worst case.
INSERT INTO spend (job_id, kind, stage, api_key_id, reserved_usd, budgets, detail)
VALUES (%(job_id)s, %(kind)s, %(stage)s, (SELECT api_key_id FROM job WHERE job_id = %(job_id)s), %(usd)s, %(budgets)s,
  %(detail)s)
RETURNING spend_id::text

-- name: settle
-- What it really cost: an open payment, or one that was settled at its worst case meanwhile.
UPDATE spend SET settled_usd = %(usd)s, settled_at = lps.now(), leaked = false, detail = detail || %(detail)s
WHERE spend_id = %(spend_id)s AND (settled_at IS NULL OR leaked)
RETURNING budgets, settled_usd - reserved_usd

-- name: lock_budgets
-- The budgets of a payment, in the one order in which they are ever locked.
SELECT FROM budget
WHERE (scope, name) IN (SELECT split_part(b, ' ', 1), substr(b, strpos(b, ' ') + 1) FROM unnest(%(budgets)s::text[]) b)
ORDER BY scope, name FOR UPDATE

-- name: correct_budgets
-- The difference between what was reserved and what it cost, given back.
UPDATE budget SET used_usd = greatest(0, used_usd + %(usd)s), updated_at = lps.now()
WHERE (scope, name) IN (SELECT split_part(b, ' ', 1), substr(b, strpos(b, ' ') + 1) FROM unnest(%(budgets)s::text[]) b)

-- name: write_off
-- Payments whose payer never came back: settled at their worst case, and marked.
UPDATE spend SET settled_usd = reserved_usd, settled_at = lps.now(), leaked = true
WHERE settled_at IS NULL AND reserved_at < lps.now() - %(older_s)s * interval '1 second'

-- name: leaks
-- How many payments of the last so many hours were written off.
SELECT count(*) FROM spend WHERE leaked AND settled_at > lps.now() - %(hours)s * interval '1 hour'

-- name: full
-- The budget that has not this much left now; the job's and the key's are not looked at.
SELECT scope FROM budget, (VALUES
  ('day', to_char(lps.now() AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD'), %(day_usd)s::numeric),
  ('hour', to_char(lps.now() AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD"T"HH24'), %(hour_usd)s::numeric)
) AS now_ (of, named, cap)
WHERE scope = of AND name = named AND used_usd + %(usd)s > cap ORDER BY scope LIMIT 1

-- name: of_job
-- What a search has cost so far: an open payment counts at its worst case.
SELECT kind, sum(coalesce(settled_usd, reserved_usd)), sum(coalesce((detail->>'calls')::int, 0))::int,
  sum(coalesce((detail->>'input_tokens')::int, 0))::int, sum(coalesce((detail->>'output_tokens')::int, 0))::int,
  sum(coalesce((detail->>'cached_tokens')::int, 0))::int, sum(coalesce((detail->>'bytes')::bigint, 0))::bigint
FROM spend WHERE job_id = %s GROUP BY kind

-- name: ledger
-- Every payment of a search, oldest first.
SELECT spend_id::text, kind, stage, reserved_usd, settled_usd, leaked, detail, reserved_at, settled_at FROM spend
WHERE job_id = %s ORDER BY reserved_at, spend_id

-- name: forget
-- Budgets of past hours, days and searches that nothing is counted against any more.
DELETE FROM budget WHERE updated_at < lps.now() - %(days)s * interval '1 day'
