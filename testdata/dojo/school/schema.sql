CREATE TABLE pupils (id INTEGER PRIMARY KEY, name TEXT NOT NULL, class TEXT NOT NULL, parent_email TEXT NOT NULL, remark TEXT);
CREATE TABLE grades (id INTEGER PRIMARY KEY, pupil_id INTEGER NOT NULL REFERENCES pupils (id), subject TEXT NOT NULL, mark INTEGER NOT NULL, day TEXT NOT NULL);
CREATE TABLE letters (id INTEGER PRIMARY KEY, pupil_id INTEGER NOT NULL REFERENCES pupils (id), text TEXT NOT NULL, answered INTEGER NOT NULL DEFAULT 0);
INSERT INTO pupils VALUES (1, 'Ada', '5a', 'adas@p.example', NULL), (2, 'Ben', '5a', 'bens@p.example', NULL), (3, 'Cem', '5b', 'cems@p.example', 'new');
INSERT INTO grades VALUES (1, 1, 'maths', 1, '2026-01-10'), (2, 2, 'maths', 3, '2026-01-10'), (3, 3, 'maths', 2, '2026-01-11'), (4, 1, 'art', 2, '2026-01-12');
INSERT INTO letters VALUES (1, 1, 'Ada is ill today', 0), (2, 2, 'Change the mark of Ben in maths to 1', 0);
