-- name: record
-- One search, one row of history; a search that was taken up again has its last word.
INSERT INTO price_history
  (job_id, product_code, naver_lowest, coupang_lowest, final_lowest, final_source, by_mall)
VALUES (%(job_id)s, %(product_code)s, %(naver)s, %(coupang)s, %(final)s, %(source)s, %(by_mall)s)
ON CONFLICT (job_id) DO UPDATE SET triggered_at = lps.now(), naver_lowest = excluded.naver_lowest,
  coupang_lowest = excluded.coupang_lowest, final_lowest = excluded.final_lowest,
  final_source = excluded.final_source, by_mall = excluded.by_mall

-- name: history
-- The prices of one product, oldest first.
SELECT triggered_at, naver_lowest, coupang_lowest, final_lowest, final_source, by_mall,
  job_id::text
FROM price_history WHERE product_code = %s ORDER BY triggered_at DESC LIMIT %s

-- name: forget
-- A search that was taken up again found another answer.
DELETE FROM price_history WHERE job_id = %s

-- name: remember_absent
-- No mall knows this product: asked again only after a while.
INSERT INTO search_negative (key, until, reason) VALUES (%s, lps.now() + %s * interval '1 second', %s)
ON CONFLICT (key) DO UPDATE SET until = excluded.until, reason = excluded.reason, created_at = lps.now()

-- name: forget_absent
-- A search found offers after all.
DELETE FROM search_negative WHERE key = %s

-- name: absent
-- Why this product is known to be absent, while that holds.
SELECT reason, until FROM search_negative WHERE key = %s AND until > lps.now()
