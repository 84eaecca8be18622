package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/telemetry"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/otlp"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// ways are programs that try to get SECRET out by what telemetry writes. title is what a row has, which is the secret, too.
var ways = []string{
	"pages['SECRET']()", "pages.SECRET", "SECRET()", "crm['SECRET']({ name: 'x' })", "pages.where(p => p['SECRET'] === 1)", "pages.where(p => p.title === 'SECRET')",
	"pages[title]()", "crm[title]({ name: title })", "crm.find({ name: title })", "crm.breaks({ name: title })", "crm.panics({ name: title })", "crm.find({ [title]: 1 })",
	"throw new Error(title)", "throw title", "throw { kind: title, name: title, message: title }", "const e = new Error(title); e.name = title; e.kind = title; throw e",
	"console.log(title)", "console.error({ [title]: title })", "return title", "return { [title]: title }", "await Promise.reject(title)",
	"await pages.where(p => p.id === 1).update({ title: title + '2' })", "await pages.where(p => p.id === 2).update({ title: title })", "await pages.where(p => p.id === 1).update({ [title]: 1 })",
	"pages.orderBy(p => p[title])", "pages.select(p => ({ [title]: p.title }))", "await pages.select(p => ({ SECRET: p.title }))", "await pages.where(p => p.title.startsWith(title)).count()",
	"await people.where(p => p.email === title).count()", "const p = await people.first(); return p.email", "await crm.find({ name: (await people.first()).email })", "JSON.parse(title)", "new Intl.NumberFormat(title)",
	"}} SECRET", "/* SECRET */ for (let i = 0; i < 60; i++) await pages.first()", "'SECRET'.x.y", "null[title]", "(function SECRET() { throw new Error('x') })()", "await limited.find({ name: title })",
}

// receiver is a collector of which all bytes are looked at.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	bytes strings.Builder
}

func receive(t testing.TB) *receiver {
	t.Helper()
	c := &receiver{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		fmt.Fprintf(&c.bytes, "%s %v\n%s\n", r.URL, r.Header, body)
	}))
	t.Cleanup(c.Close)
	return c
}

func begin(failed func(error)) (*otlp.Export, error) {
	return otlp.Start(context.Background(), otlp.Options{Service: "shop", Version: "v1", Failed: failed})
}

type person struct {
	ID, Org int64
	Email   string
}

// world is a tool on rows that have a secret, which its principal, its conversation and the errors of its services have, too.
func world(t testing.TB, e tu.Engine) func(ctx context.Context, secret, program string, rec exo.Recorder) *codemode.Result {
	t.Helper()
	pages, people := exosql.NewTable[page]("pages"), exosql.NewTable[person]("people")
	id := exosql.NewKey(pages, "id", func(p *page) *int64 { return &p.ID })
	org := exosql.NewColumn(pages, "org_id", func(p *page) *int64 { return &p.Org })
	title := exosql.NewColumn(pages, "title", func(p *page) *string { return &p.Title })
	pid := exosql.NewKey(people, "id", func(p *person) *int64 { return &p.ID })
	porg := exosql.NewColumn(people, "org_id", func(p *person) *int64 { return &p.Org })
	email := exosql.NewColumn(people, "email", func(p *person) *string { return &p.Email }).WithLabel("pii")
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(`CREATE TABLE pages (id {int} PRIMARY KEY, org_id {int} NOT NULL, title TEXT NOT NULL)`, `CREATE UNIQUE INDEX one_title ON pages (org_id, title)`,
		`CREATE TABLE people (id {int} PRIMARY KEY, org_id {int} NOT NULL, email TEXT NOT NULL)`, `INSERT INTO people VALUES (1, 1, 'x')`, `INSERT INTO pages VALUES (1, 1, 'x'), (2, 1, 'y')`)})
	type in struct {
		Name string `json:"name"`
	}
	svc, err := service.New("crm", "customers",
		service.Read("find", "finds one", func(_ context.Context, in in) (string, error) {
			return "", fail.Errorf(fail.Invalid, "", "no customer %s", in.Name)
		}),
		service.Read("breaks", "fails", func(_ context.Context, in in) (string, error) { return "", errors.New("internal " + in.Name) }),
		service.Read("panics", "panics", func(_ context.Context, in in) (string, error) { panic(in.Name) }))
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, secret, program string, rec exo.Recorder) *codemode.Result {
		for rel, set := range map[int64]string{1: secret, 2: secret + " second"} {
			if _, err := exosql.Grant(db, pages, exosql.AllRows[page]()).Where(id.Eq(rel)).Update(ctx, title.Set(set)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := exosql.Grant(db, people, exosql.AllRows[person]()).Where(pid.Eq(1)).Update(ctx, email.Set(secret+"@x")); err != nil {
			t.Fatal(err)
		}
		tool, err := codemode.New(codemode.Grants{
			"pages":   exosql.NewFacet(pages, "page", id, title).AllowUpdate(title).Of(exosql.Grant(db, pages, org.Eq(1))),
			"people":  exosql.NewFacet(people, "person", pid, email).Of(exosql.Grant(db, people, porg.Eq(1))),
			"crm":     svc,
			"limited": exo.Wrap(svc, exo.Policy{Before: func(*exo.Message) bool { return false }, Refusal: "no " + secret}),
		}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: rec, Principal: exo.Principal(secret), Limits: exo.Limits{Calls: 50}})
		if err != nil {
			t.Fatal(err)
		}
		program = strings.ReplaceAll("const title = (await pages.orderBy(p => p.id).first()).title\n"+program, "SECRET", secret)
		return tool.RunJob(ctx, codemode.Job{Program: program, Conversation: secret})
	}
}

