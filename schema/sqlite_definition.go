package schema

import (
	"errors"
	"slices"
	"strings"
)

// SQLite keeps definitions as texts, and reports most of their content. The functions here parse the rest. Each takes one text of
// sqlite_schema, which SQLite has accepted, and reads only the parts that its result has.

var errDefinition = errors.New("its definition can't be read")

// definition is the text of a definition, with its tokens.
type definition struct {
	src  string
	toks []token
}

func newDefinition(src string) (definition, error) {
	toks, err := lex(src)
	return definition{src, toks}, err
}

// text returns the source from the token from up to the token to, without spaces at its ends.
func (d definition) text(from, to int) string {
	if from >= to {
		return ""
	}
	return strings.TrimSpace(d.src[d.toks[from].pos:d.toks[to-1].end])
}

// word returns token i in upper case if it is a word, or "".
func (d definition) word(i int) string {
	if i < 0 || i >= len(d.toks) {
		return ""
	}
	return d.toks[i].up
}

// past returns the index after token i, or after the parenthesis that begins at token i.
func (d definition) past(i int) int {
	depth := 0
	for ; i < len(d.toks); i++ {
		switch t := d.toks[i]; {
		case t.punct("("):
			depth++
		case t.punct(")"):
			depth--
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return i
}

// find returns the first token from i on that is the word, outside of parentheses, or -1 if there is none.
func (d definition) find(i int, word string) int {
	for ; i < len(d.toks); i = d.past(i) {
		if d.toks[i].up == word {
			return i
		}
	}
	return -1
}

// parts returns the ranges of tokens between the commas of the parenthesis at i.
func (d definition) parts(i int) (out [][2]int, err error) {
	if i >= len(d.toks) || !d.toks[i].punct("(") {
		return nil, errDefinition
	}
	end := d.past(i) - 1
	from := i + 1
	for i = from; i < end; i = d.past(i) {
		if d.toks[i].punct(",") {
			out = append(out, [2]int{from, i})
			from = i + 1
		}
	}
	return append(out, [2]int{from, end}), nil
}

// definedTable has the parts of a table's definition that SQLite does not report.
type definedTable struct {
	columns    []Column // columns have name, collation and expression
	checks     []Check
	deferrable []bool // deferrable is for each foreign key, in the order of the text
	onConflict []string
}

// readTable parses a CREATE TABLE statement.
func readTable(text string) (*definedTable, error) {
	d, err := newDefinition(text)
	if err != nil {
		return nil, err
	}
	open := 0
	for open < len(d.toks) && !d.toks[open].punct("(") {
		open++
	}
	parts, err := d.parts(open)
	if err != nil {
		return nil, err
	}
	t := &definedTable{}
	for _, p := range parts {
		if p[0] >= p[1] {
			return nil, errDefinition
		}
		switch d.word(p[0]) {
		case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
			t.constraints(d, p[0], p[1], &Column{}) // there may be several, since SQLite needs no comma between them
		default:
			t.columns = append(t.columns, Column{Name: d.toks[p[0]].text})
			t.constraints(d, p[0]+1, p[1], &t.columns[len(t.columns)-1])
		}
	}
	return t, nil
}

// constraints parses the type and the constraints of a column, or the constraints of a table.
func (t *definedTable) constraints(d definition, i, end int, c *Column) {
	name, foreign := "", len(t.deferrable)
	for ; i < end; i = d.past(i) {
		switch d.word(i) {
		case "CONSTRAINT":
			i++
			name = d.toks[min(i, end-1)].text
			continue
		case "CHECK":
			t.checks = append(t.checks, Check{Name: name, Expr: d.text(i+2, d.past(i+1)-1)})
		case "COLLATE":
			i++
			c.Collation = d.toks[min(i, end-1)].text
			c.Loose = sqliteLoose(c.Collation)
		case "AS":
			c.GenExpr = d.text(i+2, d.past(i+1)-1)
		case "REFERENCES":
			t.deferrable = append(t.deferrable, false)
		case "DEFERRABLE":
			if len(t.deferrable) > foreign && d.word(i-1) != "NOT" {
				t.deferrable[len(t.deferrable)-1] = true
			}
		case "CONFLICT":
			if what := d.word(i + 1); d.word(i-1) == "ON" && (what == "REPLACE" || what == "IGNORE" || what == "FAIL") && !slices.Contains(t.onConflict, what) {
				t.onConflict = append(t.onConflict, what)
			}
			continue
		case "DEFAULT":
			if d.word(i-1) != "SET" { // except in ON DELETE SET DEFAULT, skip the value, which may look like a constraint
				i++
			}
		case "NOT", "NULL", "PRIMARY", "UNIQUE", "FOREIGN":
		default:
			continue // the word belongs to the type, or to the current constraint
		}
		name = "" // the name belonged to this constraint
	}
}

// fromText parses the definition of an index for its expressions and its condition, which SQLite does not report.
func (x *Index) fromText(text string) error {
	d, err := newDefinition(text)
	if err != nil {
		return err
	}
	open := d.find(0, "ON") + 2 // skip ON and the table's name
	parts, err := d.parts(open)
	if err != nil {
		return err
	}
	if len(parts) != len(x.Parts) {
		return errors.New("its parts are not those that SQLite reports")
	}
	for i, p := range parts {
		if x.Parts[i].Column == "" {
			end := d.past(p[0])
			for end < p[1] && !indexEnd[d.word(end)] {
				end = d.past(end)
			}
			x.Parts[i].Expr = d.text(p[0], end)
		}
	}
	if where := d.find(open, "WHERE"); where >= 0 && where+1 < len(d.toks) {
		x.Where = strings.TrimSpace(d.src[d.toks[where+1].pos:])
	}
	return nil
}

// unread marks an index with an unreadable text: no query relies on it, and it may involve every column.
func (x *Index) unread(text string) {
	x.Where = text
	for i := range x.Parts {
		if x.Parts[i].Column == "" {
			x.Parts[i].Expr = text
		}
	}
}

// indexEnd has the words that end the expression of an index's part.
var indexEnd = map[string]bool{"ASC": true, "DESC": true, "COLLATE": true, "NULLS": true}

// readTrigger parses the head of a CREATE TRIGGER statement.
func readTrigger(text string) (Trigger, error) {
	d, err := newDefinition(text)
	i := d.find(0, "TRIGGER") + 1
	if err != nil || i == 0 || i+1 >= len(d.toks) {
		return Trigger{}, errors.Join(err, errDefinition)
	}
	tr := Trigger{Name: d.toks[i].text, Timing: "BEFORE"}
	i++
	switch d.word(i) {
	case "BEFORE":
		i++
	case "AFTER":
		tr.Timing = "AFTER"
		i++
	}
	event := d.word(i)
	if event != "INSERT" && event != "UPDATE" && event != "DELETE" {
		return Trigger{}, errDefinition
	}
	tr.Events = []string{event}
	if event == "UPDATE" && d.word(i+1) == "OF" {
		for i += 2; i < len(d.toks); i += 2 {
			tr.Columns = append(tr.Columns, d.toks[i].text)
			if d.word(i+1) == "ON" {
				return tr, nil
			}
			if i+1 >= len(d.toks) || !d.toks[i+1].punct(",") {
				break
			}
		}
		tr.Columns = nil // nil means any column, since the list can't be parsed
	}
	return tr, nil
}
