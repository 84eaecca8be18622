package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// seenTool is a tool, and the statements of its last run.
type seenTool struct {
	*codemode.Tool
	sql []exosql.Query
}

func newSeen(grants codemode.Grants) (*seenTool, error) {
	s := &seenTool{}
	var err error
	s.Tool, err = codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.RecordFunc(func(e exo.Entry) error {
		for _, d := range e.Details {
			if q, ok := d.(exosql.Query); ok {
				s.sql = append(s.sql, q)
			}
		}
		return nil
	})})
	return s, err
}

// run is all that a run shows: to the model, and to the host.
func (s *seenTool) run(ctx context.Context, program string) string {
	s.sql = nil
	r := s.Run(ctx, program)
	var b strings.Builder
	for _, q := range s.sql {
		fmt.Fprintf(&b, "%s\n%v rows %d, fenced %q\n", q.SQL, q.Args, q.Rows, q.Fenced)
	}
	fmt.Fprintf(&b, "%s %s %v\n", r.JSON, r.Console, r.Err)
	return b.String()
}

// both are the tools of what a case grants in Go, and of what a grant file says.
func (w *world) both(ctx context.Context, text []byte, claims map[string]any) (inGo, inFile *seenTool, d *grantfile.Declared, err error) {
	grants := codemode.Grants{}
	for i := range w.c.Grants {
		grants[grantNames[i]] = w.decl.facets[w.c.Grants[i].Facet].Of(w.c.Grants[i].relation(w.db, &w.c.Schema, w.decl))
	}
	if inGo, err = newSeen(grants); err != nil {
		return nil, nil, nil, fmt.Errorf("in Go: %w", err)
	}
	f, err := grantfile.Parse("exo.yaml", text)
	if err != nil {
		return nil, nil, nil, err
	}
	d, err = f.Declare(ctx, &grantfile.Options{Databases: map[string]*exosql.DB{"d": w.db}})
	if err != nil {
		return nil, nil, nil, err
	}
	p, err := f.Bind(claims)
	if err == nil {
		grants, err = d.Grants(p)
	}
	if err == nil {
		inFile, err = newSeen(grants)
	}
	return inGo, inFile, d, err
}

// sameAsFile compares a case's grants in Go with those of a file: what models read, what programs of the case do, and which columns
// the file's manifest lists. It is "" if they are the same, over some statements.
func (w *world) sameAsFile(ctx context.Context, text []byte, claims map[string]any, programs []string) (why string, statements int) {
	inGo, inFile, d, err := w.both(ctx, text, claims)
	if err != nil {
		return err.Error(), 0
	}
	defer d.Close()
	if a, b := inGo.Description(), inFile.Description(); a != b {
		return "in Go: " + a + "\nin the file: " + b, 0
	}
	for _, p := range programs {
		a, b := inGo.run(ctx, p), inFile.run(ctx, p)
		// The server may plan a statement anew once it has gathered statistics: then the fenced one runs, or rows of a query without an order
		// come in another. A difference of the files is there each time.
		for range 10 {
			if a == b {
				break
			}
			a, b = inGo.run(ctx, p), inFile.run(ctx, p)
		}
		if a != b {
			return p + "\nin Go:\n" + a + "in the file:\n" + b, statements
		}
		statements += len(inGo.sql)
	}
	m, err := d.Manifest()
	if err != nil {
		return err.Error(), statements
	}
	for _, g := range w.c.Grants {
		for _, i := range w.c.Schema.reach(g.Facet) {
			f := w.c.Schema.Facets[i]
			at := slices.IndexFunc(m.Facets, func(x grantfile.ManifestFacet) bool { return x.Name == aliases[f.Alias] })
			if at < 0 || len(m.Facets[at].Columns) != len(f.Cols) || len(m.Facets[at].Links) != len(f.Links) {
				return fmt.Sprintf("the manifest has %d of the facet %s: %+v", at, aliases[f.Alias], m.Facets), statements
			}
			for j, c := range f.Cols {
				if x := m.Facets[at].Columns[j]; x.Name != slots[c].db {
					return fmt.Sprintf("the manifest has the column %s for %s", x.Name, slots[c].db), statements
				}
			}
		}
	}
	return "", statements
}

// fileWorld draws a world as a grant file can have it: neither narrowed nor revocable. Where it has two grants, the second is of
// the scopes of the first.
func fileWorld(d *draws) *Case {
	c := genWorld(d)
	c.Schema.catalogued()
	c.Only, c.Kept, c.Revocable = false, nil, false
	c.Grants = c.Grants[:1]
	if g := c.Grants[0]; d.oneIn(3) {
		at := g.start(&c.Schema)
		g.Steps = append(slices.Clone(g.Steps), Step{Kind: "where", Pred: genPred(d, &c.Schema, at, 2)})
		c.Grants = append(c.Grants, g)
	}
	return c
}

