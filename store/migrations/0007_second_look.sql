-- A price too good to be true is looked at once more: which malls were read again for it, so that it happens once.

ALTER TABLE job_source ADD COLUMN looked_again boolean NOT NULL DEFAULT false;
