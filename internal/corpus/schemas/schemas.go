// Package schemas opens the databases of testdata/schemas: tables from other projects, with rows of our own. They are
// declared at run time, like by a host that reads its grants from a file. declare.txt has a line for each thing:
//
//	ids SELECT …                                            who can act
//	table customer rows support_rep_id                      its scope: the rows with the id of the acting user in the column
//	table invoice via customer                              its scope: the rows that the link leads to
//	table track shared                                      its scope: all rows, for every user
//	link customer(support_rep_id) rep employee(employee_id) customers   a link, and the name of the link back
//	grant me employee                                       rows in scope, under that name
//
// rights.txt, if it exists, lists what programs may change:
//
//	insert invoice customer_id,total                        programs may set these columns; update is like it
//	delete invoice
//	postgres ALTER TABLE …                                  what PostgreSQL needs to number new rows
package schemas

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Open returns the app of a directory of testdata/schemas, for programs that read.
func Open(name string) (corpus.App, error) { return open(name, "") }

// OpenChanged is Open for programs that may change what rights.txt lists.
func OpenChanged(name string) (corpus.App, error) { return open(name, "rights.txt") }

func open(name, rights string) (corpus.App, error) {
	dir := filepath.Join(tu.Root(), "testdata", "schemas", name)
	var text [3]string
	for i, file := range []string{"schema.sql", "rows.sql", "declare.txt"} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return corpus.App{}, err
		}
		text[i] = string(b)
	}
	if rights != "" {
		b, err := os.ReadFile(filepath.Join(dir, rights))
		if err != nil {
			return corpus.App{}, err
		}
		text[2] += string(b)
	}
	d := parse(text[2])
	return corpus.App{Name: name, SQL: text[0] + text[1], Postgres: text[0] + text[1] + d.postgres, IDs: d.ids, Grants: func(db *exosql.DB, id int64) codemode.Grants {
		g, err := d.grants(db, id)
		if err != nil {
			panic(err)
		}
		return g
	}}, nil
}

type declared struct {
	ids     string
	tables  [][]string // each has a name, a kind, and a column or a link
	links   [][]string // each has from, columns, name, to, columns, and the name of the link back
	granted [][]string // each has a name and a table
	rights  [][]string // each has insert, update or delete, the table, and columns

	postgres string
}

var linkLine = regexp.MustCompile(`^link (\w+)\(([\w,]+)\) (\w+) (\w+)\(([\w,]+)\) (\w+)$`)

func parse(text string) *declared {
	d := &declared{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "ids":
			d.ids = rest
		case "table":
			d.tables = append(d.tables, append(strings.Fields(rest), ""))
		case "grant":
			d.granted = append(d.granted, strings.Fields(rest))
		case "insert", "update", "delete":
			d.rights = append(d.rights, append([]string{word}, strings.Fields(rest)...))
		case "postgres":
			d.postgres += rest + ";\n"
		case "link":
			d.links = append(d.links, linkLine.FindStringSubmatch(line)[1:])
		}
	}
	return d
}

// grants declares everything in the files for one user.
func (d *declared) grants(db *exosql.DB, id int64) (codemode.Grants, error) {
	live, err := db.Catalog(context.Background())
	if err != nil {
		return nil, err
	}
	decl := dynamic.New(live)
	tables, facets, reached := map[string]*dynamic.Table{}, map[string]*dynamic.Facet{}, map[string]*dynamic.Link{}
	for _, t := range d.tables {
		if tables[t[0]], err = decl.Table(t[0]); err != nil {
			return nil, err
		}
		var columns []string
		for _, x := range live.Tables {
			if x.Name.Name == t[0] {
				for _, c := range x.Columns {
					columns = append(columns, c.Name)
				}
			}
		}
		if facets[t[0]], err = tables[t[0]].Facet(singular(t[0]), columns...); err != nil {
			return nil, err
		}
	}
	for _, l := range d.links {
		there, err := tables[l[0]].Link(dynamic.LinkSpec{Name: l[2], Columns: strings.Split(l[1], ","), To: tables[l[3]], References: strings.Split(l[4], ","), One: true})
		if err != nil {
			return nil, err
		}
		back, err := tables[l[3]].Link(dynamic.LinkSpec{Name: l[5], Columns: strings.Split(l[4], ","), To: tables[l[0]], References: strings.Split(l[1], ",")})
		if err != nil {
			return nil, err
		}
		reached[l[0]+" "+l[2]] = back
		if err := facets[l[0]].Add(there, facets[l[3]]); err != nil {
			return nil, err
		}
		if err := facets[l[3]].Add(back, facets[l[0]]); err != nil {
			return nil, err
		}
	}
	for _, r := range d.rights {
		switch f := facets[r[1]]; r[0] {
		case "insert":
			err = f.AllowInsert(strings.Split(r[2], ",")...)
		case "update":
			err = f.AllowUpdate(strings.Split(r[2], ",")...)
		default:
			err = f.AllowDelete()
		}
		if err != nil {
			return nil, err
		}
	}
	scopes, rows := map[string]dynamic.Scope{}, map[string]dynamic.Predicate{}
	for _, t := range d.tables {
		switch t[1] {
		case "rows":
			rows[t[0]] = dynamic.Eq(t[2], id)
			scopes[t[0]] = dynamic.ScopeRows(tables[t[0]], rows[t[0]])
		case "via":
			scopes[t[0]] = dynamic.ScopeVia(reached[t[0]+" "+t[2]])
		case "shared":
			rows[t[0]] = dynamic.AllRows()
			scopes[t[0]] = dynamic.ScopeShared(tables[t[0]])
		default:
			return nil, fmt.Errorf("schemas: the scope of table %s must begin with rows, via or shared, not %q", t[0], t[1])
		}
	}
	out := codemode.Grants{}
	for _, g := range d.granted {
		var others []dynamic.Scope
		for _, t := range d.tables {
			if t[0] != g[1] {
				others = append(others, scopes[t[0]])
			}
		}
		if out[g[0]], err = facets[g[1]].Grant(db, rows[g[1]], slices.Clip(others)...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// singular returns the name of one row of a table, in camel case.
func singular(table string) string {
	parts := strings.Split(table, "_")
	for i := range parts[1:] {
		parts[i+1] = strings.ToUpper(parts[i+1][:1]) + parts[i+1][1:]
	}
	s := strings.Join(parts, "")
	if t, ok := strings.CutSuffix(s, "ies"); ok && s != "series" {
		return t + "y"
	}
	if strings.HasSuffix(s, "ss") {
		return s
	}
	return strings.TrimSuffix(s, "s")
}
