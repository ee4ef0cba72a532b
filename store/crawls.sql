-- name: usable_ports_pct
-- Share of the proxy ports that are in no cooldown anywhere, of the pool with the fewest; NULL without any port.
SELECT min(pct)::float8 FROM (
  SELECT 100.0 * count(*) FILTER (WHERE NOT EXISTS (
      SELECT FROM jsonb_each_text(cooldown_until) AS c WHERE c.value::timestamptz > lps.now())) / count(*) AS pct
  FROM proxy_port GROUP BY host) AS pools

-- name: block_sessions
-- Crawl sessions that ended in a block although they kept their request budget.
SELECT count(*) FROM crawl_session WHERE end_reason = 'block' AND ended_at > lps.now() - %s * interval '1 hour'
