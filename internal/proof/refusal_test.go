package proof

// This file compares builds: it draws declarations, grants, catalogues and writes, and notes which rules of writes refuse each. A write
// that the build before refuses must not run with the next one. refusalworld_test.go draws.

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// writeRules are the rules of writes, each by a part of its errors. The first half is decided when a message is planned, the second
// by the catalogue.
var writeRules = []struct{ rule, text string }{
	{"decides: a column", "it decides which rows you may see"},
	{"decides: a delete", "this program sees only the first rows"},
	{"belongs: no value", "it decides which row the new row belongs to"},
	{"points: no row", "refers to no row that this program can reach"},
	{"points: half a key", "refers to another row only together"},
	{"leads: to others", "it decides which linked rows you may see"},
	{"other grants: a column", "it decides which rows another grant"},
	{"other grants: a delete", "another grant shows only the first rows"},
	{"other grants: an insert", "another grant leaves out the first rows"},
	{"other grants: declared twice", "their table is declared twice"},
	{"filled in", "is filled in automatically: leave it out"},
	{"out of scope", "this program could not see the row"},

	{"key: none", "nothing makes its rows unique"},
	{"key: not unique", "is not unique in the database"},
	{"key: inherited", "no key covers them all"},
	{"on conflict", "has ON CONFLICT"},
	{"effect: a trigger", "the trigger"},
	{"effect: a rule", "by the rule"},
	{"effect: a cascade", "also changes the rows that refer to the written ones"},
	{"unique", "is unique among the rows of all tenants"},
	{"labelled: unique", "the error that a value is taken would reveal them"},
	{"labelled: order", "rows are changed in the order of an index"},
	{"labelled: index", "the error for an index entry that can't be made"},
	{"labelled: generated", "a value that can't be calculated"},
	{"labelled: check", "the error for a value that breaks the check would reveal"},
	{"labelled: policy", "the error for a row that breaks the check would reveal"},
	{"labelled: foreign key", "the error for a value that refers to no row would reveal"},
	{"labelled: child", "would reveal that another row refers to it"},
	{"labelled: carried", "the database also changes the rows that refer to a written row"},
	{"labelled: scope", "which of its rows are in scope depends on"},
	{"shows", "may show the same rows"},
	{"types", "a written row could belong to another tenant's row"},
	{"wide equality: a key", "part of the key"},
	{"wide equality: a scope", "part of the scope"},
	{"wide equality: a link", "compared by the link"},
	{"wide equality: a foreign key", "compared by the foreign key"},
	{"calculated: decides", "changes the generated column"},
	{"calculated: readers", "which decides who may read"},
	{"foreign key", "and the facet has no link for this reference: a write would reveal whether another tenant's row exists"},
	{"foreign key: through", "which fills in a reference to"},
	{"foreign key: default", "and the database fills in"},
	{"waiting", "would come into scope with a new row"},
	{"no table", "or no table of the database"},
}

// rulesIn are the rules that a text names, and "another" if it names none.
func rulesIn(text string) (out []string) {
	for _, r := range writeRules {
		if strings.Contains(text, r.text) {
			out = append(out, r.rule)
		}
	}
	if out == nil {
		out = []string{"another"}
	}
	return out
}

// tries is what one kind of case came to.
type tries struct {
	t       *testing.T
	lines   bytes.Buffer
	refused map[string]int
	writes  int
	ran     int
	void    int // cases whose grants are refused
}

func (n *tries) line(engine string, number int, digest []byte, write string, rules []string) {
	n.writes++
	if rules == nil {
		n.ran++
	}
	slices.Sort(rules)
	for _, r := range slices.Compact(rules) {
		n.refused[r]++
	}
	fmt.Fprintf(&n.lines, "%s %d %x %s\t%s\n", engine, number, digest[:6], write, strings.Join(slices.Compact(rules), "; "))
}

// catalogue looks at all writes that a case grants, as exosql.Check does: by the same function as each message that writes.
func (n *tries) catalogue(engine string, number int, w *ruled, db *exosql.DB) {
	var of []exosql.Declared
	for _, name := range slices.Sorted(maps.Keys(w.objects)) {
		of = append(of, exosql.Granted(w.objects[name]))
	}
	found, err := exosql.CatalogFindings(db, w.live, of...)
	if err != nil {
		n.void++
		return
	}
	by := map[string][]string{}
	for _, f := range found {
		if rules := rulesIn(f.Problem); !f.Warning && f.Facet != "" && rules[0] != "another" {
			by[f.Facet] = append(by[f.Facet], rules...)
		}
	}
	for _, alias := range w.writes {
		n.line(engine, number, w.digest(), alias, by[alias])
	}
}

// cleaned runs what a run of package exotest leaves for the end of the test at once: there are too many.
type cleaned struct {
	*testing.T
	end []func()
}

func (c *cleaned) Cleanup(f func()) { c.end = append(c.end, f) }

