-- For TestScratchStopped, which stops it here.
CREATE TABLE t (id int PRIMARY KEY);
SELECT pg_sleep(600);
