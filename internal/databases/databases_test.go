package databases

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

const dir = "../../testdata/databases"

var (
	drawn  = flag.Int("drawn", 0, "how many databases of each engine are drawn; then all questions are asked, of those of testdata too")
	update = flag.Bool("update", false, "write docs/databases.md; with -drawn")
)

// long reports whether everything is asked.
func long() bool { return *drawn > 0 || tu.Long() }

// share leaves out most questions, where not everything is asked. Each question is asked of one column of each kind, in each database.
func share(t *testing.T) func(op string, c *column) bool {
	s := tu.OneIn(t, 24)
	return func(op string, c *column) bool {
		kind := "table"
		if c != nil {
			kind = fmt.Sprint(c.live.Kind)
		}
		return *drawn == 0 && !s.Next(op, " of ", kind)
	}
}

// TestDatabases asks everything of the databases that were written in the manner of a tool, and holds the page about them.
func TestDatabases(t *testing.T) {
	all := newTally()
	known := readPending(t)
	var page []string
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		files, err := filepath.Glob(filepath.Join(dir, "*."+e.Name+".sql"))
		if err != nil || len(files) < 8 {
			t.Fatalf("%d databases: %v", len(files), err)
		}
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			t.Run(name, func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				n := newTally()
				examine(t, e, name, string(text), n, known, share(t))
				n.report(t)
				all.add(n)
				page = append(page, n.line(name, e.Name))
			})
		}
	})
	if !t.Failed() && long() {
		known.check(t)
	}
	t.Log(all)
	holdPage(t, page, all)
}

// TestDrawn asks everything of databases that are drawn.
func TestDrawn(t *testing.T) {
	seed := tu.Seed(t, 1)
	n := max(*drawn, 2)
	if tu.Long() {
		n = max(n, 300)
	}
	all := newTally()
	known := readPending(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for i := range n {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				script := drawScript(rand.New(rand.NewPCG(seed, uint64(i))), e)
				n := newTally()
				examine(t, e, "drawn", script, n, known, share(t))
				if n.report(t); t.Failed() {
					t.Log(script)
				}
				all.add(n)
			})
		}
	})
	t.Log(all)
}

// examine makes a database and asks everything of it, by each way to grant it.
func examine(t *testing.T, e tu.Engine, name, script string, n *tally, known *pending, skip func(op string, c *column) bool) {
	ctx := t.Context()
	url, raw := made(t, e, script)
	for _, way := range []func(*world, context.Context) error{(*world).drafted, (*world).inGo} {
		w, err := open(ctx, e, name, url, raw)
		if err != nil {
			t.Fatal(err)
		}
		defer w.db.Close()
		w.list()
		if err := way(w, ctx); err != nil {
			t.Errorf("%s: %v", w.way, err)
			continue
		}
		if err := w.read(ctx); err != nil { // what a cell means its declaration says
			t.Fatal(err)
		}
		n.granted(w)
		a := &asker{world: w, ctx: ctx, n: n, pending: known, skip: skip}
		for _, x := range w.tables {
			if x.out == "" {
				a.reads(x)
			}
		}
		for _, x := range w.tables {
			if x.out == "" && x.writes {
				a.changes(x)
			}
		}
	}
}

// made is the URL of a new database that a script has filled, and a pool of connections to it without walls.
func made(t *testing.T, e tu.Engine, script string) (string, *sql.DB) {
	url := e.URL(t)
	raw := e.SQLDB(t, url)
	if _, err := raw.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	return url, raw
}

// tally counts what was granted and asked, and how it ended.
type tally struct {
	granteds map[string]*shares // by way
	compared map[string]int     // by operation
	refused  map[string]int     // by operation and reason
	failures []string
	pending  int
}

// shares are how much of databases was granted.
type shares struct{ databases, tables, whole, granted, columns, shown int }

func newTally() *tally {
	return &tally{granteds: map[string]*shares{}, compared: map[string]int{}, refused: map[string]int{}}
}

func (n *tally) right(op string) { n.compared[op]++ }

