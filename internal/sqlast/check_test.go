package sqlast

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"
)

// foreign satisfies Expr from outside by embedding.
type foreign struct{ Column }

func where(e ...Expr) *Select { return with(todos("id"), func(s *Select) { s.Where = e }) }

func from(src ...Source) *Select { return with(todos("id"), func(s *Select) { s.From = src }) }

// TestRefused has a wrong tree in each row, and the place that the error names.
func TestRefused(t *testing.T) {
	t0, t1 := Source{Table: "todos", Alias: "t0"}, Source{Table: "users", Alias: "t1"}
	cases := []struct {
		name string
		s    *Select
		at   string
	}{
		{"nil", nil, "select"},
		{"zero", &Select{}, "select from"},
		{"no columns", with(from(t0), func(s *Select) { s.Columns = nil }), "nothing to select"},
		{"no from", from(), "select from"},
		{"zero source", from(Source{}), "from[0]: alias"},
		{"no table", from(Source{Alias: "t0"}), "from[0]: table"},
		{"no alias", from(Source{Table: "todos"}), "from[0]: alias"},
		{"two in one", from(Source{Table: "todos", Sub: owners(0), Alias: "t0"}), "from[0]"},
		{"joined first", from(Source{Table: "todos", Alias: "t0", On: []Expr{True}}), "from[0]"},
		{"left first", from(Source{Table: "todos", Alias: "t0", Left: true}), "from[0]"},
		{"left without on", from(t0, Source{Table: "users", Alias: "t1", Left: true}), "from[1]"},
		{"derived left without on", from(t0, Source{Sub: owners(0), Alias: "t2", Left: true}), "from[1]: a left join"},
		{"alias twice", from(t0, t0), "from[1]"},
		{"alias twice but for case", from(t0, Source{Table: "users", Alias: "T0"}), "from[1]"},
		{"alias captured", where(Exists{Sub: todos("id")}), "where[0]: exists: from[0]"},
		{"on before its source", from(t0, Source{Table: "users", Alias: "t2", On: []Expr{call(IsNull, col("t1", "id"))}}, t1), "from[1]: on[0]: is-null[0]"},
		{"derived sees its neighbour", from(t0, Source{Alias: "t2", Sub: with(owners(0), func(s *Select) {
			s.Where = []Expr{call(Eq, col("t1", "id"), col("t0", "id"))}
		})}), "from[1]: sub: where[0]: eq[1]"},
		{"no output of that name", with(from(Source{Sub: owners(0), Alias: "t0"}), func(s *Select) { s.Columns[0].Expr = col("t0", "name") }), "columns[0]"},
		{"output unnamed", with(todos("id"), func(s *Select) { s.Columns[0].As = "" }), "columns[0]"},
		{"output true", with(todos("id"), func(s *Select) { s.Columns[0].As = "True" }), "columns[0]"},
		{"output false", with(todos("id"), func(s *Select) { s.Columns[0].As = "false" }), "columns[0]"},
		{"output twice", todos("id", "ID"), "columns[1]"},
		{"output nil", with(todos("id"), func(s *Select) { s.Columns[0].Expr = nil }), "columns[0]"},
		{"no source", where(call(IsNull, col("t9", "id"))), "where[0]: is-null[0]"},
		{"inner source", where(Exists{Sub: owners(0)}, call(IsNull, col("t1", "id"))), "where[1]: is-null[0]"},
		{"nil expr", where(True, nil), "where[1]"},
		{"nil in call", where(call(Or, True, nil)), "where[0]: or[1]"},
		{"nil in in", where(In{X: One, List: []Expr{nil}}), "where[0]: in[0]"},
		{"zero in", where(In{}), "where[0]: in"},
		{"nil in empty in", where(In{X: nil, Not: true}), "where[0]: in"},
		{"zero column", where(Column{}), "where[0]"},
		{"zero const", where(NoConst), "where[0]"},
		{"unknown const", where(One + 1), "where[0]"},
		{"zero call", where(Call{}), "where[0]"},
		{"unknown op", where(Call{Op: numOps, Args: []Expr{True}}), "where[0]"},
		{"empty and", where(Call{Op: And}), "where[0]"},
		{"empty or", where(Call{Op: Or}), "where[0]"},
		{"not of two", where(call(Not, True, True)), "where[0]"},
		{"eq of one", where(call(Eq, True)), "where[0]"},
		{"zero exists", where(Exists{}), "where[0]: exists"},
		{"zero scalar", where(Scalar{}), "where[0]: scalar"},
		{"scalar of any number of rows", where(Scalar{owners(0)}), "where[0]: scalar: the select"},
		{"zero in select", where(InSelect{X: One}), "where[0]: in"},
		{"in select of two", where(InSelect{One, nil, with(owners(0), func(s *Select) { s.Columns = append(s.Columns, Output{One, "one"}) })}), "where[0]: in"},
		{"beyond of one pair", where(Beyond{Left: []Expr{One}, Right: []Expr{One}}), "where[0]: beyond"},
		{"beyond of no pairs", where(Beyond{Left: []Expr{One, One}, Right: []Expr{One}}), "where[0]: beyond"},
		{"nothing in beyond", where(Beyond{Left: []Expr{One, nil}, Right: []Expr{One, One}}), "where[0]: beyond[1]"},
		{"nothing in what beyond compares with", where(Beyond{Left: []Expr{One, One}, Right: []Expr{nil, One}}), "where[0]: beyond[0]"},
		{"negative slot", where(Arg{Slot: -1}), "where[0]"},
		{"unknown cast", where(Arg{Cast: CastJSON + 1}), "where[0]"},
		{"foreign", where(foreign{Column{"t0", "id"}}), "where[0]"},
		{"pointer", where(&Column{"t0", "id"}), "where[0]"},
		{"nil pointer", where((*Column)(nil)), "where[0]"},
		{"nil call pointer", where((*Call)(nil)), "where[0]"},
		{"row number in where", where(call(Eq, RowNumber{OrderBy: byID}, One)), "where[0]: eq[0]"},
		{"row number in on", from(t0, Source{Table: "users", Alias: "t1", On: []Expr{RowNumber{OrderBy: byID}}}), "from[1]: on[0]"},
		{"row number unordered", with(todos("id"), func(s *Select) { s.Columns[0].Expr = RowNumber{} }), "columns[0]"},
		{"row number in itself", with(todos("id"), func(s *Select) {
			s.Columns[0].Expr = RowNumber{PartitionBy: []Expr{RowNumber{OrderBy: byID}}, OrderBy: byID}
		}), "columns[0]: partition[0]"},
		{"count in where", where(call(Eq, Aggregate{Func: Count}, One)), "where[0]: eq[0]"},
		{"count in order", with(todos("id"), func(s *Select) { s.OrderBy = []Order{{Expr: Aggregate{Func: Count}}} }), "order[0]"},
		{"count and a column", with(todos("id"), func(s *Select) { s.Columns = append(s.Columns, Output{Aggregate{Func: Count}, "n"}) }), "aggregates"},
		{"count and a column further in", with(todos("id"), func(s *Select) {
			s.Columns = []Output{{Aggregate{Func: Count}, "n"}, {Exists{Sub: children}, "has"}}
		}), "aggregates"},
		{"an aggregate of an aggregate", with(todos(), func(s *Select) { s.Columns = []Output{{Aggregate{Func: Max, X: Aggregate{Func: Count}}, "n"}} }), "an aggregate is allowed only in an output"},
		{"an aggregate by no name", with(todos(), func(s *Select) { s.Columns = []Output{{Aggregate{Func: numFuncs, X: col("t0", "id")}, "n"}} }), "no such aggregate"},
		{"the sum of no value", with(todos(), func(s *Select) { s.Columns = []Output{{Aggregate{Func: Sum}, "n"}} }), "only Count may have no value"},
		{"an aggregate in a key", with(todos(), func(s *Select) { s.Columns, s.Group = []Output{{Aggregate{Func: Count}, "n"}}, 1 }), "an aggregate is allowed only in an output"},
		{"has a constant: group rows", with(todos(), func(s *Select) { s.Columns, s.Group = []Output{{One, "n"}}, 1 }), "a constant"},
		{"grouped by more than there is", with(todos("id"), func(s *Select) { s.Group = 2 }), "larger than the number of columns"},
		{"a column besides the keys", with(todos("id", "prio"), func(s *Select) { s.Group = 1 }), "aggregates rows and also reads"},
		{"groups that are ordered", with(todos("id"), func(s *Select) { s.Group, s.OrderBy = 1, byID }), "aggregates rows and also reads or orders"},
		{"count ordered", with(todos(), func(s *Select) { s.Columns, s.OrderBy = []Output{{Aggregate{Func: Count}, "n"}}, byID }), "aggregates"},
		{"zero order", with(todos("id"), func(s *Select) { s.OrderBy = []Order{{}} }), "order[0]"},
		{"order by number", with(todos("id"), func(s *Select) { s.OrderBy = []Order{{Expr: One}} }), "order[0]"},
		{"order by argument", with(todos("id"), func(s *Select) { s.OrderBy = []Order{{Expr: arg(0)}} }), "order[0]"},
		{"limit of a row", bounded([]Expr{col("t0", "id")}, nil), "limit[0]"},
		{"limit null", bounded([]Expr{arg(0), Null}, nil), "limit[1]"},
		{"limit nil", bounded([]Expr{nil}, nil), "limit[0]"},
		{"offset true", bounded(nil, []Expr{True}), "offset[0]"},
		{"offset slot", bounded(nil, []Expr{arg(-1)}), "offset[0]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range []Dialect{SQLite, Postgres} {
				text, slots, err := Render(c.s, d)
				if err == nil || text != "" || slots != nil {
					t.Fatalf("got %q, %v, %v", text, slots, err)
				}
				if !strings.HasPrefix(err.Error(), "sqlast: ") || !strings.Contains(err.Error(), c.at) {
					t.Errorf("%v does not name %s", err, c.at)
				}
			}
			if got := Tables(c.s); got != nil {
				t.Errorf("Tables: %v", got)
			}
		})
	}
}

