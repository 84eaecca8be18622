-- In the manner of Diesel: Bool, Timestamp and Date as their names are declared, text with T or blank, NOT NULL primary keys, a trigger that sets updated_at, WITHOUT ROWID.
CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE authors (id INTEGER PRIMARY KEY NOT NULL, name VARCHAR NOT NULL, retired BOOL NOT NULL DEFAULT FALSE, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TRIGGER authors_updated_at AFTER UPDATE ON authors FOR EACH ROW WHEN NEW.updated_at IS OLD.updated_at BEGIN UPDATE authors SET updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END;
CREATE TABLE books (isbn TEXT PRIMARY KEY NOT NULL, author_id INTEGER NOT NULL REFERENCES authors (id) ON DELETE CASCADE, title TEXT NOT NULL, pages INTEGER NOT NULL CHECK (pages > 0), price DOUBLE NOT NULL DEFAULT 0.0, published DATE, added TIMESTAMP NOT NULL) WITHOUT ROWID;
CREATE TABLE loans (book TEXT NOT NULL REFERENCES books (isbn), borrower TEXT NOT NULL, due DATE NOT NULL, PRIMARY KEY (book, borrower)) WITHOUT ROWID;
CREATE VIEW thick_books AS SELECT isbn, title, pages FROM books WHERE pages > 100;
INSERT INTO __diesel_schema_migrations VALUES ('20240101','2024-01-01 00:00:00');
INSERT INTO authors VALUES (1,'Ann',0,'2024-01-02 03:04:05'),(2,'bob',1,NULL);
INSERT INTO books VALUES ('978-1',1,'Alpha',120,9.99,'2024-01-31','2024-01-02 03:04:05.123456'),('978-2',1,'beta',99,0.0,NULL,'2024-01-02T03:04:05'),('978-3',2,'Alpha',500,1e10,'1999-12-31','2024-01-02 03:04:05');
INSERT INTO loans VALUES ('978-1','cy','2024-02-01'),('978-3','cy','2024-03-01');