// messages sends writes, of which nothing is kept.
func (n *tries) messages(engine string, number int, w *ruled, d *draws) {
	for i := range 12 {
		m, ok := w.message(d)
		if !ok {
			n.void++
			continue
		}
		n.send(engine, number, fmt.Sprint(i, " ", m), w, m)
	}
}

func (n *tries) send(engine string, number int, write string, w *ruled, m sent) {
	t := &cleaned{T: n.t}
	defer func() {
		for _, f := range slices.Backward(t.end) {
			f()
		}
	}()
	if _, err := exo.NewGate(exo.Config{Grants: w.objects, Record: exo.Unrecorded}); err != nil {
		n.void++
		return
	}
	c := exotest.Begin(t, exo.Config{Grants: w.objects, Limits: exo.Limits{}}).On(m.object)
	for _, call := range m.path {
		if alias, key, ok := strings.Cut(call, "#"); ok {
			id, _ := strconv.ParseInt(key, 10, 64)
			c = c.Call("where", func(row *exotest.Chain) *exotest.Chain { return row.Field(alias).Field("id").Call("eq", id) })
		} else {
			c = c.Call(call)
		}
	}
	_, err := c.Call(m.method, m.args...).Send()
	var rules []string
	if err != nil {
		rules = rulesIn(err.Error())
	}
	n.line(engine, number, w.digest(), write, rules)
}

// TestRefusals draws writes and counts how often each rule refuses. To compare a base revision with this one:
//
//	git worktree add ../base REVISION && cp internal/proof/refusal*_test.go ../base/internal/proof
//	(cd ../base && EXO_PROGRAMS=200000 EXO_REFUSALS=/tmp/base.txt go test ./internal/proof -run TestRefusals -timeout 1h)
//	EXO_PROGRAMS=200000 EXO_REFUSALS=/tmp/this.txt EXO_REFUSALS_BASE=/tmp/base.txt go test ./internal/proof -run TestRefusals -timeout 1h -v
//
// It fails where a write that was refused at the base runs now, and counts those that ran and are refused.
func TestRefusals(t *testing.T) {
	writes := 15_000
	if os.Getenv("EXO_LONG") != "" {
		writes = 200_000
	}
	if n, err := strconv.Atoi(os.Getenv("EXO_PROGRAMS")); err == nil {
		writes = n
	}
	seed := uint64(7)
	if n, err := strconv.ParseUint(os.Getenv("EXO_SEED"), 10, 64); err == nil {
		seed = n
	}
	var all bytes.Buffer
	met := map[string]int{}
	for i, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		n := &tries{t: t, refused: map[string]int{}}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ruledTables(e)...)})
		for number := 0; n.writes < writes/2; number++ {
			d := fromSeed(seed+uint64(i), uint64(number))
			w := drawRuled(d, e, db)
			if w == nil {
				n.void++
			} else if number%8 < 3 {
				n.messages(e.Name, number, w, d)
			} else {
				n.catalogue(e.Name, number, w, db)
			}
		}
		t.Logf("%s: %d writes, %d not refused, %d cases void", e.Name, n.writes, n.ran, n.void)
		if n.ran*4 < n.writes {
			t.Error("too few of them run")
		}
		for rule, k := range n.refused {
			met[rule] += k
		}
		all.Write(n.lines.Bytes())
	}
	for _, r := range writeRules {
		t.Logf("%6d refused by %s", met[r.rule], r.rule)
		if met[r.rule]*10_000 < writes {
			t.Errorf("too few writes meet the rule %s: %d", r.rule, met[r.rule])
		}
	}
	t.Logf("%6d refused by another", met["another"])
	if name := os.Getenv("EXO_REFUSALS"); name != "" {
		if err := os.WriteFile(name, all.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if name := os.Getenv("EXO_REFUSALS_BASE"); name != "" {
		base, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		compareRefusals(t, string(base), all.String())
	}
}

// compareRefusals fails where a write that was refused runs now.
func compareRefusals(t *testing.T, base, now string) {
	before := strings.Split(base, "\n")
	lost, gained, other := 0, map[string]int{}, map[string]int{}
	for i, line := range strings.Split(now, "\n") {
		if i >= len(before) {
			t.Fatalf("the base has %d lines: give it the same seed and number", len(before))
		}
		was, is, _ := strings.Cut(line, "\t")
		key, had, _ := strings.Cut(before[i], "\t")
		switch {
		case was != key:
			t.Fatalf("line %d: the base has another case: %s, not %s", i+1, key, was)
		case had != "" && is == "":
			if lost++; lost < 20 {
				t.Errorf("%s was refused, and runs now: %s", key, had)
			}
		case had == "" && is != "":
			gained[is]++
		case had != is:
			other[had+" => "+is]++
		}
	}
	t.Logf("%d lines compared: %d refusals lost; ran and are refused: %v; refused otherwise: %v", len(before), lost, gained, other)
}

// digest is the case without what this build makes of it.
func (w *ruled) digest() []byte {
	b, err := json.Marshal(w.live)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(append(b, w.log...))
	return sum[:]
}
