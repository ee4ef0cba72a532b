-- name: add
-- A product that is looked up again and again; no row when its code is watched already.
INSERT INTO watch (product_code, product_name, specification, target_krw, every_s, direction, business_hours, url, signer,
  next_at, who)
VALUES (%(product_code)s, %(product_name)s, %(specification)s, %(target_krw)s, %(every_s)s, %(direction)s,
  %(business_hours)s, %(url)s, %(signer)s, %(next_at)s, %(who)s)
ON CONFLICT (product_code) DO NOTHING RETURNING watch_id

-- name: one
-- One watch.
SELECT watch_id, product_code, product_name, specification, target_krw, every_s, direction, business_hours, url, signer,
  next_at, paused, side, told_krw, last_krw, last_job_id::text, last_at, note, who, created_at
FROM watch WHERE watch_id = %s

-- name: of_code
-- The watch of a product.
SELECT watch_id, product_code, product_name, specification, target_krw, every_s, direction, business_hours, url, signer,
  next_at, paused, side, told_krw, last_krw, last_job_id::text, last_at, note, who, created_at
FROM watch WHERE product_code = %s

-- name: listed
-- A page of watches, the newest first.
SELECT watch_id, product_code, product_name, specification, target_krw, every_s, direction, business_hours, url, signer,
  next_at, paused, side, told_krw, last_krw, last_job_id::text, last_at, note, who, created_at
FROM watch WHERE %(before)s::bigint IS NULL OR watch_id < %(before)s ORDER BY watch_id DESC LIMIT %(limit)s

-- name: due
-- Watches whose time has come, each for one clock only.
SELECT watch_id, product_code, product_name, specification, target_krw, every_s, direction, business_hours, url, signer,
  next_at, paused, side, told_krw, last_krw, last_job_id::text, last_at, note, who, created_at
FROM watch WHERE NOT paused AND next_at <= lps.now() ORDER BY next_at LIMIT %s FOR UPDATE SKIP LOCKED

-- name: hold
-- The watch of a search's product, held until the transaction ends.
SELECT watch_id, product_code, product_name, specification, target_krw, every_s, direction, business_hours, url, signer,
  next_at, paused, side, told_krw, last_krw, last_job_id::text, last_at, note, who, created_at
FROM watch WHERE product_code = (SELECT product_code FROM job WHERE job_id = %s) FOR UPDATE

-- name: change
-- What its owner wants otherwise; another target is judged anew.
UPDATE watch SET
  target_krw = %(target_krw)s, every_s = %(every_s)s, direction = %(direction)s, business_hours = %(business_hours)s,
  url = %(url)s, signer = %(signer)s, paused = %(paused)s, next_at = %(next_at)s,
  side = CASE WHEN target_krw IS NOT DISTINCT FROM %(target_krw)s THEN side END,
  told_krw = CASE WHEN target_krw IS NOT DISTINCT FROM %(target_krw)s THEN told_krw END
WHERE watch_id = %(watch_id)s

-- name: remove
-- The product is watched no more.
DELETE FROM watch WHERE watch_id = %s RETURNING product_code

-- name: later
-- When it is looked up next.
UPDATE watch SET next_at = %s WHERE watch_id = %s

-- name: saw
-- What the last search brought.
UPDATE watch SET side = %(side)s, told_krw = %(told_krw)s, last_krw = %(last_krw)s, last_job_id = %(job_id)s,
  last_at = lps.now(), note = ''
WHERE watch_id = %(watch_id)s

-- name: missed
-- Why the last search brought no price; the last good one stays.
UPDATE watch SET note = %s WHERE watch_id = %s

-- name: clock
-- The database's time.
SELECT lps.now()
