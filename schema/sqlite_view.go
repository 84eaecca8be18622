package schema

// This file finds the tables that SQLite's views read, from the views' texts.

// views finds the tables that each view reads: all tables that the view's text names, or that the text of a named view names. A name may
// mean something else, like an alias, so the list may have too many tables, but never too few.
func (r *sqliteReader) views() error {
	named := map[string]map[string]bool{}
	for _, v := range r.db.Views {
		toks, err := lex(r.sql[v.Name.Name])
		v.Calls = err != nil
		names := map[string]bool{}
		for _, t := range toks {
			if t.kind == tokWord || t.kind == tokName || t.kind == tokString { // SQLite accepts 'a' as a table's name too
				names[asciiFold(t.text)] = true
			}
		}
		named[asciiFold(v.Name.Name)] = names
	}
	for _, v := range r.db.Views {
		all := map[string]bool{}
		r.expand(asciiFold(v.Name.Name), named, all)
		for _, t := range r.db.Tables {
			if all[asciiFold(t.Name.Name)] {
				v.Reads = append(v.Reads, t.Name)
				v.Calls = v.Calls || t.Virtual // the module of a virtual table may read any table
			}
		}
	}
	return nil
}

// expand adds the names in the text of a view, and in the texts of views that it names.
func (r *sqliteReader) expand(view string, named map[string]map[string]bool, all map[string]bool) {
	for name := range named[view] {
		if !all[name] {
			all[name] = true
			r.expand(name, named, all)
		}
	}
}
