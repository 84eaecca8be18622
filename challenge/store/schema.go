package store

const application, version = 0x65786f31, 5

// upgrades maps each version to the statements that lead to it from the version before.
var upgrades = map[int]string{
	2: "ALTER TABLE wins ADD COLUMN note TEXT NOT NULL DEFAULT '';",
	3: hours + "INSERT INTO hours (hour, lane, attempts) SELECT at / 3600000, lane, count(*) FROM attempts GROUP BY 1, 2;",
	4: "ALTER TABLE attempts ADD COLUMN process TEXT NOT NULL DEFAULT '';" + byState,
}

const byState = "CREATE INDEX attempts_by_state ON attempts (state, process);"

// hours are kept longer than the attempts that they count.
const hours = `
CREATE TABLE hours (
	hour     INTEGER NOT NULL, -- since 1970
	lane     TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	PRIMARY KEY (hour, lane)
) STRICT, WITHOUT ROWID;
`

// Triggers count the room of each address and the room of all, so that both counts always agree with the records.
const schema = hours + `
CREATE TABLE players (
	id      TEXT PRIMARY KEY,
	token   BLOB NOT NULL UNIQUE, -- a digest
	address BLOB NOT NULL,        -- a digest: where the player was made
	made    INTEGER NOT NULL,
	seen    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX players_by_seen ON players (seen);
CREATE INDEX players_by_address ON players (address, seen);
CREATE TABLE keys (
	player TEXT NOT NULL, target TEXT NOT NULL, lane TEXT NOT NULL,
	key    TEXT NOT NULL,
	copy   TEXT NOT NULL,
	tries  INTEGER NOT NULL DEFAULT 0, -- attempts, those that are not kept any more included
	PRIMARY KEY (player, target, lane)
) STRICT, WITHOUT ROWID;
CREATE TABLE chats (
	player  TEXT NOT NULL, target TEXT NOT NULL,
	address BLOB NOT NULL,
	body    BLOB NOT NULL,
	PRIMARY KEY (player, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX chats_by_address ON chats (address);
CREATE TABLE done (
	player TEXT NOT NULL, target TEXT NOT NULL, task TEXT NOT NULL,
	PRIMARY KEY (player, target, task)
) STRICT, WITHOUT ROWID;
CREATE TABLE attempts (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	id      TEXT NOT NULL UNIQUE,
	player  TEXT NOT NULL, target TEXT NOT NULL, lane TEXT NOT NULL,
	address BLOB NOT NULL,
	at      INTEGER NOT NULL,
	state   TEXT NOT NULL,
	process TEXT NOT NULL DEFAULT '', -- the process that plays it
	shared  INTEGER NOT NULL DEFAULT 0, -- 1: by its player; -1: the host has hidden it for good
	pinned  INTEGER NOT NULL DEFAULT 0,
	size    INTEGER NOT NULL,
	brief   BLOB NOT NULL, -- body without what is long
	body    BLOB NOT NULL
) STRICT;
CREATE INDEX attempts_by_player ON attempts (player, seq);
CREATE INDEX attempts_by_address ON attempts (address, seq);
CREATE INDEX attempts_by_pin ON attempts (pinned, seq);
` + byState + `
CREATE TABLE wins (
	player  TEXT NOT NULL, target TEXT NOT NULL, lane TEXT NOT NULL,
	at      INTEGER NOT NULL,
	guarded INTEGER NOT NULL,
	claimed INTEGER NOT NULL,
	name    TEXT NOT NULL,
	attempt TEXT NOT NULL,
	tries   INTEGER NOT NULL,
	note    TEXT NOT NULL DEFAULT '', -- the host's word on a hole
	PRIMARY KEY (player, target, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX wins_by_time ON wins (guarded, at);
CREATE INDEX wins_by_attempt ON wins (attempt);
CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE total (bytes INTEGER NOT NULL, stopped INTEGER NOT NULL) STRICT;
INSERT INTO total (bytes, stopped) VALUES (0, 0);
CREATE TABLE holders (
	address BLOB PRIMARY KEY,
	players INTEGER NOT NULL DEFAULT 0,
	bytes   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX holders_by_players ON holders (players);
CREATE INDEX holders_by_bytes ON holders (bytes);

CREATE TRIGGER player_comes AFTER INSERT ON players BEGIN
	INSERT INTO holders (address, players) VALUES (new.address, 1) ON CONFLICT (address) DO UPDATE SET players = players + 1;
END;
CREATE TRIGGER player_goes AFTER DELETE ON players BEGIN
	UPDATE holders SET players = players - 1 WHERE address = old.address;
END;
CREATE TRIGGER attempt_comes AFTER INSERT ON attempts BEGIN
	INSERT INTO holders (address, bytes) VALUES (new.address, new.size) ON CONFLICT (address) DO UPDATE SET bytes = bytes + new.size;
	UPDATE total SET bytes = bytes + new.size;
END;
CREATE TRIGGER attempt_changes AFTER UPDATE OF size ON attempts BEGIN
	UPDATE holders SET bytes = bytes + new.size - old.size WHERE address = old.address;
	UPDATE total SET bytes = bytes + new.size - old.size;
END;
CREATE TRIGGER attempt_goes AFTER DELETE ON attempts BEGIN
	UPDATE holders SET bytes = bytes - old.size WHERE address = old.address;
	UPDATE total SET bytes = bytes - old.size;
END;
CREATE TRIGGER chat_comes AFTER INSERT ON chats BEGIN
	INSERT INTO holders (address, bytes) VALUES (new.address, length(new.body)) ON CONFLICT (address) DO UPDATE SET bytes = bytes + length(new.body);
	UPDATE total SET bytes = bytes + length(new.body);
END;
CREATE TRIGGER chat_goes AFTER DELETE ON chats BEGIN
	UPDATE holders SET bytes = bytes - length(old.body) WHERE address = old.address;
	UPDATE total SET bytes = bytes - length(old.body);
END;
CREATE TRIGGER holder_goes AFTER UPDATE ON holders WHEN new.players = 0 AND new.bytes = 0 BEGIN
	DELETE FROM holders WHERE address = new.address;
END;
`
