package schema

import "testing"

// FuzzDefinition: whatever the text of a definition is, reading it comes to an end.
func FuzzDefinition(f *testing.F) {
	for _, s := range []string{
		`CREATE TABLE a (id integer primary key, b text default 'x' collate nocase references a (id) on delete set default deferrable, check (b <> ''))`,
		`CREATE TABLE a (a INT, b AS (a || ')'), CONSTRAINT c CHECK (a < b) CHECK (b <> 7), FOREIGN KEY (a) REFERENCES b NOT DEFERRABLE) STRICT`,
		`CREATE TRIGGER t AFTER UPDATE OF x ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; END`, `CREATE UNIQUE INDEX i ON a (lower(x) DESC, "b") WHERE x > 0`,
		`CREATE TABLE a (CHECK`, `CREATE TABLE a (b COLLATE`, `CREATE TABLE (,)`, `CREATE TRIGGER`, `CREATE INDEX i ON`, `x'`, `[`, `/* `, "`",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := readTable(text)
		if again, errAgain := readTable(text); (err == nil) != (errAgain == nil) || err == nil && len(again.columns) != len(d.columns) {
			t.Fatalf("first %v, %v, then %v, %v", d, err, again, errAgain)
		}
		_, _ = readTrigger(text)
		_ = (&Index{Parts: make([]Part, 2)}).fromText(text)
		_, _, _ = callsOf(text)
	})
}