// TestNoSecretLeaves: whatever a program does with what it has read, no byte that a collector gets has it. The twin is: telemetry that writes
// operations and errors as they are, which leaks by most of these ways.
func TestNoSecretLeaves(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := receive(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
		run, leaks := world(t, e), map[string]bool{}
		exported := func(t interface{ Fatal(...any) }, f func(ctx context.Context)) string {
			x, err := begin(func(err error) { t.Fatal(err) })
			if err != nil {
				t.Fatal(err)
			}
			tel, err := telemetry.New(telemetry.Options{TracerProvider: x.Tracer, MeterProvider: x.Meter})
			if err != nil {
				t.Fatal(err)
			}
			f(tel.In(context.Background()))
			if err := x.Shutdown(context.Background()); err != nil {
				t.Fatal(err)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			sent := c.bytes.String()
			c.bytes.Reset()
			if !strings.Contains(sent, "run execute") || !strings.Contains(sent, "exoagent.run.duration") {
				t.Fatal(sent)
			}
			return sent
		}
		rapid.Check(t, func(t *rapid.T) {
			secret := rapid.StringMatching(`[A-Z][a-z]{3}[A-Z]{12}`).Draw(t, "secret")
			program := ""
			var used []string
			for _, way := range rapid.SliceOfN(rapid.SampledFrom(ways), 1, 4).Draw(t, "ways") {
				used = append(used, way)
				program += "try { " + way + " } catch (e) { if (e.message.length % 3 === 0) throw e }\n"
			}
			if len(used) == 1 {
				program = used[0]
			}
			naive := ""
			sent := exported(t, func(ctx context.Context) {
				res := run(ctx, secret, program, exo.RecordFunc(func(e exo.Entry) error {
					naive += fmt.Sprint(e.Op, " ", e.Err, "\n")
					return nil
				}))
				naive += fmt.Sprint(res.Err)
			})
			if strings.Contains(strings.ToLower(sent), strings.ToLower(secret)) {
				t.Fatalf("the secret %s left by %q:\n%s", secret, used, sent)
			}
			if len(used) == 1 && strings.Contains(naive, secret) {
				leaks[used[0]] = true
			}
		})
		for _, way := range ways { // each alone, for the twin
			naive, sent := "", exported(t, func(ctx context.Context) {
				res := run(ctx, "CanaryCANARY", way, exo.RecordFunc(func(e exo.Entry) error { return nil }))
				if strings.Contains(fmt.Sprint(res.Err, res.Console), "CanaryCANARY") {
					leaks[way] = true
				}
			})
			if strings.Contains(strings.ToLower(sent+naive), "canary") {
				t.Errorf("the secret left by %q:\n%s", way, sent)
			}
		}
		if len(leaks) < len(ways)/2 {
			t.Errorf("an exporter of errors and operations would leak by %d of %d ways only", len(leaks), len(ways))
		}
	})
}

// TestNoFrameNamesASpan: a guest that was taken over sends frames of its own, with names as it likes.
func TestNoFrameNamesASpan(t *testing.T) {
	c := receive(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	rapid.Check(t, func(t *rapid.T) {
		x, err := begin(func(err error) { t.Fatal(err) })
		if err != nil {
			t.Fatal(err)
		}
		tel, err := telemetry.New(telemetry.Options{TracerProvider: x.Tracer, MeterProvider: x.Meter})
		if err != nil {
			t.Fatal(err)
		}
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"box": &tu.Box{}}, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		s, err := gate.Begin(tel.In(context.Background()), exo.Run{}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		names := rapid.SampledFrom([]string{"CANARY", "get", "Box", "CANARY.get", "then", ""})
		node := rapid.Custom(func(t *rapid.T) message.WireNode {
			return message.WireNode{Op: message.Op(rapid.IntRange(0, 12).Draw(t, "op")), Name: names.Draw(t, "name"), Names: rapid.SliceOfN(names, 0, 2).Draw(t, "names"), Recv: rapid.Int32Range(-1, 3).Draw(t, "recv"),
				Args: rapid.SliceOfN(rapid.Int32Range(-1, 3), 0, 2).Draw(t, "args"), Lit: value.Text(names.Draw(t, "lit")), Ref: rapid.Uint32Range(0, 2).Draw(t, "ref")}
		})
		for i := range rapid.IntRange(1, 5).Draw(t, "calls") {
			nodes := rapid.SliceOfN(node, 1, 4).Draw(t, "nodes")
			if rapid.Bool().Draw(t, "begins well") {
				nodes = append([]message.WireNode{{Op: message.OpRef, Recv: -1}}, nodes...)
			}
			if err := s.Submit(exo.Call{ID: uint64(i + 1), Expr: message.Expr{Nodes: nodes}}); err != nil {
				t.Fatal(err)
			}
		}
		_ = s.Finish(context.Background(), value.Value{}, nil)
		if err := x.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if sent := c.bytes.String(); strings.Contains(sent, "CANARY") || !strings.Contains(sent, `"name":"`) {
			t.Fatal(sent)
		}
		c.bytes.Reset()
	})
}
