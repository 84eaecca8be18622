package exosql

import (
	"context"
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/engine"
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
	var db *DB
	c := check.NewChecker()
	for _, x := range objects {
		o, err := facetOf(x)
		if err != nil {
			return "", err
		}
		if o == nil {
			continue
		}
		if err := o.prepare(); err != nil {
			return "", err
		}
		if err := o.db.ready(); err != nil {
			return "", err
		}
		if db != nil && db != o.db {
			return "", fail.Errorf(fail.Invalid, "exosql: Policies", "the objects are of several databases; want those of one")
		}
		db = o.db
		reach, err := o.facet.Walk()
		if err != nil {
			return "", err
		}
		grants = append(grants, rowsec.Granted{Grant: o.ready().grant.Scope(), Facets: reach})
		c.Facet(o.facet, true)
		c.Relation(o.ready().rel)
	}
	switch {
	case db == nil:
		return "", fail.Errorf(fail.Invalid, "exosql: Policies", "there are no objects: give it what is granted")
	case db.dialect != sqlast.Postgres:
		return "", fail.Errorf(fail.Invalid, "exosql: Policies", "the database is SQLite, which has no policies: its second wall is the authorizer")
	}
	live, err := db.Catalog(ctx)
	if err != nil {
		return "", err
	}
	return rowsec.Script(role, live, grants, c.Read())
}

// settings are what policies know of the grants of a statement: the host's values, never a program's. They are nil
// where the host has not said that there are policies. Of two grants that say different values by one name neither may win.
func (db *DB) settings(grants ...map[string]string) (*engine.Settings, error) {
	if !db.secured {
		return nil, nil
	}
	all := map[string]string{}
	for _, g := range grants {
		for name, v := range g {
			if before, ok := all[name]; ok && before != v {
				return nil, fail.Errorf(fail.Invalid, "", "these objects are granted with different values for the policies of one table: they can't be combined in one query")
			}
			all[name] = v
		}
	}
	out := &engine.Settings{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out.Names, out.Values = append(out.Names, name), append(out.Values, all[name])
	}
	return out, nil
}

// settingsOf are those of the grants of objects.
func (db *DB) settingsOf(objs []*object) (*engine.Settings, error) {
	if !db.secured {
		return nil, nil
	}
	var all []map[string]string
	for _, o := range objs {
		all = append(all, o.ready().settings)
	}
	return db.settings(all...)
}
