// Package withheld has programs that read what their result may not contain, and then do something that depends on a bit of it. Two worlds differ
// only in that secret. Pairs compares what a test observes of a program in both worlds, and fails if that differs.
package withheld

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/declassify"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// read defines n, the secret, and bit, its last bit, for a program. p is a row with sealed cells.
const read = "const p = await people.first(); const n = await reveal(p.pay); const bit = n & 1;\n"

// Programs has programs that use the secret, each under a description of how. Each runs after read.
var Programs = map[string]string{
	"chooses sealed values to return": "return [0, 1, 2, 3, 4, 5, 6].filter(i => n >> i & 1).map(i => p['c' + i])",
	"chooses what outsiders wrote":    "return [0, 1].filter(i => n >> i & 1).map(i => p['u' + i])",
	"throws in place of a result":     "if (bit) throw new Error('no'); return p.c0",
	"throws at another line":          "if (bit) throw new Error('yes');\nthrow new Error('no')",
	"throws in an effect":             "if (bit) await board.post({ text: 'x' }); return 1",
	"fails in a reply":                "if (bit) await board.ask({ text: 5 }); return 1",
	"opens sealed values":             "if (bit) await reveal(p.c0); else await reveal(p.c1); return 1",
	"opens what outsiders wrote":      "if (bit) await reveal(p.u0); return 1",
	"asks for a label":                "if (bit) await people.where(q => q.c0 === 'x').count(); return 1",
	"asks for another secret":         "if (bit) await people.where(q => q.rank > 1).count(); return 1",
	"asks often":                      "for (let i = 0; i < n; i++) await people.count(); return 1",
	"asks and does not wait":          "if (bit) people.count(); return 1",
	"meets a limit":                   "for (let i = 0; i < bit * 500; i++) await people.count(); return 1",
	"logs":                            "for (let i = 0; i < n; i++) console.log(i); return 1",
	"fills the console":               "console.log('x'.repeat(bit * 100000)); return 1",
	"returns much":                    "return 'x'.repeat(bit * 100000)",
	"returns nothing":                 "if (bit) return; return 1",
	"waits for nothing":               "if (bit) await new Promise(() => {}); return 1",
	"leaves a rejection":              "if (bit) Promise.reject(new Error('no')); return 1",
	"holds an effect":                 "if (bit) await payroll.book({ amount: 5 }); return 1",
	"changes a labelled column":       "try { if (bit) await people.where(q => q.id === 1).update({ pay: 7 }) } catch {} return 1",
	"adds rows":                       "try { for (let i = 0; i < n; i++) await secrets.insert({ word: 'x' }) } catch {} return 1",
	"uses what programs share":        "try { if (bit) await board.ask({ text: 'x' }) } catch {} return 1",
	"asks a person":                   "try { await door.open({ text: bit ? 'x' : 'y' }) } catch {} return 1",
	"uses up bits of a declassifier":  "try { for (let i = 0; i < n % 8; i++) await oracle.same({ a: p.c0, b: 'x' }) } catch {} return 1",
}

// World has what programs are granted, and the traces that they leave.
type World struct {
	Secret    int
	DB        *exosql.DB
	Grants    codemode.Grants
	Options   codemode.Options
	Approvals *policy.Approvals
	Posted    int      // the number of calls of board.post and payroll.book
	Lines     []string // the lines of the console that the host gets
}

