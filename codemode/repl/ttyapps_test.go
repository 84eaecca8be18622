package repl

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// hostileText is what a row may hold: each part does something to a terminal that
// prints it as it is.
const hostileText = "\x1b[2J\x1b[31mred\x1b]0;title\a\x1bP+q\x1b\\\u009b2J\r\b\x7f\u202eabc\u2066 \x1b[6n 日本\t|\n|"

// ttyApps are the apps that this test binary can be at a terminal.
var ttyApps = map[string]App{"notes": testApp, "hostile": hostileApp(), "slow": slowApp(), "secret": secretApp(), "asked": askedApp(), "shop": shopApp(), "models": modelsApp()}

// hostileApp has rows, names and owners that want to drive the terminal.
func hostileApp() App {
	a := testApp
	sql := "CAST(x'" + hexOf(hostileText) + "' AS TEXT)"
	a.Setup += "INSERT INTO notes VALUES (4, 1, " + sql + ", 1); UPDATE owners SET name = " + sql + ";"
	return a
}

func hexOf(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteByte("0123456789abcdef"[c>>4])
		b.WriteByte("0123456789abcdef"[c&15])
	}
	return b.String()
}

// slowApp has so many rows that slowQuery runs until it is stopped.
func slowApp() App {
	a := testApp
	a.Setup += "INSERT INTO notes WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, 1, 'x', 1 FROM n;"
	return a
}

const slowQuery = `const n = api.me.notes(); return n.as('a').join(n.as('b'), ({a}) => a.id.isNotNull()).join(n.as('c'), ({a}) => a.id.isNotNull()).join(n.as('d'), ({a}) => a.id.isNotNull()).count()`

// secretApp has a column with a label, which results may carry.
func secretApp() App {
	a := testApp
	table := exosql.NewTable[note]("notes")
	id := exosql.NewKey(table, "id", func(n *note) *int64 { return &n.ID })
	of := exosql.NewColumn(table, "owner_id", func(n *note) *int64 { return &n.OwnerID })
	text := exosql.NewColumn(table, "text", func(n *note) *string { return &n.Text }).WithLabel("private notes")
	a.Grants = func(db *exosql.DB, owner int64) codemode.Grants {
		return codemode.Grants{"notes": exosql.NewFacet(table, "note", id, text).Of(exosql.Grant(db, table, of.Eq(owner)))}
	}
	a.Options.Admits = value.NewLabel("private notes")
	return a
}

// askedApp has a model: it runs one program for each question, and says some text.
func askedApp() App {
	a := testApp
	a.asker = func(_ context.Context, opt askerOptions) (asker, error) {
		switch opt.Model {
		case "none":
			return nil, errNoModel
		case "wrong":
			return nil, errors.New("there is no model \x1b[31mwrong")
		}
		return &fakeAsker{tool: opt.Tool}, nil
	}
	return a
}

// modelsApp has the model that the environment names.
func modelsApp() App {
	a := testApp
	a.asker = modelNamed
	return a
}

type fakeAsker struct {
	tool  *codemode.Tool
	asked int
}

func (f *fakeAsker) Ask(ctx context.Context, question string, on func(answerEvent)) error {
	f.asked++
	if question == "wait" {
		on(answerWaiting{"rate limit", 3 * time.Second})
		<-ctx.Done()
		return ctx.Err()
	}
	if question == "fail" {
		on(answerText{"half of"})
		return errors.New("the service said \x1b[31mno")
	}
	on(answerText{"Let me "})
	on(answerText{"look.\x1b[2J \xe6\x97"})
	on(answerText{"\xa5"})
	const program = "async (api) => {\n  return api.me.notes().count()\n} // \x1b[2J"
	on(answerProgram{program})
	res := f.tool.Run(ctx, program)
	on(answerOutcome{res})
	on(answerText{"There are " + string(res.JSON) + " notes. You asked " + strings.Repeat("again and ", f.asked-1) + "once."})
	on(answerDone{Model: "fake:model", Input: 1200, Output: 34, Cost: 0.0042})
	return ctx.Err()
}
