-- A magazine in the manner of Prisma: users with text keys and roles, posts with JSON, categories of posts without a key, memberships with a key of two columns.
CREATE TABLE users (id VARCHAR(10) PRIMARY KEY, handle VARCHAR(40) NOT NULL, name VARCHAR(80), role VARCHAR(8) NOT NULL CHECK (role IN ('USER', 'ADMIN', 'OWNER')), created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP NOT NULL);
CREATE TABLE posts (id INTEGER PRIMARY KEY, title VARCHAR(255) NOT NULL, published BOOLEAN NOT NULL, rating DOUBLE PRECISION, price DECIMAL(12,4) NOT NULL, big BIGINT, extra JSON, author_id VARCHAR(10) NOT NULL REFERENCES users (id));
CREATE TABLE categories (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
CREATE TABLE category_to_posts (a INTEGER NOT NULL REFERENCES categories (id), b INTEGER NOT NULL REFERENCES posts (id), UNIQUE (a, b));
CREATE TABLE memberships (user_id VARCHAR(10) NOT NULL REFERENCES users (id), category_id INTEGER NOT NULL REFERENCES categories (id), since DATE, PRIMARY KEY (user_id, category_id));
