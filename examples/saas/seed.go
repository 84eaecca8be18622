package main

// schema makes the tables, on SQLite and PostgreSQL alike. PostgreSQL knows these
// types; SQLite takes any name for one, and keeps times as the texts that they
// are in the seed: in the one form 2006-01-02T15:04:05.000Z, as StoredISO in
// schema.go says.
const schema = `
CREATE TABLE organizations (
	id         INTEGER PRIMARY KEY,
	name       TEXT NOT NULL,
	plan       TEXT NOT NULL CHECK (plan IN ('free', 'team', 'business')),
	created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE TABLE members (
	id              INTEGER PRIMARY KEY,
	organization_id INTEGER NOT NULL REFERENCES organizations (id),
	name            TEXT NOT NULL,
	email           TEXT NOT NULL UNIQUE,
	role            TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'guest')),
	joined_at       TIMESTAMPTZ(3) NOT NULL
);
CREATE TABLE projects (
	id              INTEGER PRIMARY KEY,
	organization_id INTEGER NOT NULL REFERENCES organizations (id),
	name            TEXT NOT NULL,
	description     TEXT,
	archived        BOOLEAN NOT NULL DEFAULT FALSE,
	created_at      TIMESTAMPTZ(3) NOT NULL
);
CREATE TABLE tasks (
	id          INTEGER PRIMARY KEY,
	project_id  INTEGER NOT NULL REFERENCES projects (id),
	assignee_id INTEGER REFERENCES members (id),
	title       TEXT NOT NULL,
	status      TEXT NOT NULL DEFAULT 'todo' CHECK (status IN ('todo', 'in_progress', 'done')),
	priority    INTEGER NOT NULL DEFAULT 3 CHECK (priority BETWEEN 1 AND 4),
	estimate    DOUBLE PRECISION,
	due_at      TIMESTAMPTZ(3),
	created_at  TIMESTAMPTZ(3) NOT NULL
);
CREATE TABLE comments (
	id         INTEGER PRIMARY KEY,
	task_id    INTEGER NOT NULL REFERENCES tasks (id),
	author_id  INTEGER NOT NULL REFERENCES members (id),
	body       TEXT NOT NULL,
	created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX members_by_organization ON members (organization_id);
CREATE INDEX projects_by_organization ON projects (organization_id);
CREATE INDEX tasks_by_project ON tasks (project_id, status);
CREATE INDEX tasks_by_assignee ON tasks (assignee_id);
CREATE INDEX comments_by_task ON comments (task_id);
`

