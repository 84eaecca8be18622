package exosql

import (
	"context"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Policies returns SQL that gives a PostgreSQL role exactly the rights of the objects: the role, its rights on columns, and policies for the rows
// of each command. Open the database as this role, with [OpenOptions.RowSecurity]. Then even a wrong statement of this package reads and changes no
// row out of scope. Pass objects that [Facet.Of] made for any one user: the script has the structure of their grants, and each statement passes the
// values. Use one role for each set of objects. Limits of relations are not mirrored, so the role may reach more rows than they allow. JSON and
// arrays in scopes are errors. Views and services are left out: the role gets no right to a view.
func Policies(ctx context.Context, role string, objects ...exo.Object) (string, error) {
	var grants []rowsec.Granted
	var db *answer.DB
	c := check.NewChecker()
	for _, x := range objects {
		o, err := answer.Of(x)
		if err != nil {
			return "", err
		}
		if o == nil {
			continue
		}
		if err := o.Prepare(); err != nil {
			return "", err
		}
		if err := o.DB.Ready(); err != nil {
			return "", err
		}
		if db != nil && db != o.DB {
			return "", fail.Errorf(fail.Invalid, "exosql: Policies", "the objects are of several databases: pass those of one")
		}
		db = o.DB
		reach, err := o.Facet.Walk()
		if err != nil {
			return "", err
		}
		grants = append(grants, rowsec.Granted{Grant: o.Ready().Grant.Scope(), Facets: reach})
		c.Facet(o.Facet, true)
		c.Relation(o.Ready().Rel)
	}
	switch {
	case db == nil:
		return "", fail.Errorf(fail.Invalid, "exosql: Policies", "no objects are given: pass the granted ones")
	case db.Dialect != sqlast.Postgres:
		return "", fail.Errorf(fail.Invalid, "exosql: Policies", "SQLite has no policies, and needs no script: call Policies only for PostgreSQL")
	}
	live, err := db.Pool.Catalog(ctx, true)
	if err != nil {
		return "", err
	}
	return rowsec.Script(role, live, grants, c.Read())
}
