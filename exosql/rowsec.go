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

// Policies are the SQL by which PostgreSQL lets a role do what is granted and no more: the role, its rights on
// columns, and policies for the rows of each command. It is the second wall, for a host that
// opens the database as that role and sets [OpenOptions.RowSecurity]: a statement that this package
// would make wrong then reads and changes no row out of scope. objects are what [Facet.Of] made, for any one
// user: the structure of the grants is what counts, and their values come with each statement.
// One role serves one set of objects. What it can't mirror is wider: a relation's limit, and JSON and arrays in scopes are an error. Views and services are left out: the role gets no right to a view.
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
			return "", fail.Errorf(fail.Invalid, "exosql: Policies", "the objects are of several databases; want those of one")
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
		return "", fail.Errorf(fail.Invalid, "exosql: Policies", "there are no objects: give it what is granted")
	case db.Dialect != sqlast.Postgres:
		return "", fail.Errorf(fail.Invalid, "exosql: Policies", "the database is SQLite, which has no policies: its second wall is the authorizer")
	}
	live, err := db.Pool.Catalog(ctx, true)
	if err != nil {
		return "", err
	}
	return rowsec.Script(role, live, grants, c.Read())
}
