-- name: note
-- A person did this.
INSERT INTO audit (who, action, subject, detail) VALUES (%s, %s, %s, %s)
