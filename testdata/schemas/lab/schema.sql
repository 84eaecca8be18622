-- Projects of a laboratory in the manner of Drizzle: projects with text keys and JSON, members with a level, readings of sensors.
CREATE TABLE users (id INTEGER PRIMARY KEY, handle VARCHAR(40) NOT NULL, created_at TIMESTAMP NOT NULL, seen_at TIMESTAMP, is_admin BOOLEAN NOT NULL, first VARCHAR(40), last VARCHAR(40));
CREATE TABLE projects (slug VARCHAR(20) PRIMARY KEY, owner_id INTEGER REFERENCES users (id), config JSON, budget DECIMAL(10,2), started TIMESTAMP);
CREATE TABLE members (user_id INTEGER NOT NULL REFERENCES users (id), project_slug VARCHAR(20) NOT NULL REFERENCES projects (slug), level INTEGER NOT NULL, PRIMARY KEY (user_id, project_slug));
CREATE TABLE readings (id INTEGER PRIMARY KEY, sensor VARCHAR(10) NOT NULL, value DOUBLE PRECISION, at TIMESTAMP NOT NULL);