// seed fills them. A few rows cross from one organization to another, as a bug
// or a hostile import would leave them: tasks 27 and 42 are assigned to strangers, and
// comments 83, 84, 85 were written by some. The task and the comment belong to the
// project they are in; who the stranger is must not show.
const seed = `
INSERT INTO organizations (id, name, plan, created_at) VALUES
	(1, 'Acme Robotics', 'business', '2025-03-01T09:00:00.000Z'),
	(2, 'Globex Farms', 'team', '2025-06-15T12:00:00.000Z'),
	(3, 'Initech Labs', 'free', '2025-11-20T15:30:00.000Z');

INSERT INTO members (id, organization_id, name, email, role, joined_at) VALUES
	(1, 1, 'Alice Moreau', 'alice@acme.example', 'owner', '2025-03-01T09:05:00.000Z'),
	(2, 1, 'Bob Castellanos', 'bob@acme.example', 'admin', '2025-03-04T08:00:00.000Z'),
	(3, 1, 'Carol Nguyen', 'carol@acme.example', 'member', '2025-05-19T08:30:00.000Z'),
	(4, 1, 'Dmitri Volkov', 'dmitri@acme.example', 'member', '2025-09-01T07:00:00.000Z'),
	(5, 1, 'Esther Mbeki', 'esther@acme.example', 'guest', '2026-01-15T10:00:00.000Z'),
	(6, 2, 'Farid Rahimi', 'farid@globex.example', 'owner', '2025-06-15T12:05:00.000Z'),
	(7, 2, 'Greta Olsson', 'greta@globex.example', 'admin', '2025-06-20T06:00:00.000Z'),
	(8, 2, 'Hana Sato', 'hana@globex.example', 'member', '2025-10-02T22:00:00.000Z'),
	(9, 2, 'Ivan Petrov', 'ivan@globex.example', 'member', '2026-02-01T05:00:00.000Z'),
	(10, 3, 'Jasmine Lee', 'jasmine@initech.example', 'owner', '2025-11-20T15:35:00.000Z'),
	(11, 3, 'Karl Braun', 'karl@initech.example', 'member', '2025-12-01T08:00:00.000Z'),
	(12, 3, 'Liam O''Brien', 'liam@initech.example', 'member', '2026-01-10T09:00:00.000Z');

INSERT INTO projects (id, organization_id, name, description, archived, created_at) VALUES
	(1, 1, 'Gripper v2', 'A hand with five fingers', FALSE, '2025-04-01T09:00:00.000Z'),
	(2, 1, 'Website relaunch', NULL, FALSE, '2025-08-12T10:00:00.000Z'),
	(3, 1, 'Warehouse pilot', 'Forty robots in one hall', FALSE, '2026-01-07T08:00:00.000Z'),
	(4, 1, 'Apollo (old)', 'Stopped in 2025', TRUE, '2025-03-10T09:00:00.000Z'),
	(5, 2, 'Harvest 2026', 'From sowing to market', FALSE, '2025-12-01T07:00:00.000Z'),
	(6, 2, 'Irrigation', NULL, FALSE, '2026-01-20T07:30:00.000Z'),
	(7, 2, 'Tractor leasing', 'Cancelled by the bank', TRUE, '2025-07-01T08:00:00.000Z'),
	(8, 3, 'Printer firmware', 'PC LOAD LETTER', FALSE, '2025-11-25T10:00:00.000Z'),
	(9, 3, 'Stapler tracking', NULL, FALSE, '2026-02-14T10:00:00.000Z');

INSERT INTO tasks (id, project_id, assignee_id, title, status, priority, estimate, due_at, created_at) VALUES
	(1, 1, 1, 'Design the thumb joint', 'done', 1, 16, '2025-11-03T17:00:00.000Z', '2025-04-01T09:07:00.000Z'),
	(2, 1, 2, 'Order servo motors', 'done', 2, 2.5, '2025-11-20T17:00:00.000Z', '2025-04-02T10:14:00.000Z'),
	(3, 1, 3, 'Write the grip controller', 'in_progress', 1, 40, '2026-03-15T17:00:00.000Z', '2025-04-03T11:21:00.000Z'),
	(4, 1, 4, 'Calibrate force sensors', 'in_progress', 2, 12, '2026-03-20T17:00:00.000Z', '2025-04-04T12:28:00.000Z'),
	(5, 1, 3, 'Test with eggs', 'todo', 3, 6, '2026-04-10T17:00:00.000Z', '2025-04-05T13:35:00.000Z'),
	(6, 1, NULL, 'Test with bricks', 'todo', 4, NULL, NULL, '2025-04-06T14:42:00.000Z'),
	(7, 1, 1, 'Write the safety report', 'todo', 1, 8, '2026-03-31T17:00:00.000Z', '2025-04-07T15:49:00.000Z'),
	(8, 1, 4, 'Document the wiring', 'done', 3, 5, '2026-01-15T17:00:00.000Z', '2025-04-08T16:56:00.000Z'),
	(9, 2, 5, 'Choose a font', 'done', 4, 1, '2025-09-01T17:00:00.000Z', '2025-08-12T17:03:00.000Z'),
	(10, 2, 5, 'Draw the new logo', 'done', 2, 10, '2025-10-10T17:00:00.000Z', '2025-08-13T08:10:00.000Z'),
	(11, 2, 2, 'Move the blog', 'in_progress', 3, 7.5, '2026-02-28T17:00:00.000Z', '2025-08-14T09:17:00.000Z'),
	(12, 2, 2, 'Fix the contact form', 'todo', 1, 1.5, '2026-03-02T17:00:00.000Z', '2025-08-15T10:24:00.000Z'),
	(13, 2, NULL, 'Translate to German', 'todo', 3, 20, '2026-05-01T17:00:00.000Z', '2025-08-16T11:31:00.000Z'),
	(14, 2, NULL, 'Add a cookie banner', 'todo', 4, NULL, NULL, '2025-08-17T12:38:00.000Z'),
	(15, 2, 4, 'Measure page speed', 'in_progress', 2, 3, '2026-03-12T17:00:00.000Z', '2025-08-18T13:45:00.000Z'),
	(16, 2, 3, 'Don''t break old links', 'todo', 1, 4, '2026-03-05T17:00:00.000Z', '2025-08-19T14:52:00.000Z'),
	(17, 3, 4, 'Map the hall', 'done', 1, 9, '2026-01-30T17:00:00.000Z', '2026-01-07T15:59:00.000Z'),
	(18, 3, 4, 'Install charging docks', 'in_progress', 1, 30, '2026-03-25T17:00:00.000Z', '2026-01-08T16:06:00.000Z'),
	(19, 3, 1, 'Train the night shift', 'todo', 2, 14, '2026-04-20T17:00:00.000Z', '2026-01-09T17:13:00.000Z'),
	(20, 3, 1, 'Agree on a price', 'in_progress', 1, NULL, '2026-03-01T17:00:00.000Z', '2026-01-10T08:20:00.000Z'),
	(21, 3, 5, 'Buy floor markers', 'done', 3, 0.5, '2026-02-05T17:00:00.000Z', '2026-01-11T09:27:00.000Z'),
	(22, 3, 3, 'Simulate rush hour', 'todo', 2, 24, '2026-04-15T17:00:00.000Z', '2026-01-12T10:34:00.000Z'),
	(23, 3, NULL, 'Plan the fire drill', 'todo', 2, 2, '2026-04-01T17:00:00.000Z', '2026-01-13T11:41:00.000Z'),
	(24, 3, NULL, 'Count to 100%', 'todo', 4, 0, NULL, '2026-01-14T12:48:00.000Z'),
	(25, 4, 2, 'Archive the drawings', 'todo', 4, 3, '2025-06-01T17:00:00.000Z', '2025-03-10T13:55:00.000Z'),
	(26, 4, 2, 'Return the loan robot', 'done', 2, 1, '2025-05-01T17:00:00.000Z', '2025-03-11T14:02:00.000Z'),
	(27, 4, 6, 'Write the post-mortem', 'in_progress', 3, 6, '2025-07-01T17:00:00.000Z', '2025-03-12T15:09:00.000Z'),
	(28, 4, NULL, 'Sell spare parts', 'todo', 4, NULL, NULL, '2025-03-13T16:16:00.000Z'),
	(29, 5, 6, 'Buy seed potatoes', 'done', 1, 2, '2026-01-15T17:00:00.000Z', '2025-12-01T17:23:00.000Z'),
	(30, 5, 9, 'Plough the north field', 'done', 1, 18, '2026-02-10T17:00:00.000Z', '2025-12-02T08:30:00.000Z'),
	(31, 5, 7, 'Hire pickers', 'in_progress', 2, 10, '2026-04-01T17:00:00.000Z', '2025-12-03T09:37:00.000Z'),
	(32, 5, 8, 'Repair the combine', 'in_progress', 1, 25, '2026-05-15T17:00:00.000Z', '2025-12-04T10:44:00.000Z'),
	(33, 5, 6, 'Sign the market contract', 'todo', 1, 4, '2026-03-30T17:00:00.000Z', '2025-12-05T11:51:00.000Z'),
	(34, 5, 8, 'Test the soil', 'done', 2, 3, '2026-01-31T17:00:00.000Z', '2025-12-06T12:58:00.000Z'),
	(35, 5, NULL, 'Order crates', 'todo', 3, 1, '2026-06-01T17:00:00.000Z', '2025-12-07T13:05:00.000Z'),
	(36, 5, 7, 'Insure the barn', 'todo', 2, NULL, '2026-03-10T17:00:00.000Z', '2025-12-08T14:12:00.000Z'),
	(37, 6, 9, 'Survey the well', 'done', 1, 6, '2026-02-01T17:00:00.000Z', '2026-01-20T15:19:00.000Z'),
	(38, 6, 8, 'Buy drip hoses', 'in_progress', 2, 2, '2026-03-18T17:00:00.000Z', '2026-01-21T16:26:00.000Z'),
	(39, 6, 9, 'Lay the main pipe', 'todo', 1, 32, '2026-04-05T17:00:00.000Z', '2026-01-22T17:33:00.000Z'),
	(40, 6, NULL, 'Program the valves', 'todo', 3, 12, NULL, '2026-01-23T08:40:00.000Z'),
	(41, 6, 6, 'Apply for the water permit', 'in_progress', 1, 5, '2026-02-20T17:00:00.000Z', '2026-01-24T09:47:00.000Z'),
	(42, 6, 2, 'Fence the pump', 'todo', 4, 4.5, '2026-04-30T17:00:00.000Z', '2026-01-25T10:54:00.000Z'),
	(43, 6, NULL, 'Paint the tank', 'todo', 4, NULL, NULL, '2026-01-26T11:01:00.000Z'),
	(44, 7, 7, 'Collect the offers', 'done', 2, 3, '2025-07-20T17:00:00.000Z', '2025-07-01T12:08:00.000Z'),
	(45, 7, 6, 'Compare the rates', 'done', 2, 2, '2025-08-01T17:00:00.000Z', '2025-07-02T13:15:00.000Z'),
	(46, 7, 9, 'Return the keys', 'todo', 3, 0.5, '2025-09-01T17:00:00.000Z', '2025-07-03T14:22:00.000Z'),
	(47, 7, 7, 'Cancel the leasing', 'in_progress', 1, 1, '2025-10-01T17:00:00.000Z', '2025-07-04T15:29:00.000Z'),
	(48, 7, NULL, 'File the papers', 'todo', 4, NULL, NULL, '2025-07-05T16:36:00.000Z'),
	(49, 8, 11, 'Reproduce the paper jam', 'done', 1, 4, '2026-01-10T17:00:00.000Z', '2025-11-25T17:43:00.000Z'),
	(50, 8, 12, 'Rename the error', 'todo', 3, 0.5, '2026-03-03T17:00:00.000Z', '2025-11-26T08:50:00.000Z'),
	(51, 8, 11, 'Sign the firmware', 'in_progress', 1, 8, '2026-03-14T17:00:00.000Z', '2025-11-27T09:57:00.000Z'),
	(52, 8, NULL, 'Support A3', 'todo', 4, 20, NULL, '2025-11-28T10:04:00.000Z'),
	(53, 8, 10, 'Write release notes', 'todo', 2, 1.5, '2026-03-20T17:00:00.000Z', '2025-11-28T11:11:00.000Z'),
	(54, 8, 12, 'Drop parallel ports', 'in_progress', 3, 6, '2026-02-25T17:00:00.000Z', '2025-11-28T12:18:00.000Z'),
	(55, 9, 10, 'Buy tags', 'done', 2, 1, '2026-02-16T17:00:00.000Z', '2026-02-14T13:25:00.000Z'),
	(56, 9, 12, 'Glue tags to staplers', 'in_progress', 2, 5, '2026-03-06T17:00:00.000Z', '2026-02-15T14:32:00.000Z'),
	(57, 9, 11, 'Find the red stapler', 'todo', 1, NULL, '2026-03-01T17:00:00.000Z', '2026-02-16T15:39:00.000Z'),
	(58, 9, NULL, 'Draw the map of desks', 'todo', 3, 3, NULL, '2026-02-17T16:46:00.000Z'),
	(59, 9, 12, 'Ask the basement', 'todo', 2, 0.5, '2026-03-11T17:00:00.000Z', '2026-02-18T17:53:00.000Z'),
	(60, 9, 10, 'Close the office early', 'todo', 4, NULL, NULL, '2026-02-19T08:00:00.000Z');

INSERT INTO comments (id, task_id, author_id, body, created_at) VALUES
	(1, 1, 4, 'The torque is within limits now.', '2026-02-06T08:13:00.000Z'),
	(2, 1, 3, 'Who signs this off?', '2026-03-11T09:26:00.000Z'),
	(3, 3, 5, 'Waiting for the supplier.', '2026-01-16T10:39:00.000Z'),
	(4, 3, 4, 'See the drawing in the shared folder.', '2026-02-21T11:52:00.000Z'),
	(5, 3, 3, 'Done on Friday, please review.', '2026-03-26T12:05:00.000Z'),
	(6, 3, 2, 'This blocks the demo!', '2026-01-03T13:18:00.000Z'),
	(7, 4, 2, 'I can take it next week.', '2026-02-08T14:31:00.000Z'),
	(8, 4, 1, 'It''s 90% there.', '2026-03-13T15:44:00.000Z'),
	(9, 5, 3, 'Moved to the next sprint.', '2026-01-18T16:57:00.000Z'),
	(10, 7, 1, 'The torque is within limits now.', '2026-02-23T17:10:00.000Z'),
	(11, 7, 5, 'Who signs this off?', '2026-03-28T18:23:00.000Z'),
	(12, 8, 2, 'Waiting for the supplier.', '2026-01-05T07:36:00.000Z'),
	(13, 9, 5, 'See the drawing in the shared folder.', '2026-02-10T08:49:00.000Z'),
	(14, 9, 4, 'Done on Friday, please review.', '2026-03-15T09:02:00.000Z'),
	(15, 9, 3, 'This blocks the demo!', '2026-01-20T10:15:00.000Z'),
	(16, 10, 4, 'I can take it next week.', '2026-02-25T11:28:00.000Z'),
	(17, 11, 2, 'It''s 90% there.', '2026-03-02T12:41:00.000Z'),
	(18, 11, 1, 'Moved to the next sprint.', '2026-01-07T13:54:00.000Z'),
	(19, 11, 5, 'The torque is within limits now.', '2026-02-12T14:07:00.000Z'),
	(20, 12, 1, 'Who signs this off?', '2026-03-17T15:20:00.000Z'),
	(21, 12, 5, 'Waiting for the supplier.', '2026-01-22T16:33:00.000Z'),
	(22, 14, 2, 'See the drawing in the shared folder.', '2026-02-27T17:46:00.000Z'),
	(23, 15, 5, 'Done on Friday, please review.', '2026-03-04T18:59:00.000Z'),
	(24, 15, 4, 'This blocks the demo!', '2026-01-09T07:12:00.000Z'),
	(25, 15, 3, 'I can take it next week.', '2026-02-14T08:25:00.000Z'),
	(26, 18, 4, 'It''s 90% there.', '2026-03-19T09:38:00.000Z'),
	(27, 18, 3, 'Moved to the next sprint.', '2026-01-24T10:51:00.000Z'),
	(28, 19, 5, 'The torque is within limits now.', '2026-02-01T11:04:00.000Z'),
	(29, 20, 3, 'Who signs this off?', '2026-03-06T12:17:00.000Z'),
	(30, 20, 2, 'Waiting for the supplier.', '2026-01-11T13:30:00.000Z'),
	(31, 21, 4, 'See the drawing in the shared folder.', '2026-02-16T14:43:00.000Z'),
	(32, 21, 3, 'Done on Friday, please review.', '2026-03-21T15:56:00.000Z'),
	(33, 22, 5, 'This blocks the demo!', '2026-01-26T16:09:00.000Z'),
	(34, 22, 4, 'I can take it next week.', '2026-02-03T17:22:00.000Z'),
	(35, 24, 1, 'It''s 90% there.', '2026-03-08T18:35:00.000Z'),
	(36, 25, 4, 'Moved to the next sprint.', '2026-01-13T07:48:00.000Z'),
	(37, 26, 2, 'The torque is within limits now.', '2026-02-18T08:01:00.000Z'),
	(38, 26, 1, 'Who signs this off?', '2026-03-23T09:14:00.000Z'),
	(39, 27, 3, 'Waiting for the supplier.', '2026-01-28T10:27:00.000Z'),
	(40, 29, 6, 'The field is too wet.', '2026-02-05T11:40:00.000Z'),
	(41, 29, 6, 'Rain until Thursday.', '2026-03-10T12:53:00.000Z'),
	(42, 29, 6, 'The co-op wants a discount.', '2026-01-15T13:06:00.000Z'),
	(43, 30, 7, 'Neighbours have agreed.', '2026-02-20T14:19:00.000Z'),
	(44, 31, 6, 'Diesel is on its way.', '2026-03-25T15:32:00.000Z'),
	(45, 31, 6, 'Weather permitting.', '2026-01-02T16:45:00.000Z'),
	(46, 31, 6, 'Ask the bank again.', '2026-02-07T17:58:00.000Z'),
	(47, 32, 7, 'The field is too wet.', '2026-03-12T18:11:00.000Z'),
	(48, 34, 6, 'Rain until Thursday.', '2026-01-17T07:24:00.000Z'),
	(49, 35, 9, 'The co-op wants a discount.', '2026-02-22T08:37:00.000Z'),
	(50, 38, 8, 'Neighbours have agreed.', '2026-03-27T09:50:00.000Z'),
	(51, 38, 8, 'Diesel is on its way.', '2026-01-04T10:03:00.000Z'),
	(52, 39, 6, 'Weather permitting.', '2026-02-09T11:16:00.000Z'),
	(53, 40, 9, 'Ask the bank again.', '2026-03-14T12:29:00.000Z'),
	(54, 41, 8, 'The field is too wet.', '2026-01-19T13:42:00.000Z'),
	(55, 41, 8, 'Rain until Thursday.', '2026-02-24T14:55:00.000Z'),
	(56, 41, 8, 'The co-op wants a discount.', '2026-03-01T15:08:00.000Z'),
	(57, 42, 9, 'Neighbours have agreed.', '2026-01-06T16:21:00.000Z'),
	(58, 42, 9, 'Diesel is on its way.', '2026-02-11T17:34:00.000Z'),
	(59, 44, 7, 'Weather permitting.', '2026-03-16T18:47:00.000Z'),
	(60, 45, 6, 'Ask the bank again.', '2026-01-21T07:00:00.000Z'),
	(61, 45, 6, 'The field is too wet.', '2026-02-26T08:13:00.000Z'),
	(62, 47, 8, 'Rain until Thursday.', '2026-03-03T09:26:00.000Z'),
	(63, 49, 10, 'Did you get the memo?', '2026-01-08T10:39:00.000Z'),
	(64, 49, 11, 'PC LOAD LETTER again.', '2026-02-13T11:52:00.000Z'),
	(65, 49, 12, 'I believe you have my stapler.', '2026-03-18T12:05:00.000Z'),
	(66, 50, 10, 'TPS cover sheet is missing.', '2026-01-23T13:18:00.000Z'),
	(67, 51, 10, 'Works on my machine.', '2026-02-28T14:31:00.000Z'),
	(68, 51, 11, 'Did you get the memo?', '2026-03-05T15:44:00.000Z'),
	(69, 51, 12, 'PC LOAD LETTER again.', '2026-01-10T16:57:00.000Z'),
	(70, 52, 10, 'I believe you have my stapler.', '2026-02-15T17:10:00.000Z'),
	(71, 52, 11, 'TPS cover sheet is missing.', '2026-03-20T18:23:00.000Z'),
	(72, 54, 10, 'Works on my machine.', '2026-01-25T07:36:00.000Z'),
	(73, 54, 11, 'Did you get the memo?', '2026-02-02T08:49:00.000Z'),
	(74, 55, 10, 'PC LOAD LETTER again.', '2026-03-07T09:02:00.000Z'),
	(75, 55, 11, 'I believe you have my stapler.', '2026-01-12T10:15:00.000Z'),
	(76, 56, 10, 'TPS cover sheet is missing.', '2026-02-17T11:28:00.000Z'),
	(77, 56, 11, 'Works on my machine.', '2026-03-22T12:41:00.000Z'),
	(78, 56, 12, 'Did you get the memo?', '2026-01-27T13:54:00.000Z'),
	(79, 57, 10, 'PC LOAD LETTER again.', '2026-02-04T14:07:00.000Z'),
	(80, 57, 11, 'I believe you have my stapler.', '2026-03-09T15:20:00.000Z'),
	(81, 59, 10, 'TPS cover sheet is missing.', '2026-01-14T16:33:00.000Z'),
	(82, 60, 10, 'Works on my machine.', '2026-02-19T17:46:00.000Z'),
	(83, 3, 8, 'Left by somebody who is not a member.', '2026-03-03T12:00:00.000Z'),
	(84, 31, 4, 'Written by a visitor from elsewhere.', '2026-03-04T12:00:00.000Z'),
	(85, 50, 7, 'Posted from outside.', '2026-03-05T12:00:00.000Z');
`