func TestNoDialectRefuses(t *testing.T) {
	for _, d := range []Dialect{NoDialect, Postgres + 1} {
		if text, _, err := Render(todos("id"), d); err == nil {
			t.Errorf("dialect %d: %s", d, text)
		}
	}
}

// nests are ways to make a statement large; n is how large.
var nests = map[string]func(n int) *Select{
	"not":       func(n int) *Select { return where(repeat(n, True, func(e Expr) Expr { return call(Not, e) })) },
	"and":       func(n int) *Select { return where(Call{Op: And, Args: trues(n)}) },
	"conjuncts": func(n int) *Select { return where(trues(n)...) },
	"in":        func(n int) *Select { return where(In{X: One, List: trues(n)}) },
	"not in": func(n int) *Select {
		return where(repeat(n, True, func(e Expr) Expr { return In{X: e, List: []Expr{One}, Not: true} }))
	},
	"in select": func(n int) *Select {
		return nest(n, func(alias string, s *Select) Expr { return InSelect{col(alias, "id"), nil, s} })
	},
	"exists": func(n int) *Select {
		return nest(n, func(alias string, s *Select) Expr { return Exists{Sub: s} })
	},
	"not exists": func(n int) *Select {
		return nest(n, func(alias string, s *Select) Expr { return Exists{Sub: s, Not: true} })
	},
	"not not exists": func(n int) *Select {
		return nest(n, func(alias string, s *Select) Expr {
			return repeat(12, Exists{Sub: s}, func(e Expr) Expr { return call(Not, e) })
		})
	},
	"derived": func(n int) *Select { return layer(n, func(x Expr) Expr { return x }) },
	"sums":    func(n int) *Select { return layer(n, func(x Expr) Expr { return call(Add, x, x) }) },
	"higher sums": func(n int) *Select {
		return layer(n, func(x Expr) Expr { return repeat(20, x, func(e Expr) Expr { return call(Add, e, One) }) })
	},
}

