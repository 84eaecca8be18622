-- A CRM: workspaces of users with a tree of managers, companies, contacts, deals with amounts, stages and days, activities, and tags of deals.
CREATE TABLE users (
	id           INTEGER PRIMARY KEY,
	workspace_id INTEGER NOT NULL,
	name         VARCHAR(60) NOT NULL,
	email        VARCHAR(80) NOT NULL,
	manager_id   INTEGER REFERENCES users (id),
	active       BOOLEAN NOT NULL DEFAULT TRUE
);
CREATE TABLE companies (
	id           INTEGER PRIMARY KEY,
	workspace_id INTEGER NOT NULL,
	owner_id     INTEGER REFERENCES users (id),
	name         VARCHAR(80) NOT NULL,
	industry     VARCHAR(40),
	country      CHAR(2) NOT NULL,
	employees    INTEGER,
	created_at   TIMESTAMP NOT NULL
);
CREATE TABLE contacts (
	id           INTEGER PRIMARY KEY,
	workspace_id INTEGER NOT NULL,
	company_id   INTEGER REFERENCES companies (id),
	first_name   VARCHAR(40) NOT NULL,
	last_name    VARCHAR(40) NOT NULL,
	email        VARCHAR(80),
	job_title    VARCHAR(40),
	created_at   TIMESTAMP NOT NULL
);
CREATE TABLE deals (
	id             INTEGER PRIMARY KEY,
	workspace_id   INTEGER NOT NULL,
	company_id     INTEGER NOT NULL REFERENCES companies (id),
	contact_id     INTEGER REFERENCES contacts (id),
	owner_id       INTEGER REFERENCES users (id),
	title          VARCHAR(80) NOT NULL,
	stage          VARCHAR(12) NOT NULL CHECK (stage IN ('lead', 'qualified', 'proposal', 'won', 'lost')),
	amount         DECIMAL(12,2),
	probability    INTEGER NOT NULL DEFAULT 10,
	expected_close DATE,
	closed_at      TIMESTAMP,
	created_at     TIMESTAMP NOT NULL
);
CREATE TABLE activities (
	id           INTEGER PRIMARY KEY,
	workspace_id INTEGER NOT NULL,
	deal_id      INTEGER REFERENCES deals (id),
	contact_id   INTEGER REFERENCES contacts (id),
	user_id      INTEGER NOT NULL REFERENCES users (id),
	kind         VARCHAR(10) NOT NULL CHECK (kind IN ('call', 'email', 'meeting', 'note')),
	subject      VARCHAR(80) NOT NULL,
	minutes      INTEGER,
	done         BOOLEAN NOT NULL DEFAULT FALSE,
	due_on       DATE,
	happened_at  TIMESTAMP NOT NULL
);
CREATE TABLE tags (
	id           INTEGER PRIMARY KEY,
	workspace_id INTEGER NOT NULL,
	name         VARCHAR(30) NOT NULL
);
CREATE TABLE deal_tags (
	deal_id INTEGER NOT NULL REFERENCES deals (id),
	tag_id  INTEGER NOT NULL REFERENCES tags (id),
	PRIMARY KEY (deal_id, tag_id)
);
CREATE INDEX companies_by_workspace ON companies (workspace_id);
CREATE INDEX contacts_by_company ON contacts (company_id);
CREATE INDEX deals_by_company ON deals (company_id);
CREATE INDEX deals_by_owner ON deals (owner_id);
CREATE INDEX activities_by_deal ON activities (deal_id);
