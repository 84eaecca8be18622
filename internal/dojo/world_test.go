package dojo_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// world is one of those of testdata/dojo, in which programs run.
type world struct {
	tool  *codemode.Tool
	sent  []string                  // what left, "pay.send {…}"
	state func(t *testing.T) string // of the rows that an attacker wants to change
}

// letter is an effect that takes an A, and admits these labels.
func letter[A any](w *world, grant, method string, admits ...string) map[string]service.Operation {
	return map[string]service.Operation{grant: service.Method(method, "", func(_ context.Context, a A) (service.None, error) {
		b, err := json.Marshal(a)
		w.sent = append(w.sent, grant+"."+method+" "+string(b))
		return service.None{}, err
	}).Admits(value.NewLabel(admits...))}
}

type text struct {
	Text string `json:"text"`
}

type mail struct {
	To   string `json:"to"`
	Text string `json:"text"`
}

// effects are those of a world, by the grant.
func (w *world) effects(name string) []map[string]service.Operation {
	switch name {
	case "banking":
		type payment struct {
			To     string `json:"to"`
			Amount int64  `json:"amount"`
		}
		return []map[string]service.Operation{letter[payment](w, "pay", "send", "pii"), letter[text](w, "note", "post")}
	case "workspace":
		return []map[string]service.Operation{letter[mail](w, "mail", "send", "pii"), letter[text](w, "wall", "post")}
	case "chat":
		type invitation struct {
			User    string `json:"user"`
			Channel string `json:"channel"`
		}
		type sms struct {
			User   int64     `json:"user"`
			Text   string    `json:"text"`
			Phones []*string `json:"phones"`
		}
		return []map[string]service.Operation{letter[text](w, "chat", "post"), letter[invitation](w, "chat", "invite"), letter[sms](w, "sms", "send", "pii")}
	}
	switch name {
	case "shop":
		type label struct {
			Name    string `json:"name"`
			Address string `json:"address"`
		}
		return []map[string]service.Operation{letter[mail](w, "mail", "send", "pii"), letter[label](w, "carrier", "label", "pii")}
	case "support", "people", "school":
		return []map[string]service.Operation{letter[mail](w, "mail", "send", "pii")}
	case "office":
		op := letter[mail](w, "mail", "send", "pii", value.Untrusted)
		for grant := range op {
			op[grant] = op[grant].Trusted("to")
		}
		return []map[string]service.Operation{op}
	case "clinic":
		type sms struct {
			Phone string `json:"phone"`
			Text  string `json:"text"`
		}
		return []map[string]service.Operation{letter[sms](w, "sms", "send", "pii")}
	case "projects":
		return []map[string]service.Operation{letter[mail](w, "mail", "send", "pii"), letter[text](w, "chat", "post")}
	}
	type booking struct {
		Hotel    string `json:"hotel"`
		Nights   int64  `json:"nights"`
		Passport string `json:"passport,omitempty"`
	}
	return []map[string]service.Operation{letter[booking](w, "booking", "reserve", "secret"), letter[mail](w, "mail", "send")}
}

// states are the rows that an attacker wants to change, one text for each.
var states = map[string]string{
	"banking":   "SELECT 'payee ' || id || ' ' || iban || ' ' || payout FROM payees ORDER BY id",
	"workspace": "SELECT 'event ' || id || ' ' || guests FROM events ORDER BY id",
	"chat":      "SELECT 'user ' || id || ' ' || role FROM users ORDER BY id",
	"travel":    "SELECT 'trip ' || id || ' ' || card FROM trips ORDER BY id",
	"support":   "SELECT 'customer ' || id || ' ' || plan FROM customers ORDER BY id",
	"shop":      "SELECT 'product ' || id || ' ' || price FROM products ORDER BY id",
	"people":    "SELECT 'leave ' || id || ' ' || state FROM leaves UNION ALL SELECT note FROM employees WHERE note IS NOT NULL",
	"office":    `SELECT 'task ' || id || ' ' || coalesce(owner, '') FROM tasks UNION ALL SELECT 'tasks: ' || count(*) FROM tasks UNION ALL SELECT 'answer ' || id || ' ' || coalesce("to", '') FROM answers UNION ALL SELECT 'person ' || id || ' ' || coalesce(title, '') || ' ' || slug FROM people UNION ALL SELECT 'letter ' || id || ' ' || coalesce(reader, '') FROM letters ORDER BY 1`,
	"school":    "SELECT 'grade ' || id || ' ' || mark FROM grades ORDER BY id",
	"clinic":    "SELECT 'visit ' || id || ' ' || doctor || ' ' || coalesce(room, '') FROM visits ORDER BY id",
	"projects":  "SELECT 'member ' || id || ' ' || role FROM members UNION ALL SELECT 'issue ' || id || ' ' || coalesce(owner_id, 0) FROM issues",
}

var says = regexp.MustCompile(`\{ (label|trusted|admits)[^}]*\}|(?m:^ *admits:.*$)`)

// open makes a world of testdata/dojo. Unguarded, nothing is labelled and nothing demands trust.
func open(t *testing.T, name string, guarded bool) *world {
	t.Helper()
	dir := filepath.Join("../../testdata/dojo", name)
	ddl, err := os.ReadFile(filepath.Join(dir, "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "exo.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, tu.SQLite, name, string(ddl), file, guarded)
}

// openOn makes a world in a database of e.
func openOn(t *testing.T, e tu.Engine, name, ddl string, file []byte, guarded bool) *world {
	t.Helper()
	if !guarded {
		file = says.ReplaceAll(file, nil)
	}
	f, err := grantfile.Parse("exo.yaml", file)
	if err != nil {
		t.Fatal(err)
	}
	url := e.URL(t)
	db, past := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(ddl)}), e.SQLDB(t, url) // past the grants
	d, err := f.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{f.Databases[0].Text: db}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.ParseClaims("")
	if err != nil {
		t.Fatal(err)
	}
	grants, err := d.Grants(p)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{state: func(t *testing.T) string { return texts(t, past, states[name]) }}
	ops := map[string][]service.Operation{}
	for _, e := range w.effects(name) {
		for grant, op := range e {
			ops[grant] = append(ops[grant], op)
		}
	}
	for grant, of := range ops {
		if grants[grant], err = service.New(grant, "", of...); err != nil {
			t.Fatal(err)
		}
	}
	grants["reveal"], grants["text"] = exo.Reveal(), exo.Compose()
	if w.tool, err = codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Admits: f.ToolOptions(p).Admits, Evaluator: exoeval.InProcess{}}); err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs programs one after another, as those of one chat, and gives what can be seen of them: what the model reads, what
// left, and what rows there are then. last is the last result. With distrust the later begin with what the earlier read
// that outsiders wrote, as with agent.DistrustAnswer.
func (w *world) run(t *testing.T, distrust bool, programs []string) (seen, last string) {
	t.Helper()
	var all strings.Builder
	var label value.Label
	for _, p := range programs {
		job := codemode.Job{Program: p}
		if distrust {
			job.Label = label.Integrity()
		}
		r := w.tool.RunJob(t.Context(), job)
		label = label.Join(r.Label)
		if last = string(r.JSON); r.Err != nil {
			last = fail.GuestText(r.Err)
		}
		all.WriteString(last + "\n" + r.Console + r.EffectsNote() + "\n")
	}
	return all.String() + strings.Join(w.sent, "\n") + "\n" + w.state(t), last
}

// texts are those of a query of one column, a line for each.
func texts(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}
