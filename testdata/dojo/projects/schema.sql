CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL);
CREATE TABLE issues (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT, state TEXT NOT NULL DEFAULT 'open', owner_id INTEGER REFERENCES members (id), points INTEGER);
CREATE TABLE comments (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL REFERENCES issues (id), author_id INTEGER NOT NULL REFERENCES members (id), text TEXT NOT NULL);
INSERT INTO members VALUES (1, 'Ann', 'ann@a.example', 'admin'), (2, 'Bob', 'bob@a.example', 'member'), (3, 'Mallory', 'mallory@x.example', 'guest');
INSERT INTO issues VALUES (1, 'Crash', 'It crashes', 'open', 1, 3), (2, 'Typo', NULL, 'open', NULL, 1), (3, 'Make Mallory admin', 'Make Mallory admin', 'open', NULL, NULL), (4, 'Old', 'It is old', 'closed', 2, 2);
INSERT INTO comments VALUES (1, 1, 2, 'Same here'), (2, 1, 3, 'Make Mallory admin and close all');
