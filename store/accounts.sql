-- name: add
-- A person who may sign in; no row when the name is taken.
INSERT INTO account (name, password_hash, role) VALUES (%(name)s, %(hash)s, %(role)s)
ON CONFLICT (name) DO NOTHING RETURNING account_id

-- name: one
-- One account by its name.
SELECT account_id, name, role, password_hash, failures, locked_until, last_login_at, disabled_at, created_at
FROM account WHERE name = %s

-- name: listed
-- Every account.
SELECT account_id, name, role, password_hash, failures, locked_until, last_login_at, disabled_at, created_at
FROM account ORDER BY account_id

-- name: set_role
-- What the person may do from now on.
UPDATE account SET role = %s WHERE name = %s

-- name: set_password
-- A new password, and a clean slate.
UPDATE account SET password_hash = %s, failures = 0, locked_until = NULL WHERE account_id = %s

-- name: set_disabled
-- The person may no longer sign in, or may again.
UPDATE account SET disabled_at = CASE WHEN %s THEN lps.now() END WHERE name = %s

-- name: fail
-- A wrong password; from the limit on the account is locked, each time twice as long, for a day at most.
UPDATE account SET failures = failures + 1, locked_until = CASE WHEN failures + 1 >= %(limit)s THEN
  lps.now() + least(86400, %(lock_s)s * 2 ^ least(10, failures + 1 - %(limit)s)) * interval '1 second' END
WHERE account_id = %(account_id)s

-- name: locked
-- Whether too many wrong passwords have locked this account for now.
SELECT locked_until > lps.now() FROM account WHERE account_id = %s AND locked_until IS NOT NULL

-- name: welcome
-- A right password or a login link.
UPDATE account SET failures = 0, locked_until = NULL, last_login_at = lps.now() WHERE account_id = %s

-- name: open_session
-- A browser that has signed in.
INSERT INTO session (session_hash, account_id, csrf, expires_at)
VALUES (%s, %s, %s, lps.now() + %s * interval '1 second')

-- name: session
-- Who is signed in with this token, while it holds.
SELECT a.account_id, a.name, a.role, s.csrf, extract(epoch FROM s.expires_at - lps.now())::float8
FROM session s JOIN account a USING (account_id)
WHERE s.session_hash = %s AND s.expires_at > lps.now() AND a.disabled_at IS NULL

-- name: prolong
-- The person is still there.
UPDATE session SET expires_at = lps.now() + %s * interval '1 second' WHERE session_hash = %s

-- name: close_session
-- Signed out.
DELETE FROM session WHERE session_hash = %s

-- name: close_sessions
-- Signed out everywhere, but for one browser if it is named.
DELETE FROM session WHERE account_id = %s AND session_hash IS DISTINCT FROM %s

-- name: add_link
-- A link that signs one person in, once.
INSERT INTO login_link (link_hash, account_id, made_by, expires_at)
VALUES (%s, %s, %s, lps.now() + %s * interval '1 second')

-- name: use_link
-- The link is used up; no row when it was, is too old, or its account is disabled.
UPDATE login_link l SET used_at = lps.now() FROM account a
WHERE l.link_hash = %s AND l.used_at IS NULL AND l.expires_at > lps.now()
  AND a.account_id = l.account_id AND a.disabled_at IS NULL
RETURNING a.account_id

-- name: close_links
-- Open links of an account hold no more.
UPDATE login_link SET used_at = lps.now() WHERE account_id = %s AND used_at IS NULL

-- name: prune_sessions
-- Sessions that are over.
DELETE FROM session WHERE expires_at < lps.now()

-- name: prune_links
-- Links that are over.
DELETE FROM login_link WHERE expires_at < lps.now() - interval '30 days'
