package proof

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// joined draws rules of the database that are about a labelled column and others, as statements that both engines take, or one.
func (c *Case) joined(d *draws) (rules []string) {
	s := &c.Schema
	for t, tab := range s.Tables {
		for _, l := range s.Labelled {
			if !has(tab.Cols, l) {
				continue
			}
			var written []int
			for _, f := range s.Facets {
				if f.Table == t {
					written = append(written, f.Rights.Update...)
				}
			}
			written = slices.DeleteFunc(written, func(col int) bool { return col == l || col == slotSecret })
			if len(written) == 0 {
				continue
			}
			a := pick(d, written)
			more := []string{"CREATE UNIQUE INDEX %[1]s ON %[2]s (%[3]s, %[4]s)", "CREATE UNIQUE INDEX %[1]s ON %[2]s (%[3]s) WHERE %[4]s IS NOT NULL", "CREATE INDEX %[1]s ON %[2]s (%[4]s, %[3]s)",
				"CREATE INDEX %[1]s ON %[2]s (%[4]s)", "CREATE UNIQUE INDEX %[1]s ON %[2]s (tenant, %[3]s)", "CREATE UNIQUE INDEX %[1]s ON %[2]s (%[3]s)"}
			if slots[a].kind == Int && slots[l].kind == Int {
				more = append(more, "CREATE INDEX %[1]s ON %[2]s ((10 / (%[3]s - %[4]s)))", "ALTER TABLE %[2]s ADD CONSTRAINT %[1]s CHECK (%[3]s <> %[4]s)")
			}
			for range 1 + d.n(3) {
				rules = append(rules, fmt.Sprintf(pick(d, more), fmt.Sprint("j", len(rules)), quoteName(tableNames[tab.Name]), slots[a].db, slots[l].db))
				// That a value is taken among others' rows the host knows: what it tells of labelled columns is another matter.
				x, y := slots[a].db, slots[l].db
				s.Known = append(s.Known, fmt.Sprintf("unique(%s, %s)", x, y), fmt.Sprintf("unique(%s) where %s IS NOT NULL", x, y), fmt.Sprintf("unique(%s) where (%s IS NOT NULL)", x, y), fmt.Sprintf("unique(tenant, %s)", x), fmt.Sprintf("unique(%s)", x))
			}
		}
	}
	return rules
}

// turned is the data with the values of labelled columns moved from row to row: the same are there, elsewhere.
func (c *Case) turned() Data {
	out := c.Data.clone()
	for t, rows := range out {
		for i := range rows {
			for _, s := range c.Schema.Labelled {
				if has(c.Schema.Tables[t].Cols, s) {
					rows[i][s] = c.Data[t][(i+1)%len(rows)][s]
				}
			}
		}
	}
	return out
}

// collide gives what calls write the values that other rows have, which rules are about.
func (c *Case) collide(d *draws, calls []Call) {
	for i := range calls {
		_, facet := c.Schema.ends(c.Grants, calls[i].Q)
		rows := c.Data[c.Schema.Facets[facet].Table]
		for _, sets := range append([][]Set{calls[i].Set}, calls[i].Rows...) {
			for k := range sets {
				if v := pick(d, rows)[sets[k].Slot]; !v.Null && !v.Kind.whole() && d.n(4) > 0 && sets[k].Slot != slotSecret {
					sets[k].Val, sets[k].X = v, nil
				}
			}
		}
	}
}

// shown are the rows of each table without what is labelled.
func (w *store) shown() string {
	var b strings.Builder
	for _, t := range w.c.Schema.Tables {
		var cols []string
		for _, col := range t.Cols {
			if !has(w.c.Schema.Labelled, col) {
				cols = append(cols, slots[col].db)
			}
		}
		rows, err := w.raw.Query("SELECT " + strings.Join(cols, ", ") + " FROM " + quoteName(tableNames[t.Name]))
		if err != nil {
			return err.Error()
		}
		var texts []string
		for rows.Next() {
			cells := make([]any, len(cols))
			for i := range cells {
				cells[i] = new(any)
			}
			if err := rows.Scan(cells...); err != nil {
				return err.Error()
			}
			text := ""
			for _, c := range cells {
				text += fmt.Sprintf("%v|", *c.(*any))
			}
			texts = append(texts, text)
		}
		if err := rows.Err(); err != nil {
			return err.Error()
		}
		slices.Sort(texts)
		fmt.Fprintln(&b, t.Name, texts)
	}
	return b.String()
}

// see is all that is seen of a run of a program that writes, and what is left of it beside the labelled columns.
func (w *store) see(program string) (all string, r *exoeval.RunResult) {
	w.errs, w.dirty = nil, true
	r = w.eval.Run(context.Background(), exoeval.Job{Program: program, Run: exo.Run{Seed: 1}})
	var states []string
	for _, e := range r.Effects {
		states = append(states, e.Op+" "+e.State.String())
	}
	label := r.Label
	if fail.KindOf(r.Err) == fail.Denied && strings.Contains(fail.GuestText(r.Err), "{x}") {
		label, states = value.Label{}, nil // for the host
	}
	return fmt.Sprintf("%s\n%v\n%q\n%s", w.seen(r), label, states, w.shown()), r
}

const sealedWrites = 12 // programs on each pair

