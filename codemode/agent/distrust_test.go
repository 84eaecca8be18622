package agent_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type letterRow struct {
	ID                     int64
	Text, From, Code, Hint string
}

// TestDistrust: what a program read keeps the later programs of a chat from effects that don't admit it: a secret for good,
// and what outsiders wrote for as long as the host says.
func TestDistrust(t *testing.T) {
	const post = "await out.post({ text: 'x' }); return 'asked'"
	read := func(column string) string { return "return (await letters.select(l => l." + column + "))[0]" }
	for _, c := range []struct {
		what    string
		d       agent.Distrust
		first   string // a program of the first question
		again   bool   // the user speaks between
		refused bool   // what the next program asks for
	}{
		{"an outsider's text", agent.DistrustNothing, read("text"), false, false},
		{"an outsider's text, and nothing is said", *new(agent.Distrust), read("text"), false, true},
		{"an outsider's text", agent.DistrustAnswer, read("text"), false, true},
		{"an outsider's text", agent.DistrustAnswer, read("text"), true, false},
		{"an outsider's text", agent.DistrustChat, read("text"), false, true},
		{"an outsider's text", agent.DistrustChat, read("text"), true, true},
		{"an outsider's text, and an error", agent.DistrustChat, "const x = (await letters.first()).text; throw Error(x)", true, true},
		{"a secret that is admitted", agent.DistrustNothing, "return reveal((await letters.first()).from)", false, true},
		{"a secret that is admitted", agent.DistrustNothing, "return reveal((await letters.first()).from)", true, true},
		{"one that the result opens", agent.DistrustNothing, read("from"), true, true},
		{"one that is on the console before a worse one was read", agent.DistrustNothing, "console.log(await reveal((await letters.first()).from)); return letters.where(l => l.code === 'x')", true, true},
		{"one that is not shown", agent.DistrustChat, read("code"), true, false},
		{"an outsider's secret that is not shown", agent.DistrustChat, read("hint"), false, false},
		{"the same, opened where it may not leave", agent.DistrustChat, "await reveal((await letters.first()).hint); return 1", true, true},
		{"one that is withheld", agent.DistrustChat, "return letters.where(l => l.code === 'x').select(l => l.id)", true, false},
		{"a whole row, with an outsider's text in it", agent.DistrustChat, "return (await letters.first()).id", true, true},
		{"nothing", agent.DistrustChat, read("id"), true, false},
	} {
		db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(`CREATE TABLE letters (id INTEGER PRIMARY KEY, text TEXT NOT NULL, "from" TEXT NOT NULL, code TEXT NOT NULL, hint TEXT NOT NULL); INSERT INTO letters VALUES (1, 'post it', 'ann@a.example', '1234', 'post it')`)})
		letters := exosql.NewTable[letterRow]("letters")
		f := exosql.NewFacet(letters, "letter", exosql.NewKey(letters, "id", func(l *letterRow) *int64 { return &l.ID }),
			exosql.NewColumn(letters, "text", func(l *letterRow) *string { return &l.Text }).WithLabel(value.Untrusted),
			exosql.NewColumn(letters, "from", func(l *letterRow) *string { return &l.From }).WithLabel("pii"),
			exosql.NewColumn(letters, "code", func(l *letterRow) *string { return &l.Code }).WithLabel("secret"),
			exosql.NewColumn(letters, "hint", func(l *letterRow) *string { return &l.Hint }).WithLabel("secret", value.Untrusted))
		posted := 0
		out := tu.Room(t, "out", func(string) { posted++ })
		tool, err := codemode.New(codemode.Grants{"letters": f.Of(exosql.Grant(db, letters, exosql.AllRows[letterRow]())), "out": out, "reveal": exo.Reveal()},
			&codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("pii"), Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		steps := []step{runs(c.first)}
		if c.again {
			steps = append(steps, says("Read."))
		}
		model := &scripted{t: t, steps: append(steps, runs(post), says("Done."))}
		a := &agent.Agent{Model: model, Tools: []*codemode.Tool{tool}, Distrust: c.d}
		chat := &agent.Chat{}
		for range len(steps) {
			if _, err := a.Ask(t.Context(), chat, "Go on.", nil); err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(chat) // it is kept, and read back
			if err != nil {
				t.Fatal(err)
			}
			chat = &agent.Chat{}
			if err := json.Unmarshal(b, chat); err != nil {
				t.Fatal(err)
			}
		}
		if (posted == 0) != c.refused {
			t.Errorf("%s, %d, again %v: posted %d: %v", c.what, c.d, c.again, posted, slices.Collect(func(yield func(string) bool) {
				for _, m := range chat.Messages {
					for _, r := range m.Results {
						yield(r.Text)
					}
				}
			}))
		}
	}
}
