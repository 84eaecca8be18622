CREATE TABLE contacts (id {int} PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL);
CREATE TABLE events (id {int} PRIMARY KEY, title TEXT NOT NULL, day TEXT NOT NULL, guests TEXT NOT NULL DEFAULT '');
INSERT INTO contacts VALUES (1, 'Emma', 'emma@a.example'), (2, 'Bob', 'bob@a.example');
INSERT INTO events VALUES (1, 'Review', '2026-02-01', 'Ann');