// TestSealedWrites: random programs that write to pairs of databases which differ in labelled columns alone, with rules that join those
// to what is written. Neither what is seen of a run nor what it leaves elsewhere depends on them.
func TestSealedWrites(t *testing.T) {
	worlds := tu.Amount(20, 1000)
	if n, err := strconv.Atoi(os.Getenv("EXO_PROGRAMS")); err == nil {
		worlds = n / sealedWrites
	}
	seed := tu.Seed(t, 1)
	servers := [2]*server{newServer(t), newServer(t)}
	var n struct{ runs, kept, changed, refused, withheld, rules, told int }
	for i := 0; i < worlds; i++ {
		d := fromSeed(seed, uint64(i))
		c := genWorld(d)
		c.forWrites(d)
		c.Schema.Labelled = slices.DeleteFunc(labelled(d, c), func(slot int) bool { return c.Schema.refers(slot) })
		other := *c
		other.Data = c.redrawn(d)
		if d.n(2) == 0 {
			other.Data = c.turned()
		}
		// Most programs name no labelled column: of those that do, nothing is seen and nothing is left.
		unnamed := *c
		unnamed.Schema.Facets = slices.Clone(c.Schema.Facets)
		secret := func(slot int) bool { return has(c.Schema.Labelled, slot) }
		for k := range c.Schema.Facets {
			f := &c.Schema.Facets[k]
			f.Rights.Effects = true
			if d.n(4) > 0 {
				f.Rights.Insert, f.Rights.Update = slices.DeleteFunc(slices.Clone(f.Rights.Insert), secret), slices.DeleteFunc(slices.Clone(f.Rights.Update), secret)
			}
			unnamed.Schema.Facets[k].Rights = f.Rights
			unnamed.Schema.Facets[k].Cols = slices.DeleteFunc(slices.Clone(f.Cols), secret)
		}
		other.Schema = c.Schema
		if c.refused() || len(c.Schema.Labelled) == 0 || c.Schema.broken(c.Data) != "" || c.Schema.broken(other.Data) != "" {
			worlds++
			continue
		}
		t.Run("", func(t *testing.T) {
			e := []tu.Engine{tu.SQLite, tu.Postgres}[i%2]
			var pair [2]*store
			for k, x := range []*Case{c, &other} {
				w, err := servers[k].openStore(t, e, x)
				if err != nil {
					t.Fatalf("seed %d (EXO_SEED), database %d: %v", seed, i, err)
				}
				defer w.close()
				pair[k] = w
			}
			rules := c.joined(d)
			other.Schema.Known = c.Schema.Known
			if d.n(2) == 0 {
				rules = nil
			}
			for _, rule := range rules {
				if _, err := pair[0].raw.Exec(rule); err != nil {
					continue // the rows break it
				}
				if _, err := pair[1].raw.Exec(rule); err != nil {
					undo := regexp.MustCompile(`^CREATE .*?INDEX (\w+) .*`).ReplaceAllString(rule, "DROP INDEX $1")
					undo = regexp.MustCompile(`^(ALTER .*) ADD (CONSTRAINT \w+) .*`).ReplaceAllString(undo, "$1 DROP $2")
					if _, err := pair[0].raw.Exec(undo); err != nil {
						t.Fatal(err)
					}
					continue
				}
				n.rules++
			}
			for _, w := range pair { // the rules of a database are read when it is opened
				w.db.Close()
				if err := w.connect(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for range sealedWrites {
				of := &unnamed
				if d.oneIn(6) {
					of = c
				}
				calls, fails := genCalls(d, of)
				of.collide(d, calls)
				program := spellCalls(&c.Schema, calls, fails, uint64(d.n(1<<20)))
				before := pair[0].shown()
				a, r := pair[0].see(program)
				b, _ := pair[1].see(program)
				n.runs++
				if slices.ContainsFunc(pair[0].errs, func(err error) bool {
					return err != nil && strings.Contains(err.Error(), "depends on labelled values")
				}) {
					n.told++
				}
				if a != b {
					t.Fatalf("seed %d (EXO_SEED), database %d, %s: labelled %v\n%s\n%s\n%s\n%s", seed, i, e.Name, c.Schema.Labelled, program, a, b, c.writeScript())
				}
				switch {
				case fail.KindOf(r.Err) == fail.Denied && strings.Contains(fail.GuestText(r.Err), "{x}"):
					n.withheld++
				case r.Err != nil || strings.Contains(a, "permit something first"):
					n.refused++
				default:
					n.kept++
					if pair[0].shown() != before {
						n.changed++
					}
				}
				for _, w := range pair {
					if err := w.restore(); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("seed %d: %d programs beside %d rules: %d kept, of which %d changed something; %d refused, %d of them since they would tell, %d withheld", seed, n.runs, n.rules, n.kept, n.changed, n.refused, n.told, n.withheld)
	if os.Getenv("EXO_SEED") != "" {
		return // how many do what is a matter of luck
	}
	if n.changed*20 < n.runs || n.rules*2 < worlds/2 || n.told*20 < n.runs || n.withheld*3 > n.runs {
		t.Error("too few of them change anything, or are refused")
	}
}

// refers reports whether a column is part of a foreign key.
func (s *Schema) refers(slot int) bool {
	return slices.ContainsFunc(s.Refs, func(r Ref) bool {
		return slices.ContainsFunc(r.Pairs, func(p [2]int) bool { return p[0] == slot || p[1] == slot })
	})
}