// fileTally tells how many worlds a test compared, and why not the others.
type fileTally struct {
	worlds, compared, statements, claims int
	unsaid                               map[string]int
}

// fileCase is the case of one seed whose grants a file can say, with its file and some programs; nil where there is none.
func fileCase(t *testing.T, n *fileTally, seed, i uint64) (c *Case, text []byte, claims map[string]any, programs []string) {
	t.Helper()
	d := fromSeed(seed, i)
	if c = fileWorld(d); c.refused() {
		return nil, nil, nil, nil
	}
	n.worlds++
	text, claims, err := c.grantFile(d)
	if why := unsaidWhy(err); why != "" {
		n.unsaid[why]++
		return nil, nil, nil, nil
	} else if err != nil {
		t.Fatal(err)
	}
	n.compared++
	n.claims += len(claims)
	for range 4 {
		c.genProgram(d)
		p, _ := spell(&c.Schema, c.Queries, c.Spelling[0])
		programs = append(programs, p)
	}
	return c, text, claims, programs
}

// TestSameAsFile: a grant in Go and the same in a grant file, which is written and read back, are the same: models read the same of
// both, and random programs send the same statements and get the same answers.
func TestSameAsFile(t *testing.T) {
	worlds := uint64(tu.Amount(40, 2000))
	srv, seed, n := newServer(t), tu.Seed(t, 181), &fileTally{unsaid: map[string]int{}}
	for i := range worlds {
		c, text, claims, programs := fileCase(t, n, seed, i)
		if c == nil {
			continue
		}
		for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
			w, gateErr, err := srv.open(t.Context(), e, c)
			if err != nil || gateErr != nil {
				t.Fatal(err, gateErr)
			}
			why, statements := w.sameAsFile(t.Context(), text, claims, programs)
			w.db.Close()
			if n.statements += statements; why != "" {
				t.Fatalf("seed %d (EXO_SEED), world %d on %s: %s\n%s\nclaims %v", seed, i, e.Name, why, text, claims)
			}
		}
	}
	t.Logf("%d of %d worlds compared, with %d claims and %d statements; not the others: %v", n.compared, n.worlds, n.claims, n.statements, n.unsaid)
	if n.compared*4 < n.worlds || n.claims*4 < n.compared || n.statements < n.compared*4 {
		t.Errorf("of %d worlds only %d were compared, with %d claims and %d statements; not the others: %v", n.worlds, n.compared, n.claims, n.statements, n.unsaid)
	}
}

// TestFileNotices: what a translation drops is seen. A column that is not in the file is missing in what models read, and without the
// scope of the root the statements are others.
func TestFileNotices(t *testing.T) {
	n, scopes := &fileTally{unsaid: map[string]int{}}, 0
	for i := uint64(0); n.compared < 12; i++ {
		c, text, claims, programs := fileCase(t, n, 5, i)
		if c == nil {
			continue
		}
		w, gateErr, err := (&server{}).open(t.Context(), tu.SQLite, c)
		if err != nil || gateErr != nil {
			t.Fatal(err, gateErr)
		}
		if why, _ := w.sameAsFile(t.Context(), text, claims, programs); why != "" {
			t.Fatal(why)
		}
		facet := c.Schema.Facets[c.Grants[0].Facet]
		drop := slots[facet.Cols[len(facet.Cols)-1]].db
		if why, _ := w.sameAsFile(t.Context(), edited(t, text, func(facets *yaml.Node) {
			x := field(field(facets, aliases[facet.Alias]), "columns")
			x.Content = slices.DeleteFunc(x.Content, func(n *yaml.Node) bool { return n.Value == drop })
			if x := field(field(facets, aliases[facet.Alias]), "search"); x != nil && len(x.Content) > 1 {
				x.Content = slices.DeleteFunc(x.Content, func(n *yaml.Node) bool { return n.Value == drop })
			}
		}), claims, programs); !strings.HasPrefix(why, "in Go: ") && len(facet.Cols) > 1 {
			t.Errorf("world %d: the column %s is not in the file, and: %s", i, drop, first(why))
		}
		why, _ := w.sameAsFile(t.Context(), edited(t, text, func(facets *yaml.Node) {
			for j := 1; j < len(facets.Content); j += 2 {
				if field(facets.Content[j], "table").Value == tableNames[c.Schema.Tables[c.Grants[0].Root].Name] {
					field(facets.Content[j], "scope").Value = "shared"
				}
			}
		}), claims, programs)
		if strings.Contains(why, "in the file:") {
			scopes++
		}
		w.db.Close()
	}
	if scopes < n.compared*3/4 {
		t.Errorf("of %d files without the scope of the root %d were noticed", n.compared, scopes)
	}
}

// edited is a grant file whose facets were changed.
func edited(t *testing.T, text []byte, change func(facets *yaml.Node)) []byte {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	change(field(doc.Content[0], "facets"))
	out, err := yaml.Marshal(&doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// field is nil where there is none.
func field(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}
