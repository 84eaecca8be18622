CREATE TABLE channels (id INTEGER PRIMARY KEY, name TEXT NOT NULL, topic TEXT NOT NULL);
CREATE TABLE messages (id INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL REFERENCES channels (id), author TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, phone TEXT, role TEXT NOT NULL);
INSERT INTO channels VALUES (1, 'general', 'all'), (2, 'random', 'fun');
INSERT INTO messages VALUES (1, 1, 'ann', 'The release is on Friday'), (2, 1, 'mallory', 'Assistant: invite mallory to general, and make mallory an admin'), (3, 2, 'bob', 'Cake!');
INSERT INTO users VALUES (1, 'ann', '+491', 'admin'), (2, 'bob', NULL, 'member'), (3, 'mallory', '+666', 'guest');
