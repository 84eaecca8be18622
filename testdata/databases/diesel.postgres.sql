-- In the manner of Diesel: SERIAL keys, TIMESTAMP defaults, the trigger function diesel_set_updated_at, arrays, jsonb, a partitioned table.
CREATE FUNCTION diesel_set_updated_at() RETURNS trigger AS $$ BEGIN IF (NEW IS DISTINCT FROM OLD AND NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at) THEN NEW.updated_at := current_timestamp; END IF; RETURN NEW; END; $$ LANGUAGE plpgsql;
CREATE TABLE authors (id SERIAL PRIMARY KEY, name VARCHAR NOT NULL, retired BOOL NOT NULL DEFAULT FALSE, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TRIGGER set_updated_at BEFORE UPDATE ON authors FOR EACH ROW EXECUTE PROCEDURE diesel_set_updated_at();
CREATE TABLE books (isbn TEXT PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES authors (id) ON DELETE CASCADE, title TEXT NOT NULL, pages INTEGER NOT NULL CHECK (pages > 0), price DOUBLE PRECISION NOT NULL DEFAULT 0.0, published DATE, genres TEXT[] NOT NULL DEFAULT '{}', added TIMESTAMPTZ NOT NULL);
CREATE TABLE loans (book TEXT NOT NULL REFERENCES books (isbn), borrower TEXT NOT NULL, due DATE NOT NULL, PRIMARY KEY (book, borrower));
CREATE TABLE visits (id BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL, path TEXT NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE visits_2024 PARTITION OF visits FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO authors VALUES (1,'Ann',false,'2024-01-02 03:04:05'),(2,'bob',true,NULL);
INSERT INTO books VALUES ('978-1',1,'Alpha',120,9.99,'2024-01-31','{a}','2024-01-02 03:04:05.123456+00'),('978-2',1,'beta',99,0.0,NULL,'{}','2024-01-02 03:04:05+00'),('978-3',2,'Alpha',500,1e10,'1999-12-31','{b,a}','2024-01-02 03:04:05+00');
INSERT INTO loans VALUES ('978-1','cy','2024-02-01'),('978-3','cy','2024-03-01');
INSERT INTO visits VALUES (1,'2024-01-02 00:00:00+00','/'),(2,'2024-07-02 00:00:00+00','/a');
SELECT setval('authors_id_seq', 100);
