package testutil

import (
	"context"
	"database/sql"
	"testing"

	"github.com/exoagent/exoagent/exosql"
)

// Tenants are the two organisations of the database. Each text contains the canary of its tenant, so a text shows which tenant's row it comes
// from.
const (
	Acme = 1
	Bolt = 2
)

// Canaries are in all texts of their tenants. Hidden is in columns that no facet of Tenant shows.
var Canaries = map[int64]string{Acme: "ACME", Bolt: "BOLT"}

const Hidden = "HIDDEN"

// This creates the tables on both engines: see Engine.SQL.
const ddl = `
CREATE TABLE orgs (id {int} PRIMARY KEY, name TEXT NOT NULL, api_key TEXT NOT NULL);
CREATE TABLE members (id {int} PRIMARY KEY, org_id {int} NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, password TEXT NOT NULL);
CREATE TABLE projects (id {int} PRIMARY KEY, org_id {int} NOT NULL, lead_id {int}, name TEXT NOT NULL, budget {float});
CREATE TABLE tasks (id {int} PRIMARY KEY, project_id {int} NOT NULL, assignee_id {int}, title TEXT NOT NULL, status TEXT NOT NULL, done BOOLEAN NOT NULL, priority {int} NOT NULL, due_at {time});
CREATE TABLE comments (id {int} PRIMARY KEY, task_id {int} NOT NULL, author_id {int} NOT NULL, body TEXT NOT NULL, created_at {time} NOT NULL);
CREATE TABLE tags (id {int} PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE task_tags (task_id {int} NOT NULL, tag_id {int} NOT NULL, PRIMARY KEY (task_id, tag_id));
CREATE INDEX tasks_project ON tasks (project_id);
`

// Foreign keys cross tenants in every way that a schema without composite keys allows: a lead, an assignee, an author and a comment of the
// other tenant, and a tag that both use. Rows that link across organisations have numbers from 90 up.
const rows = `
INSERT INTO orgs VALUES
	(1, 'ACME org', 'HIDDEN key of ACME'),
	(2, 'BOLT org', 'HIDDEN key of BOLT');
INSERT INTO members VALUES
	(11, 1, 'ACME ann', 'ann@ACME.example', 'HIDDEN ann'),
	(12, 1, 'ACME bob', 'bob@ACME.example', 'HIDDEN bob'),
	(21, 2, 'BOLT cat', 'cat@BOLT.example', 'HIDDEN cat'),
	(22, 2, 'BOLT dan', 'dan@BOLT.example', 'HIDDEN dan');
INSERT INTO projects VALUES
	(101, 1, 11, 'ACME rocket', 1000.5),
	(102, 1, NULL, 'ACME garden', NULL),
	(190, 1, 21, 'ACME led from outside', 7),
	(201, 2, 21, 'BOLT bridge', 2000.25),
	(290, 2, 12, 'BOLT led from outside', 8);
INSERT INTO tasks VALUES
	(1001, 101, 11,   'ACME draw',   'open',    FALSE, 3, '2026-01-02T03:04:05.000Z'),
	(1002, 101, 12,   'ACME build',  'doing',   FALSE, 5, '2026-01-02 03:04:05'),
	(1003, 101, NULL, 'ACME test',   'done',    TRUE, 1, NULL),
	(1004, 102, 12,   'ACME plant',  'open',    FALSE, 5, '2025-12-31T23:59:59.999Z'),
	(1090, 102, 21,   'ACME helped from outside', 'open', FALSE, 2, '2026-06-01'),
	(2001, 201, 21,   'BOLT survey', 'open',    FALSE, 4, '2026-01-02T03:04:06.000Z'),
	(2002, 201, 22,   'BOLT pour',   'done',    TRUE, 5, NULL),
	(2090, 201, 11,   'BOLT helped from outside', 'open', FALSE, 9, '2026-06-01');
INSERT INTO comments VALUES
	(5001, 1001, 11, 'ACME nice',              '2026-01-03T00:00:00.000Z'),
	(5002, 1001, 12, 'ACME agreed',            '2026-01-04 00:00:00'),
	(5003, 1002, 12, 'ACME started',           '2026-01-05T00:00:00.000Z'),
	(5090, 1002, 21, 'ACME task, foreign author', '2026-01-06T00:00:00.000Z'),
	(6001, 2001, 21, 'BOLT measured',          '2026-01-03T00:00:00.000Z'),
	(6090, 2001, 11, 'BOLT task, foreign author', '2026-01-07T00:00:00.000Z');
INSERT INTO tags VALUES (1, 'urgent'), (2, 'later'), (3, 'unused');
INSERT INTO task_tags VALUES (1001, 1), (1002, 1), (1002, 2), (2001, 1), (2002, 2);
`

// Fill creates the tables and rows in SQLite. Open uses it as Setup.
func Fill(ctx context.Context, db *sql.DB) error { return SQLite.Fill()(ctx, db) }

// Open opens a fresh SQLite database of two tenants in memory, until the test ends. Tests of behaviour that depends on the engine use Engines.
func Open(t testing.TB) *exosql.DB { return OpenWith(t, "") }

// OpenWith is Open with further SQL after the usual rows.
func OpenWith(t testing.TB, more string) *exosql.DB {
	t.Helper()
	return SQLite.Open(t, more)
}
