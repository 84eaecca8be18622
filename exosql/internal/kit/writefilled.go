package kit

import (
	"strings"

	"github.com/exoagent/exoagent/exosql"
)

// FilledRow is a row of each table in this file.
type FilledRow struct {
	ID, Org, Cat, Kind int64
	Code, Tenant       string
}

type wfTable struct {
	Table              *exosql.Table[FilledRow]
	ID, Org, cat, Kind *exosql.Column[FilledRow, int64]
	Code, Tenant       *exosql.Column[FilledRow, string]
}

// DeclareFilled declares a table with the named columns.
func DeclareFilled(t *exosql.Table[FilledRow], columns string) (d wfTable) {
	d.Table = t
	for _, c := range strings.Fields(columns) {
		switch c {
		case "id":
			d.ID = exosql.NewKey(t, "id", func(r *FilledRow) *int64 { return &r.ID })
		case "org_id":
			d.Org = exosql.NewColumn(t, "org_id", func(r *FilledRow) *int64 { return &r.Org })
		case "cat_id":
			d.cat = exosql.NewColumn(t, "cat_id", func(r *FilledRow) *int64 { return &r.Cat })
		case "kind":
			d.Kind = exosql.NewColumn(t, "kind", func(r *FilledRow) *int64 { return &r.Kind })
		case "code":
			d.Code = exosql.NewColumn(t, "code", func(r *FilledRow) *string { return &r.Code })
		case "org":
			d.Tenant = exosql.NewColumn(t, "org", func(r *FilledRow) *string { return &r.Tenant })
		}
	}
	return d
}
