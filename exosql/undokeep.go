package exosql

// This file makes a database keep the rows that runs change, so that they can be undone.

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/undo"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// CreateUndo is the statement that makes the table of [OpenOptions.Undo] on SQLite. The table can't be granted to programs.
const CreateUndo = engine.CreateUndo

// UndoTriggers returns SQL that makes triggers on PostgreSQL. For [OpenOptions.Undo] they keep the rows of tables that a role's runs change, for the time keep.
// The owner of the tables runs the SQL, and again when there are new tables. The SQL covers tables that cascades reach, and all tables if one of them
// has a trigger or a rule. Without a catalogue UndoTriggers returns "".
func UndoTriggers(live *schema.Database, role string, keep time.Duration, tables ...schema.Name) string {
	if live == nil {
		return ""
	}
	in := "public"
	if len(live.Path) > 0 {
		in = live.Path[0]
	}
	return undo.Script(in, role, keep, live, tables)
}

// Unkept lists the tables that writes of tables can change and that have no enabled trigger of [UndoTriggers]. It is "" if there are none, and on
// SQLite.
func (db *DB) Unkept(ctx context.Context, tables ...schema.Name) (list string, err error) {
	if db.core() == nil {
		return "", fail.Errorf(fail.Invalid, "exosql: Unkept", "the DB is nil or zero: make one with Open")
	}
	names := scalar.Each(tables, func(n schema.Name) string { return sqlname.Quote(n.Schema) + "." + sqlname.Quote(n.Name) })
	err = db.db.Units.Marks(ctx, "exosql: Unkept", func(w engine.Writer) (err error) {
		list, err = w.Unkept(ctx, names)
		return err
	})
	return list, err
}
