-- name: make
-- The configured ports; those that are there keep what is known of them.
INSERT INTO proxy_port (host, port) SELECT %(host)s, port FROM generate_series(%(first)s, %(last)s) AS port
ON CONFLICT (host, port) DO NOTHING

-- name: retire
-- Ports that are configured no more, as soon as nobody uses them.
DELETE FROM proxy_port WHERE NOT (host = %(host)s AND port BETWEEN %(first)s AND %(last)s)
  AND (lease_until IS NULL OR lease_until < lps.now())

-- name: lease
-- One free port for one mall, the one that rested longest; a new address where the old one is spent, ends, or may still
-- be used by a holder that went silent. Whoever only tries ports ('-') tries those that rest, too.
WITH free AS (
  SELECT host, port, session = '' OR lease_owner IS NOT NULL OR uses + %(need)s > %(budget)s
    OR session_since + %(session_s)s * interval '1 second' < lps.now() + %(lease_s)s * interval '1 second' AS fresh
  FROM proxy_port
  WHERE host = %(host)s AND port BETWEEN %(first)s AND %(last)s
    AND (lease_until IS NULL OR lease_until < lps.now())
    AND coalesce((cooldown_until->>%(mall)s)::timestamptz, '-infinity') <= lps.now()
    AND (coalesce((cooldown_until->>'*')::timestamptz, '-infinity') <= lps.now() OR %(mall)s = '-')
  ORDER BY cooldown_until ? '*', last_used NULLS FIRST, port
  LIMIT 1 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE proxy_port p SET lease_owner = %(lease)s, lease_until = lps.now() + %(lease_s)s * interval '1 second',
    lease_mall = %(mall)s, lease_worker = %(worker)s,
    uses = CASE WHEN fresh THEN 0 ELSE uses END, generation = generation + fresh::int,
    session = CASE WHEN fresh THEN left(replace(gen_random_uuid()::text, '-', ''), 12) ELSE session END,
    session_since = CASE WHEN fresh THEN lps.now() ELSE session_since END,
    visitor = CASE WHEN fresh THEN nextval('proxy_visitor') ELSE visitor END,
    last_ip = CASE WHEN fresh THEN NULL ELSE last_ip END
  FROM free WHERE p.host = free.host AND p.port = free.port
  RETURNING p.*
), opened AS (
  INSERT INTO crawl_session (mall, ip, lease, host, port, generation, budget)
  SELECT lease_mall, coalesce(last_ip, host || ':' || port || '#' || generation), lease_owner, host, port, generation,
    %(budget)s
  FROM taken WHERE %(recorded)s
)
SELECT host, port, generation, session, visitor, uses, last_ip, extract(epoch FROM lps.now() - last_used)::float8
FROM taken

-- name: open
-- How many ports a mall may use at all, leased or not.
SELECT count(*) FROM proxy_port
WHERE host = %(host)s AND port BETWEEN %(first)s AND %(last)s
  AND coalesce((cooldown_until->>%(mall)s)::timestamptz, '-infinity') <= lps.now()
  AND coalesce((cooldown_until->>'*')::timestamptz, '-infinity') <= lps.now()

-- name: use
-- So many requests of an address, only for its holder and within its budget; negative gives some back.
UPDATE proxy_port SET uses = greatest(0, uses + %(n)s), last_used = lps.now()
WHERE lease_owner = %(lease)s AND lease_until > lps.now() AND uses + %(n)s <= %(budget)s
RETURNING uses

-- name: renew
-- Its holder lives; an expired lease is another's to take and cannot be renewed.
UPDATE proxy_port SET lease_until = lps.now() + %(lease_s)s * interval '1 second'
WHERE lease_owner = ANY (%(leases)s::uuid[]) AND lease_until > lps.now()
RETURNING lease_owner::text

-- name: release
-- Give a port back; with a culprit (the mall, or '*' the port itself) it rests, twice as long each time in a row.
UPDATE proxy_port SET lease_owner = NULL, lease_until = NULL, lease_mall = NULL, lease_worker = NULL,
  last_used = lps.now(), last_ip = coalesce(%(ip)s, last_ip),
  session = CASE WHEN %(keeps)s THEN session ELSE '' END,
  errors = errors + (%(culprit)s <> '')::int,
  last_error = CASE WHEN %(culprit)s <> '' THEN %(error)s ELSE last_error END,
  strikes = CASE
    WHEN %(culprit)s <> '' THEN strikes
      || jsonb_build_object(%(culprit)s::text, coalesce((strikes->>%(culprit)s)::int, 0) + 1)
    WHEN %(answered)s THEN strikes - lease_mall - '*' ELSE strikes END,
  cooldown_until = CASE WHEN %(culprit)s <> '' THEN cooldown_until || jsonb_build_object(%(culprit)s::text,
      lps.now() + least(%(most_s)s, %(rest_s)s * 2.0 ^ least(20, coalesce((strikes->>%(culprit)s)::int, 0)))
        * interval '1 second')
    WHEN %(answered)s THEN cooldown_until - lease_mall - '*' ELSE cooldown_until END
WHERE lease_owner = %(lease)s

-- name: end_session
-- What became of a session.
UPDATE crawl_session SET ended_at = lps.now(), requests = %(requests)s, bytes = %(bytes)s, end_reason = %(reason)s,
  ip = coalesce(%(ip)s, ip)
WHERE lease = %(lease)s AND ended_at IS NULL

-- name: free_orphans
-- Ports whose holder went silent; what it did with its address is not known, so the next lease is a new one.
UPDATE proxy_port SET lease_owner = NULL, lease_until = NULL, lease_mall = NULL, lease_worker = NULL, session = ''
WHERE lease_until < lps.now()

-- name: end_orphans
-- Sessions whose holder went silent.
UPDATE crawl_session s SET ended_at = lps.now(), end_reason = 'lost' WHERE ended_at IS NULL AND lease IS NOT NULL
  AND NOT EXISTS (SELECT FROM proxy_port p WHERE p.lease_owner = s.lease AND p.lease_until >= lps.now())

-- name: ports
-- Every port as it stands, rests that are over left out.
SELECT host, port, generation, lease_mall, lease_worker, lease_until, uses, errors, last_error, last_ip, last_used,
  lease_until IS NOT NULL AND lease_until >= lps.now() AS leased,
  (SELECT coalesce(jsonb_object_agg(key, round(extract(epoch FROM value::timestamptz - lps.now()))), '{}')
    FROM jsonb_each_text(cooldown_until) WHERE value::timestamptz > lps.now())
FROM proxy_port ORDER BY host, port

-- name: reset
-- Forget what is held against ports: they may be leased at once, as new addresses.
UPDATE proxy_port SET cooldown_until = '{}', strikes = '{}', errors = 0, last_error = NULL,
  session = CASE WHEN lease_owner IS NULL THEN '' ELSE session END
WHERE %(port)s IN (0, port)
