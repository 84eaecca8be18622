-- Invoices in the manner of Laravel: teams and users with duplicates in the table between, soft deletes, truth values as numbers, tags of any table.
CREATE TABLE teams (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
CREATE TABLE users (id INTEGER PRIMARY KEY, current_team_id INTEGER REFERENCES teams (id), name VARCHAR(40) NOT NULL, email_verified_at TIMESTAMP, role VARCHAR(8) NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')), options JSON, created_at TIMESTAMP, deleted_at TIMESTAMP);
CREATE TABLE team_user (team_id INTEGER NOT NULL REFERENCES teams (id), user_id INTEGER NOT NULL REFERENCES users (id));
CREATE TABLE invoices (id VARCHAR(10) PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), total DECIMAL(10,2) NOT NULL, due_on DATE, paid SMALLINT NOT NULL, created_at TIMESTAMP NOT NULL);
CREATE TABLE taggables (tag VARCHAR(20) NOT NULL, taggable_type VARCHAR(40) NOT NULL, taggable_id INTEGER NOT NULL);
