// Package dynamic declares tables, links, scopes and facets at run time, from the catalogue of a
// live database: for hosts that read their grants from data. The Go compiler checks nothing of
// that, so each function returns what package exosql refuses to compile, or panics about, as an
// [fail.Error] of Kind Invalid: it names the table, column or link and what would be right.
//
//	cat, err := db.Catalog(ctx)
//	d := dynamic.New(cat)
//	users, err := d.Table("users")
//	todos, err := d.Table("todos", dynamic.ColumnSpec{Name: "state", OneOf: []string{"open", "done"}})
//	own, err := users.Link(dynamic.LinkSpec{Name: "todos", Columns: []string{"id"}, To: todos, References: []string{"user_id"}})
//	user, err := users.Facet("user", "id", "name")
//	todo, err := todos.Facet("todo", "id", "state")
//	err = user.Add(own, todo)
//	err = todo.AllowUpdate("state") // programs only read what no facet allows
//	object, err := user.Grant(db, dynamic.Eq("id", 7))
//
// The words are those of package exosql: a [Predicate], a [Link], a [Scope] made by [ScopeRows],
// [ScopeVia] or [ScopeShared], a [Facet]. The object is the same as that of exosql.Facet.Of: one
// core compiles both. Nothing here takes text of SQL. Names come from the catalogue, and values
// are typed by their column and bound.
//
// Nothing here panics: a zero or nil Declarations, Table, Link, Facet, Predicate or Scope is an
// error where it is used.
//
// # Several goroutines
//
// Declare in one goroutine: Declarations, Tables and Facets that are being built are not locked.
// When all is declared, [Facet.Grant] may be called from several at once, as for every request
// of a server, and Predicates, Scopes and Links be shared. Granted objects may be used from any.
package dynamic
