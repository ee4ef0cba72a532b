-- Every index is paid for by each new search: one by time serves what two did, and lists by state sort what few there are.

DROP INDEX job_created;
DROP INDEX job_by_status;
DROP INDEX job_code;
