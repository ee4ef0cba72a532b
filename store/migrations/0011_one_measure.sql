-- One definition each of what alerts, numbers and pages say of the crawlers' addresses.

-- Each proxy pool: its ports, and the share of them that do not rest, percent, for the mall with the fewest.
CREATE VIEW proxy_pool AS
WITH malls AS (
  SELECT '*' AS mall UNION SELECT key FROM proxy_port CROSS JOIN LATERAL jsonb_object_keys(cooldown_until) AS key
), of_mall AS (
  SELECT host, mall, count(*)::int AS ports, (100.0 * count(*) FILTER (WHERE NOT EXISTS (
      SELECT FROM jsonb_each_text(cooldown_until) AS c
      WHERE c.key IN ('*', mall) AND c.value::timestamptz > lps.now())) / count(*))::float8 AS pct
  FROM proxy_port CROSS JOIN malls GROUP BY host, mall
)
SELECT host, max(ports) AS ports, min(pct) AS usable_pct FROM of_mall GROUP BY host;

-- Crawl sessions that a block ended although they kept their request budget.
CREATE VIEW session_leak AS
SELECT mall, ended_at FROM crawl_session WHERE end_reason = 'block' AND (budget IS NULL OR requests <= budget);
