package kit

import (
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

type wayRow struct {
	ID, Org int64
	Label   string
	Text    *string
	Int     *int64
	Float   *float64
	Dec     *exosql.Decimal
	Bool    *bool
	Day     *exosql.Date
	At      *time.Time
	UUID    *[16]byte
	Data    *exosql.JSON
}

const WayDDL = `CREATE TABLE ways (id {serial}, org_id {int} NOT NULL, label TEXT NOT NULL, text TEXT, int {int}, float {float}, dec {decimal}, bool BOOLEAN, day {date}, at {time}, uuid {uuid}, data {json});
CREATE TABLE orgs (id {int} PRIMARY KEY);
INSERT INTO orgs VALUES (1), (2);
INSERT INTO ways (org_id, label) VALUES (1, 'one'), (1, 'two'), (2, 'theirs')`

// WayGrants lets programs of an org change every column that can be changed.
func WayGrants(db *exosql.DB, org int64) codemode.Grants {
	orgs, ways := exosql.NewTable[wayRow]("orgs"), exosql.NewTable[wayRow]("ways")
	orgID := exosql.NewKey(orgs, "id", func(w *wayRow) *int64 { return &w.ID })
	id := exosql.NewKey(ways, "id", func(w *wayRow) *int64 { return &w.ID })
	wayOrg := exosql.NewColumn(ways, "org_id", func(w *wayRow) *int64 { return &w.Org })
	label := exosql.NewColumn(ways, "label", func(w *wayRow) *string { return &w.Label })
	cols := []exosql.Member[wayRow]{label,
		exosql.NewNullable(ways, "text", func(w *wayRow) **string { return &w.Text }), exosql.NewNullable(ways, "int", func(w *wayRow) **int64 { return &w.Int }),
		exosql.NewNullable(ways, "float", func(w *wayRow) **float64 { return &w.Float }), exosql.NewNullable(ways, "dec", func(w *wayRow) **exosql.Decimal { return &w.Dec }),
		exosql.NewNullable(ways, "bool", func(w *wayRow) **bool { return &w.Bool }), exosql.NewNullable(ways, "day", func(w *wayRow) **exosql.Date { return &w.Day }),
		exosql.NewNullable(ways, "at", func(w *wayRow) **time.Time { return &w.At }).StoredISO(), exosql.NewNullable(ways, "uuid", func(w *wayRow) **[16]byte { return &w.UUID })}
	data := exosql.NewNullable(ways, "data", func(w *wayRow) **exosql.JSON { return &w.Data })
	way := exosql.NewFacet(ways, "way", append([]exosql.Member[wayRow]{id, data}, cols...)...)
	way.AllowInsert(cols...).AllowUpdate(cols...).AllowDelete()
	orgWays := exosql.Many("ways", orgID, wayOrg)
	o := exosql.NewFacet(orgs, "org", orgID, exosql.Via(orgWays, way))
	return codemode.Grants{"ways": way.Of(exosql.Grant(db, ways, wayOrg.Eq(org))), "org": o.Of(exosql.Grant(db, orgs, orgID.Eq(org), exosql.ScopeVia(orgWays)))}
}
