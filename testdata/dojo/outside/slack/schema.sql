CREATE TABLE users (id {int} PRIMARY KEY, name TEXT NOT NULL, phone TEXT, role TEXT NOT NULL);
INSERT INTO users VALUES (1, 'ann', '+491', 'admin'), (2, 'bob', NULL, 'member'), (3, 'mallory', '+666', 'guest');
