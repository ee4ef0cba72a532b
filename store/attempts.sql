-- name: of_job
-- Every ended try of a job's stages, oldest first.
SELECT stage, round, try, worker, started_at, ended_at, outcome, error FROM attempt WHERE job_id = %s
ORDER BY attempt_id

-- name: deadline
-- A search ran out of time while this mall was still being read.
INSERT INTO attempt (job_id, stage, mall, round, try, message_id, worker, started_at, outcome, error_type, error)
SELECT %(job_id)s, %(mall)s, %(mall)s, round, 0, %(job_id)s, 'reap', lps.now(), 'deadline',
  'JobDeadlineExceeded', %(error)s FROM job WHERE job_id = %(job_id)s
