package schema

// What a text may cost. A few bytes can ask for much: a partition has all columns of its
// table, a new name is written into every expression that has the old one, and each
// statement may look at all that came before it. These bounds hold whatever the text
// says; the engines' own hold for a table.
const (
	maxWork = 1 << 30   // steps: tables, columns and keys that statements looked at
	maxMade = 128 << 20 // bytes that statements made of what was there

	maxColumnsPostgres, maxColumnsSQLite = 1600, 32767 // of a table
	maxPartsPostgres, maxPartsSQLite     = 32, 2000    // of a key or an index
)

// columnBytes is about how much memory a column takes.
const columnBytes = 512

// work counts n steps.
func (p *parser) work(n int) {
	if p.worked += n; p.worked > maxWork {
		p.fail(p.peek(), "these definitions take too many steps to read up to here: give fewer of them, or read the database itself")
	}
}

// made counts n bytes.
func (p *parser) made(n int) {
	if p.grown += n; p.grown > maxMade {
		p.fail(p.peek(), "these definitions become too large up to here: give fewer of them, or read the database itself")
	}
}

// columnRoom fails where a table has as many columns as its engine allows.
func (p *parser) columnRoom(t *Table) {
	most := maxColumnsPostgres
	if p.engine == SQLite {
		most = maxColumnsSQLite
	}
	if len(t.Columns) >= most {
		p.fail(p.peek(), "table %s has more than %d columns", t.Name, most)
	}
}

// partRoom fails where a key or an index has as many parts as its engine allows.
func (p *parser) partRoom(n int) {
	most := maxPartsPostgres
	if p.engine == SQLite {
		most = maxPartsSQLite
	}
	if n >= most {
		p.fail(p.peek(), "a key or an index has more than %d columns", most)
	}
}