// Tool makes the tool of a world.
func (w *World) Tool(t testing.TB) *codemode.Tool {
	t.Helper()
	tool, err := codemode.New(w.Grants, &w.Options)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

type person struct {
	ID, Pay, Rank                      int64
	C0, C1, C2, C3, C4, C5, C6, U0, U1 string
}

type word struct {
	ID   int64
	Word string
}

// New makes a world with a secret. Its result admits the labels g0 to g6, and the labels in admits.
func New(t testing.TB, e tu.Engine, secret int, admits ...string) *World {
	t.Helper()
	w := &World{Secret: secret, Approvals: &policy.Approvals{}}
	labelled := []string{"c0", "c1", "c2", "c3", "c4", "c5", "c6", "u0", "u1"}
	w.DB = e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(
		"CREATE TABLE people (id {int} PRIMARY KEY, pay {int} NOT NULL, rank {int} NOT NULL, "+strings.Join(labelled, " TEXT NOT NULL, ")+" TEXT NOT NULL)",
		fmt.Sprintf("INSERT INTO people VALUES (1, %d, 1%s)", secret, strings.Repeat(", 'x'", len(labelled))),
		e.Pick("", "CREATE SEQUENCE ids"), // both tables use the sequence ids, because the database does not reuse a number
		"CREATE TABLE words (id "+e.Pick("INTEGER PRIMARY KEY", "bigint PRIMARY KEY DEFAULT nextval('ids')")+", word TEXT NOT NULL)",
		"CREATE TABLE secrets (id "+e.Pick("INTEGER PRIMARY KEY", "bigint PRIMARY KEY DEFAULT nextval('ids')")+", word TEXT NOT NULL)")})
	p := exosql.NewTable[person]("people")
	id := exosql.NewKey(p, "id", func(p *person) *int64 { return &p.ID })
	pay := exosql.NewColumn(p, "pay", func(p *person) *int64 { return &p.Pay }).WithLabel("pay")
	rank := exosql.NewColumn(p, "rank", func(p *person) *int64 { return &p.Rank }).WithLabel("rank")
	facet := exosql.NewFacet(p, "person", id, pay, rank,
		exosql.NewColumn(p, "c0", func(p *person) *string { return &p.C0 }).WithLabel("g0"),
		exosql.NewColumn(p, "c1", func(p *person) *string { return &p.C1 }).WithLabel("g1"),
		exosql.NewColumn(p, "c2", func(p *person) *string { return &p.C2 }).WithLabel("g2"),
		exosql.NewColumn(p, "c3", func(p *person) *string { return &p.C3 }).WithLabel("g3"),
		exosql.NewColumn(p, "c4", func(p *person) *string { return &p.C4 }).WithLabel("g4"),
		exosql.NewColumn(p, "c5", func(p *person) *string { return &p.C5 }).WithLabel("g5"),
		exosql.NewColumn(p, "c6", func(p *person) *string { return &p.C6 }).WithLabel("g6"),
		exosql.NewColumn(p, "u0", func(p *person) *string { return &p.U0 }).WithLabel("rank", "untrusted:0"), // this column is sealed, and outsiders wrote it
		exosql.NewColumn(p, "u1", func(p *person) *string { return &p.U1 }).WithLabel("rank", "untrusted:1")).AllowUpdate(pay)
	plain, secrets := exosql.NewTable[word]("words"), exosql.NewTable[word]("secrets").WithLabel("pay")
	columns := func(t *exosql.Table[word]) (exosql.Member[word], *exosql.Column[word, string]) {
		return exosql.NewKey(t, "id", func(w *word) *int64 { return &w.ID }), exosql.NewColumn(t, "word", func(w *word) *string { return &w.Word })
	}
	wordID, text := columns(plain)
	secretID, secretText := columns(secrets)
	type say struct {
		Text string `json:"text"`
	}
	done := func(context.Context, say) (service.None, error) { w.Posted++; return service.None{}, nil }
	ask := func(context.Context, say) (int, error) { return 1, nil }
	all := value.NewLabel("pay", "g0", "g1", "g2", "g3", "g4", "g5", "g6", "rank")
	board := made(t, "board", service.Method("post", "", done), service.Read("ask", "", ask).Admits(all))
	door := made(t, "door", service.Read("open", "", ask).Admits(all))
	payroll := made(t, "payroll", service.Method("book", "", func(context.Context, struct {
		Amount int64 `json:"amount"`
	}) (service.None, error) {
		w.Posted++
		return service.None{}, nil
	}).Admits(all))
	oracle := made(t, "oracle", service.Declassify("same", "", func(_ context.Context, in struct {
		A string `json:"a"`
		B string `json:"b"`
	}) (bool, error) {
		return in.A == in.B, nil
	}, value.NewLabel("g0")).Admits(all))
	w.Grants = codemode.Grants{
		"people":  facet.Of(exosql.Grant(w.DB, p, exosql.AllRows[person]())),
		"words":   exosql.NewFacet(plain, "word", wordID, text).AllowInsert(text).Of(exosql.Grant(w.DB, plain, exosql.AllRows[word]())),
		"secrets": exosql.NewFacet(secrets, "secret", secretID, secretText).AllowInsert(secretText).Of(exosql.Grant(w.DB, secrets, exosql.AllRows[word]())),
		"board":   policy.LifeBudget(board, policy.Allowance{Messages: 5, Effects: 5}),
		"door":    policy.Approve(door, w.Approvals, "open"),
		"payroll": payroll, "oracle": oracle,
	}
	w.Options = codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded, Principal: "ann", Bits: declassify.New(100),
		Limits: exo.Limits{Calls: 200, ConsoleBytes: 4000}, Bounds: exoeval.Bounds{ResultBytes: 4000},
		Admits:  value.NewLabel(append(admits, "g0", "g1", "g2", "g3", "g4", "g5", "g6")...),
		Console: func(l exo.Line) { w.Lines = append(w.Lines, l.Text) }}
	return w
}

func made(t testing.TB, name string, ops ...service.Operation) exo.Object {
	t.Helper()
	o, err := service.New(name, "", ops...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
