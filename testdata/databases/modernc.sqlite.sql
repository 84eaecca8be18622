-- In the manner of plain Go with the driver modernc.org/sqlite: a time.Time is written as its String method has it, with a monotonic clock where it came from time.Now.
CREATE TABLE devices (id INTEGER PRIMARY KEY, name TEXT NOT NULL, online BOOLEAN NOT NULL DEFAULT 0, first_seen DATETIME NOT NULL, last_seen TIMESTAMP, ratio REAL, blob_data BLOB);
CREATE TABLE samples (device_id INTEGER NOT NULL REFERENCES devices(id) ON DELETE CASCADE, at DATETIME NOT NULL, day DATE, value REAL, unit TEXT);
CREATE TABLE settings (name TEXT PRIMARY KEY, value ANY, updated DATETIME DEFAULT CURRENT_TIMESTAMP);
INSERT INTO devices VALUES (1,'router',1,'2025-01-02 03:04:05.123456789 +0000 UTC','2025-01-02 03:04:05.5 +0000 UTC m=+0.103',0.5,x'00ff'),(2,'Camera',0,'2024-12-31 23:59:59 +0000 UTC',NULL,NULL,NULL),(3,'lamp',1,'2025-06-01 02:00:00 +0200 CEST','2025-06-01 00:00:00 +0000 UTC',1,NULL);
INSERT INTO samples VALUES (1,'2025-01-02 03:04:05.123456789 +0000 UTC','2025-01-02 00:00:00 +0000 UTC',1.5,'C'),(1,'2025-01-02 03:05:05 +0000 UTC',NULL,NULL,'C'),(2,'2025-01-02 03:05:05 +0000 UTC','2025-01-02 00:00:00 +0000 UTC',7,NULL);
INSERT INTO settings VALUES ('tz','UTC','2025-01-02 03:04:05'),('limit',5,'2025-01-02 03:04:05 +0000 UTC');