// TestSize finds the largest statement of each kind that is let through: SQLite
// has to take it, at once.
func TestSize(t *testing.T) {
	db := open(t, fixture)
	for name, make := range nests {
		t.Run(name, func(t *testing.T) {
			n := sort.Search(2*maxNodes, func(n int) bool {
				_, _, err := Render(make(min(n, 60_000)), SQLite)
				return err != nil
			}) - 1
			t.Logf("%d let through", n)
			if n < 10 || n >= maxNodes {
				t.Errorf("%d let through", n)
			}
			if name == "sums" && n > 16 { // SQLite would take all memory
				t.Fatalf("%d layers of sums let through", n)
			}
			text, _ := mustRender(t, make(n), SQLite)
			start := time.Now()
			if _, err := query(db, text); err != nil {
				t.Errorf("SQLite refuses %d: %v", n, err)
			}
			if d := time.Since(start); d > time.Minute { // on a busy machine; without the bound it never ends
				t.Errorf("SQLite took %v for %d", d, n)
			}
		})
	}
}

func repeat(n int, e Expr, f func(Expr) Expr) Expr {
	for range min(n, 2*maxDepth) {
		e = f(e)
	}
	return e
}

func nest(n int, f func(alias string, s *Select) Expr) *Select {
	s := todos("id")
	for i := range min(n, 2*maxDepth) {
		alias := fmt.Sprint("a", i)
		s = &Select{
			Columns: []Output{{col(alias, "id"), "id"}},
			From:    []Source{{Table: "todos", Alias: alias}},
			Where:   []Expr{f(alias, s)},
		}
	}
	return s
}

func layer(n int, f func(Expr) Expr) *Select {
	s := todos("id")
	for i := range min(n, 2*maxDepth) {
		alias := fmt.Sprint("a", i)
		s = &Select{Columns: []Output{{f(col(alias, "id")), "id"}}, From: []Source{{Sub: s, Alias: alias}}}
	}
	return s
}

func trues(n int) []Expr {
	list := make([]Expr, n)
	for i := range list {
		list[i] = True
	}
	return list
}

func TestEndlessTrees(t *testing.T) {
	self := todos("id")
	self.Where = []Expr{InSelect{One, nil, self}}
	loop := Call{Op: Not, Args: []Expr{nil}}
	loop.Args[0] = loop
	var wide Expr = True // 2^60 nodes in 60
	for range 60 {
		wide = call(And, wide, wide)
	}
	for name, s := range map[string]*Select{"select": self, "call": where(loop), "shared": where(wide)} {
		if _, _, err := Render(s, SQLite); err == nil {
			t.Errorf("%s: not refused", name)
		}
		if Tables(s) != nil {
			t.Errorf("%s: Tables", name)
		}
	}
}
