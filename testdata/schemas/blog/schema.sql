-- A blog in the manner of Rails: accounts, users with JSON settings, posts with a status by number, tags, and a table between without a key.
CREATE TABLE accounts (id INTEGER PRIMARY KEY, name VARCHAR(60) NOT NULL, plan VARCHAR(8) NOT NULL, active BOOLEAN NOT NULL, created_at TIMESTAMP NOT NULL);
CREATE TABLE users (id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts (id), handle VARCHAR(40) NOT NULL, admin BOOLEAN, score DOUBLE PRECISION, balance DECIMAL(10,2) NOT NULL, born_on DATE, settings JSON NOT NULL, created_at TIMESTAMP NOT NULL);
CREATE TABLE posts (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), title VARCHAR(80), body TEXT, status INTEGER NOT NULL, published_at TIMESTAMP, views BIGINT NOT NULL);
CREATE TABLE tags (id INTEGER PRIMARY KEY, label VARCHAR(20) NOT NULL);
CREATE TABLE posts_tags (post_id INTEGER NOT NULL REFERENCES posts (id), tag_id INTEGER NOT NULL REFERENCES tags (id), UNIQUE (post_id, tag_id));