func (n *tally) fail(format string, args ...any) {
	n.failures = append(n.failures, fmt.Sprintf(format, args...))
}

var quotedName = regexp.MustCompile("`[^`]*`")

// refuse counts a reason without the names in it.
func (n *tally) refuse(op, text string, t *table, c *column) {
	text = quotedName.ReplaceAllString(text, "`…`")
	for _, name := range []string{t.grant, t.alias, t.name} {
		text = strings.ReplaceAll(text, name, "…")
	}
	if c != nil {
		text = strings.ReplaceAll(strings.ReplaceAll(text, c.guest, "…"), c.name, "…")
	}
	n.refused[op+": "+text]++
}

func (n *tally) granted(w *world) {
	s := n.granteds[w.way]
	if s == nil {
		s = &shares{}
		n.granteds[w.way] = s
	}
	s.databases++
	for _, t := range w.tables {
		s.tables++
		s.columns += len(t.columns)
		if t.out != "" {
			n.refused["grant: "+t.out]++
			continue
		}
		s.granted++
		s.shown += len(t.shown())
		if len(t.shown()) == len(t.columns) {
			s.whole++
		}
		for _, c := range t.columns {
			if c.out != "" {
				n.refused[fmt.Sprintf("grant: %s (%s)", c.out, c.live.Type)]++
			}
		}
	}
}

func (n *tally) add(o *tally) {
	for way, s := range o.granteds {
		if n.granteds[way] == nil {
			n.granteds[way] = &shares{}
		}
		x := n.granteds[way]
		x.databases, x.tables, x.whole, x.granted, x.columns, x.shown = x.databases+s.databases, x.tables+s.tables, x.whole+s.whole, x.granted+s.granted, x.columns+s.columns, x.shown+s.shown
	}
	for k, v := range o.compared {
		n.compared[k] += v
	}
	for k, v := range o.refused {
		n.refused[k] += v
	}
	n.pending += o.pending
	n.failures = append(n.failures, o.failures...)
}

func (n *tally) report(t *testing.T) {
	for _, f := range n.failures {
		t.Error(f)
	}
}

func (n *tally) String() string {
	var b strings.Builder
	for _, way := range sorted(n.granteds) {
		s := n.granteds[way]
		fmt.Fprintf(&b, "%s: %d databases; %d of %d tables granted, %d whole; %d of %d columns\n", way, s.databases, s.granted, s.tables, s.whole, s.shown, s.columns)
	}
	for _, op := range sorted(n.compared) {
		fmt.Fprintf(&b, "%s: %d right\n", op, n.compared[op])
	}
	for _, why := range sorted(n.refused) {
		fmt.Fprintf(&b, "refused %d: %s\n", n.refused[why], why)
	}
	fmt.Fprintf(&b, "wrong %d, known to be wrong %d", len(n.failures), n.pending)
	return b.String()
}

func sorted[V any](m map[string]V) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// pending is what is known to be wrong: by the beginning of its name, with the reason.
type pending struct {
	why  map[string]string
	seen map[string]bool
}

func readPending(t *testing.T) *pending {
	t.Helper()
	p := &pending{map[string]string{}, map[string]bool{}}
	text, err := os.ReadFile(filepath.Join(dir, "pending.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if i := strings.LastIndex(line, ": "); i > 0 && !strings.HasPrefix(line, "#") {
			p.why[line[:i]] = line[i+2:]
		}
	}
	return p
}

// known reports whether a failure is listed.
func (p *pending) known(id, wrong string) bool {
	if wrong == "" {
		return false
	}
	for name := range p.why {
		if id == name || strings.HasPrefix(id, name+" ") || strings.HasPrefix(id, name+".") {
			p.seen[name] = true
			return true
		}
	}
	return false
}

func (p *pending) check(t *testing.T) {
	for _, name := range sorted(p.why) {
		if !p.seen[name] {
			t.Errorf("%s is no longer wrong: take it out of pending.txt", name)
		}
	}
}
