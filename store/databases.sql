-- name: exists
-- Whether the server has a database of this name.
SELECT EXISTS (SELECT FROM pg_database WHERE datname = %s)

-- name: create_text
-- The statement that makes it; from template0, so that nothing of the server's own template comes along.
SELECT format('CREATE DATABASE %%I TEMPLATE template0 ENCODING ''UTF8''', %s)

-- name: drop_text
-- The statement that drops it with whoever is connected.
SELECT format('DROP DATABASE IF EXISTS %%I WITH (FORCE)', %s)

-- name: names
-- The databases whose name begins like this.
SELECT datname FROM pg_database WHERE starts_with(datname, %s) ORDER BY datname
