// Package dynamic declares tables, links, scopes and facets at run time, from the catalogue of a
// live database: for hosts that read their grants from data. The Go compiler checks nothing of
// that, so each function returns what package exosql refuses to compile, or panics about, as an
// [exo.Error] of Kind Invalid: it names the table, column or link and what would be right.
//
//	cat, err := db.Catalog(ctx)
//	d := dynamic.New(cat)
//	users, err := d.Table("users")
//	todos, err := d.Table("todos", dynamic.Column{Name: "state", OneOf: []string{"open", "done"}})
//	own, err := users.Link(dynamic.Link{Name: "todos", Columns: []string{"id"}, To: todos, References: []string{"user_id"}})
//	user, err := users.Facet("user", "id", "name")
//	todo, err := todos.Facet("todo", "id", "state")
//	err = user.Add(own, todo)
//	object, err := user.Grant(db, dynamic.Eq("id", 7))
//
// The object is the same as that of exosql.Facet.Of: one core compiles both. Nothing here takes
// text of SQL. Names come from the catalogue, and values are typed by their column and bound.
package dynamic
