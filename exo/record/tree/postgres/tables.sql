-- The text of log.json. It never changes: each checkpoint signs its digest.
CREATE TABLE IF NOT EXISTS exo_record_about (
  one   boolean PRIMARY KEY DEFAULT true CHECK (one),
  about text NOT NULL
);
-- The lines of the log: entries (kind 1), and the checkpoint (kind 0) that signs the entries before its number. Nothing ever changes a row.
CREATE TABLE IF NOT EXISTS exo_record_lines (
  number bigint NOT NULL,
  kind   smallint NOT NULL CHECK (kind IN (0, 1)),
  run    uuid, -- of the leaf
  line   text NOT NULL, -- the entry's leaf, or the checkpoint's line
  sealed bytea, -- the encrypted payload
  at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  open   boolean GENERATED ALWAYS AS (line LIKE '%"step":"begun"%' OR line LIKE '%"state":"unknown"%') STORED,
  PRIMARY KEY (number, kind)
);
CREATE INDEX IF NOT EXISTS exo_record_runs ON exo_record_lines (run, number) WHERE run IS NOT NULL;
CREATE INDEX IF NOT EXISTS exo_record_open ON exo_record_lines (at) WHERE open;
-- What was erased, by the run.
CREATE INDEX IF NOT EXISTS exo_record_of ON exo_record_lines ((substring(line from '"of":"([0-9a-f]{32})"'))) WHERE line LIKE '%"of":"%';
-- The last checkpoint that a witness over HTTP has cosigned.
CREATE TABLE IF NOT EXISTS exo_record_cosigned (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  size     bigint NOT NULL, -- the entries that it signs
  cosigned text NOT NULL
);
-- The data keys, encrypted for the auditors. Erasing deletes rows here.
CREATE TABLE IF NOT EXISTS exo_record_keys (
  number bigint PRIMARY KEY, -- of the entry that brought it
  key    bytea NOT NULL
);
