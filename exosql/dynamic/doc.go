// Package dynamic declares tables, links, scopes and facets at run time, from the catalogue of a live database. It is for hosts that read their
// grants from data. The Go compiler can't check such declarations. So where a mistake with package exosql would not compile or would panic, each
// function here returns a [fail.Error] of Kind Invalid. The error names the table, column or link and the remedy.
//
//	cat, err := db.Catalog(ctx)
//	d := dynamic.New(cat)
//	users, err := d.Table("users")
//	todos, err := d.Table("todos", dynamic.ColumnSpec{Name: "state", OneOf: []string{"open", "done"}})
//	own, err := users.Link(dynamic.LinkSpec{Name: "todos", Columns: []string{"id"}, To: todos, References: []string{"user_id"}})
//	user, err := users.Facet("user", "id", "name")
//	todo, err := todos.Facet("todo", "id", "state")
//	err = user.Add(own, todo)
//	err = todo.AllowUpdate("state") // without it programs only read
//	object, err := user.Grant(db, dynamic.Eq("id", 7))
//
// The names are those of package exosql: a [Predicate], a [Link], a [Scope] made by [ScopeRows], [ScopeVia] or [ScopeShared], a [Facet]. The object
// is the same as that of exosql.Facet.Of: one core compiles both. No function takes SQL. Names come from the catalogue, and values have the type of
// their column and are bound.
//
// No function panics: using a zero or nil Declarations, Table, Link, Facet, Predicate or Scope is an error.
//
// # Several goroutines
//
// Declare in one goroutine: Declarations, Tables and Facets that are being built are not locked. After that, several goroutines may call
// [Facet.Grant] at once, as for every request of a server, and share Predicates, Scopes and Links. Any goroutine may use granted objects.
package dynamic
