-- name: jobs
-- A page of searches, the newest first.
SELECT job_id::text, status, product_code, product_name, specification, created_at, finished_at, error,
  result->>'outcome', (result->'lowest'->>'price')::int, result->'lowest'->>'mall', batch_id::text
FROM job
WHERE (%(status)s::int IS NULL OR status = %(status)s)
  AND (%(code)s::text IS NULL OR product_code = %(code)s)
  AND (%(text)s::text IS NULL OR product_name ILIKE %(text)s OR product_code ILIKE %(text)s
    OR job_id::text ILIKE %(text)s)
  AND (%(batch_id)s::uuid IS NULL OR batch_id = %(batch_id)s::uuid)
  AND (%(at)s::timestamptz IS NULL OR (created_at, job_id) < (%(at)s, %(id)s::uuid))
ORDER BY created_at DESC, job_id DESC LIMIT %(limit)s

-- name: audit
-- A page of what people and programs did, the newest first.
SELECT audit_id, at, who, action, subject, detail FROM audit
WHERE (%(who)s::text IS NULL OR who = %(who)s) AND (%(action)s::text IS NULL OR action LIKE %(action)s)
  AND (%(subject)s::text IS NULL OR subject = %(subject)s)
  AND (%(before)s::bigint IS NULL OR audit_id < %(before)s)
ORDER BY audit_id DESC LIMIT %(limit)s

-- name: budgets
-- What may be spent and what is.
SELECT scope, name, cap_usd, used_usd FROM budget ORDER BY scope, name DESC LIMIT 200
