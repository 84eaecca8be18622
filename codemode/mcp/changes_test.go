package mcp

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	bt "github.com/exoagent/exoagent/internal/testutil/browsertest"
)

type pay struct {
	ID, Level, Salary int64
	Name              string
}

// payTool is a tool whose changes wait for a person. A trigger changes a hidden column and another table.
func payTool(t *testing.T, link bool, admits ...string) *codemode.Tool {
	t.Helper()
	staff := exosql.NewTable[pay]("staff")
	exosql.NewKey(staff, "id", func(p *pay) *int64 { return &p.ID })
	level := exosql.NewColumn(staff, "level", func(p *pay) *int64 { return &p.Level })
	name := exosql.NewColumn(staff, "name", func(p *pay) *string { return &p.Name })
	salary := exosql.NewColumn(staff, "salary", func(p *pay) *int64 { return &p.Salary }).WithLabel("pii")
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Images: 100, Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE staff (id INTEGER PRIMARY KEY, level INTEGER NOT NULL, name TEXT NOT NULL, salary INTEGER NOT NULL, hidden TEXT NOT NULL DEFAULT 'concealed-a');
			CREATE TABLE audit (what TEXT);
			INSERT INTO staff (id, level, name, salary) VALUES (424241, 1, 'Ann', 5151), (424242, 2, '<img src=x onerror=top.x=1>' || char(8238) || '</script>', 6161);
			CREATE TRIGGER note AFTER UPDATE OF level ON staff BEGIN UPDATE staff SET hidden = 'concealed-b' WHERE id = new.id; INSERT INTO audit VALUES ('concealed-c'); END`)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	mail, err := service.New("mail", "mail of the user", service.Method("send", "sends a mail", func(context.Context, struct {
		Text string `json:"text"`
	}) (service.None, error) {
		return service.None{}, nil
	}).Admits(value.NewLabel("pii")))
	if err != nil {
		t.Fatal(err)
	}
	opt := review.Options{Store: store.NewMemory(nil), Key: bytes.Repeat([]byte{1}, review.MinKey)}
	if link {
		opt.Link = func(id string) string { return "https://shop.example.com/changes/" + id }
	}
	keeper, err := review.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	facet := exosql.NewFacet(staff, "person", level, name, salary).Admits("pii").AllowUpdate(level, name).Permit(exosql.AllowTrigger("note")).Approve(exosql.ApproveAlways())
	tool, err := codemode.New(codemode.Grants{"staff": facet.Of(exosql.Grant(db, staff, exosql.AllRows[pay]())), "mail": mail},
		&codemode.Options{Evaluator: exoeval.InProcess{}, Principal: "p", Review: keeper, Record: exo.Unrecorded, Admits: value.NewLabel(admits...)})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func changesOf(t *testing.T, tool *codemode.Tool, types []any, program string) string {
	t.Helper()
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil })
	res, text := run(t, appsClient(t, overStdio(s), "", types), program)
	if !strings.Contains(text, `"kind":"pending"`) {
		t.Fatalf("%s", text)
	}
	b, err := json.Marshal(res.Meta[changesMeta])
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPendingChanges: a client that shows pages gets the pending changes as far as the program could read them, and no right to agree.
func TestPendingChanges(t *testing.T) {
	const raise = `await staff.where(p => p.level.gt(0)).update({ level: 3 }); await mail.send({ text: 'raised' })`
	if got := changesOf(t, payTool(t, true), nil, raise); got != "null" {
		t.Errorf("a client that shows no pages gets %s", got)
	}
	for _, link := range []bool{true, false} {
		got := changesOf(t, payTool(t, link), []any{appsType}, raise)
		for _, want := range []string{`"person"`, "Ann", `"of":2`, "raised", "[sealed pii]"} {
			if !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), want) {
				t.Errorf("no %s in %s", want, got)
			}
		}
		// Keys, hidden columns, other tables and sealed values are for the person who decides; so is the digest.
		for _, bad := range []string{"4242", "concealed", "audit", "another", "5151", "6161", "digest"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s in %s", bad, got)
			}
		}
		if strings.Contains(got, "https://shop.example.com/changes/") != link {
			t.Errorf("link %v: %s", link, got)
		}
	}
	// What only a hidden column shows is not listed: a row that is as before.
	if got := changesOf(t, payTool(t, true, "pii"), []any{appsType}, `await staff.where(p => p.name.eq('Ann')).update({ level: 1 })
		await staff.where(p => p.level.eq(2)).update({ level: 3 })`); strings.Contains(got, "5151") || strings.Contains(got, "6161") {
		t.Errorf("values that the program has not read: %s", got)
	}
	const read = `const all = await staff; const n = await reveal(all[0].salary); await staff.where(p => p.level.eq(1)).update({ level: n > 1 ? 4 : 5 })`
	if got := changesOf(t, payTool(t, true, "pii"), []any{appsType}, read); !strings.Contains(got, "5151") {
		t.Errorf("the model may read the label, and the page does not show it: %s", got)
	}
}

// TestWithheldChanges: a program that read what its model may not read leaves no change set.
func TestWithheldChanges(t *testing.T) {
	tool := payTool(t, true)
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil })
	c := appsClient(t, overStdio(s), "", []any{appsType})
	res, text := run(t, c, `const all = await staff; const n = await reveal(all[0].salary); await mail.send({ text: n > 5000 ? 'yes' : 'no' }); await staff.where(p => p.level.eq(1)).update({ level: 4 })`)
	if !strings.Contains(text, `"kind":"denied"`) || res.Meta[changesMeta] != nil {
		t.Errorf("%s %v", text, res.Meta)
	}
	if all, err := tool.Pending(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v %v", all, err)
	}
}

// TestChangesInBrowser: the page shows pending changes as texts, and its one button asks the client to open the page that decides.
func TestChangesInBrowser(t *testing.T) {
	for _, link := range []bool{true, false} {
		tool := payTool(t, link)
		s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil })
		c := appsClient(t, overStdio(s), "", []any{appsType})
		page, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: pageURI})
		if err != nil {
			t.Fatal(err)
		}
		res, _ := run(t, c, `await staff.where(p => p.level.gt(0)).update({ level: 3 }); await mail.send({ text: '</script><b>bold' })`)
		result, _ := json.Marshal(res)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			switch r.URL.Path {
			case "/page":
				w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; connect-src 'none'; sandbox allow-scripts")
				io.WriteString(w, page.Contents[0].Text)
			case "/":
				opens := strings.Replace(host, "serverResources: {}", "serverResources: {}, openLinks: {}", 1)
				io.WriteString(w, strings.Replace(opens, "RESULT", strings.ReplaceAll(string(result), "</", `<\/`), 1))
			default:
				w.WriteHeader(http.StatusNoContent)
			}
		}))
		b := bt.Open(t, srv.URL+"/?theme=light", 390, "light")
		b.In(func() {
			b.Until("!document.querySelector('#waits').hidden")
			shown := bt.JS[string](b, "document.body.innerText")
			for _, want := range []string{"A person decides until", "Ann", "<img src=x onerror=top.x=1>", `\u{202e}`, "[sealed pii]", "</script><b>bold"} {
				if !strings.Contains(shown, want) {
					t.Errorf("no %q in\n%s", want, shown)
				}
			}
			if bt.JS[bool](b, "document.querySelector('img, #waits b, a') !== null || document.documentElement.scrollWidth > innerWidth") {
				t.Error("a value became an element, or the page is wider than its frame")
			}
			b.Axe(t)
			if link {
				bt.JS[any](b, "document.querySelector('#waits button').click()")
			} else if n := bt.JS[int](b, "document.querySelectorAll('#waits button').length"); n != 0 || !strings.Contains(shown, "exo approvals show") {
				t.Errorf("%d buttons, and\n%s", n, shown)
			}
		})
		b.Shot("app-changes")
		if link {
			b.Until("heard.some(m => m.method === 'ui/open-link' && m.params.url.startsWith('https://shop.example.com/changes/'))")
		}
		if n := bt.JS[int](b, "heard.filter(m => !['ui/initialize', 'ui/notifications/initialized', 'ui/notifications/size-changed', 'ui/open-link'].includes(m.method)).length"); n != 0 {
			t.Errorf("the page asks for something: %s", bt.JS[string](b, "JSON.stringify(heard)"))
		}
		srv.Close()
	}
}
