package schema

// This file reads from the texts of SQLite's views what they read.

// views finds the tables behind each view: those whose names stand in its text, or in that of a view that does. A name may
// stand there for something else, such as an alias, so these are at least the tables that it reads.
func (r *sqliteReader) views() error {
	named := map[string]map[string]bool{}
	for _, v := range r.db.Views {
		toks, err := lex(r.sql[v.Name.Name])
		v.Calls = err != nil
		names := map[string]bool{}
		for _, t := range toks {
			if t.kind == tokWord || t.kind == tokName || t.kind == tokString { // SQLite takes 'a' for a table's name, too
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
				v.Calls = v.Calls || t.Virtual // a module may read any table
			}
		}
	}
	return nil
}

// expand adds the names in the text of a view, and of the views among them.
func (r *sqliteReader) expand(view string, named map[string]map[string]bool, all map[string]bool) {
	for name := range named[view] {
		if !all[name] {
			all[name] = true
			r.expand(name, named, all)
		}
	}
}
