package recorddiff_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/recorddiff"
	"github.com/exoagent/exoagent/internal/testutil"
)

const file = `
exo: 1
reviewed: true
databases: {shop: {url: env:UNUSED}}
principal: {org: int}
labels: {pii: secret}
limits: {calls: 1000}
grants: {tickets: ticket, orgs: org}
facets:
  org: {table: orgs, scope: id = $principal.org, columns: [id, name]}
  ticket:
    table: tickets
    scope: org_id = $principal.org
    columns: {id: , state: , email: }
    update: [state]
`

const schema = `CREATE TABLE orgs (id {int} PRIMARY KEY, name TEXT NOT NULL)`

var ddl = []string{schema, "CREATE TABLE tickets (id {int} PRIMARY KEY, org_id {int} NOT NULL, state TEXT NOT NULL, email TEXT NOT NULL)",
	"CREATE INDEX tickets_org ON tickets (org_id)", "INSERT INTO orgs VALUES (1, 'a'), (2, 'b')",
	"INSERT INTO tickets VALUES (1, 1, 'open', 'a@a'), (2, 1, 'done', 'b@a'), (3, 2, 'open', 'c@b')"}

// programs are what the record has, each as a run of its own.
var programs = []string{
	"await tickets.where(t => t.state === 'open')",
	"await tickets.map(t => t.email)",
	"await tickets.where(t => t.id === 1).update({state: 'done'})",
	"await orgs.count()",
}

// declare declares a file on a database.
func declare(t *testing.T, db *exosql.DB, text string) *grantfile.Declared {
	t.Helper()
	f, err := grantfile.Parse("exo.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := f.Open(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// recorded runs programs on the old file, for a client whom a token named, and returns what was recorded.
func recorded(t *testing.T, d *grantfile.Declared, programs ...string) []record.Logged {
	t.Helper()
	return record0(t, d, false, programs...)
}

// recordedAny is recorded for a program that may fail.
func recordedAny(t *testing.T, d *grantfile.Declared, program string) []record.Logged {
	t.Helper()
	return record0(t, d, true, program)
}

func record0(t *testing.T, d *grantfile.Declared, fails bool, programs ...string) []record.Logged {
	t.Helper()
	p, err := d.File.Named(`"ann, \"b\"" of "https://a", org=1`)
	if err != nil {
		t.Fatal(err)
	}
	grants, err := d.Grants(p)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	opt := d.File.ToolOptions(p)
	opt.Record, opt.Evaluator = record.New(&b), exoeval.InProcess{}
	tool, err := codemode.New(grants, &opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		if r := tool.RunJob(t.Context(), codemode.Job{Program: program}); r.Err != nil && !fails {
			t.Fatalf("%s: %v", program, r.Err)
		}
	}
	var all []record.Logged
	for e, err := range record.Read(&b) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record.Logged{Entry: e})
	}
	return all
}

func each(all []record.Logged) iter.Seq2[record.Logged, error] {
	return func(yield func(record.Logged, error) bool) {
		for _, x := range all {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// TestCompare: each change of a file is found at the messages that it is about, and at no other. Nothing acts.
func TestCompare(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
		old := declare(t, db, file)
		all := recorded(t, old, programs...)
		state := fmt.Sprint(recordedRows(t, db, old))
		for _, c := range []struct {
			name, from, to string
			counts         bool
			want           []string // of the report, each
			not            string
		}{
			{name: "the same file", not: "first"},
			{name: "comments and order", from: "grants: {tickets: ticket, orgs: org}", to: "grants: {orgs: org, tickets: ticket} # the same", not: "first"},
			{name: "a narrowed scope", from: "scope: org_id = $principal.org", to: "scope: org_id = $principal.org and state = 'open'", not: "orgs.count",
				want: []string{"tickets.where.execute of tickets: 1 runs", "another scope: the facet ticket: of tickets: org_id = $principal.org and state = 'open'; then of tickets: org_id = $principal.org", "tickets.where.update of tickets: 1 runs"}},
			{name: "another constant in a scope", from: "scope: org_id = $principal.org", to: "scope: org_id = 2", want: []string{"another scope: the facet ticket: of tickets: org_id = 2; then of tickets: org_id = $principal.org"}},
			{name: "a narrowed grant", from: "orgs: org}", to: "orgs: {facet: org, where: name = 'a'}}", want: []string{"orgs.count of orgs: 1 runs", "another scope: the grant orgs: the facet org where name = 'a'; then the facet org"}, not: "tickets"},
			{name: "a removed column", from: "state: , email: }", to: "state: }", want: []string{"tickets.select.execute of tickets: 1 runs", "refused now: ", "`email`", "another row: it has id, state; then id, state, email"}, not: "orgs.count"},
			{name: "a removed right", from: "    update: [state]\n", to: "", want: []string{"tickets.where.update of tickets: 1 runs", "refused now: ", "`update`"}, not: "tickets.where.all"},
			{name: "a widened right", from: "update: [state]", to: "update: [state, email]", not: "first"}, // no message asked for it
			{name: "a removed grant", from: "orgs: org}", to: "orgs2: org}", want: []string{"orgs.count of orgs: 1 runs", "refused now: `orgs` is not granted"}, not: "tickets.where"},
			{name: "a new label", from: "email: }", to: "email: {label: [pii]}}", want: []string{"tickets.select.execute of tickets: 1 runs", "labels: it reads {pii}, which may not leave by the result; then {}, which may leave"}, not: "orgs.count"},
			{name: "fewer calls", from: "calls: 1000", to: "calls: 1", not: "first"},
			{name: "another claim", from: "principal: {org: int}", to: "principal: {org: int, user: int}", want: []string{"all programs of some principals: 4 runs", "refused now: the claim `user` is missing"}},
			{name: "counts", from: "scope: org_id = $principal.org", to: "scope: org_id = $principal.org and state = 'none'", counts: true, want: []string{"another count: 0 rows now, 2 rows then"}},
		} {
			now := declare(t, db, strings.Replace(file, c.from, c.to, 1))
			r, err := recorddiff.Compare(t.Context(), each(all), old, now, recorddiff.Options{Counts: c.counts})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var b bytes.Buffer
			if err := r.Write(&b); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(b.String(), want) {
					t.Errorf("%s: no %q in\n%s", c.name, want, b.String())
				}
			}
			if c.not != "" && strings.Contains(b.String(), c.not) || r.Runs != 4 || r.Messages != 4 || len(r.Left) > 0 || (len(c.want) == 0) != (len(r.Changes) == 0) {
				t.Errorf("%s: %+v\n%s", c.name, r, b.String())
			}
		}
		if now := fmt.Sprint(recordedRows(t, db, old)); now != state {
			t.Errorf("a message acted: %s, and was %s", now, state)
		}
	})
}

// recordedRows returns the rows that the principal sees.
func recordedRows(t *testing.T, db *exosql.DB, d *grantfile.Declared) (rows []string) {
	for _, x := range recorded(t, d, "return await tickets.orderBy(t => t.id)") {
		if x.Step == exo.Released {
			rows = append(rows, x.Digest.String())
		}
	}
	return rows
}

// TestNotCompared: what can't be compared is counted with the reason, and never guessed at.
func TestNotCompared(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
		old := declare(t, db, file)
		all := recorded(t, old, programs[0], "await Promise.all(Array.from({length: 500}, (_, i) => tickets.where(t => t.id === i).count()))", "await orgs.where(o => o.name === 'x'.repeat(5000)).count()")
		now := declare(t, db, strings.Replace(file, "columns: {id: ,", "columns: {", 1))
		compare := func(all []record.Logged, opt recorddiff.Options) (*recorddiff.Report, string) {
			t.Helper()
			r, err := recorddiff.Compare(t.Context(), each(all), old, now, opt)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := r.Write(&b); err != nil {
				t.Fatal(err)
			}
			return r, b.String()
		}
		if r, text := compare(all, recorddiff.Options{}); r.Messages != 502 || len(r.Changes) != 2 || !strings.Contains(text, "tickets.where.count of tickets: 1 runs, first "+all[len(all)/2].RunID.String()) || len(r.Left) > 0 {
			t.Errorf("500 messages: %s", text)
		}
		if r, text := compare(all, recorddiff.Options{Want: func(at time.Time, s *exo.Start) bool { return false }}); r.Runs != 0 || len(r.Changes) != 0 {
			t.Error(text)
		}
		other, erased, sealed, lost := slices.Clone(all), slices.Clone(all), slices.Clone(all), slices.Clone(all)
		for i := range all {
			if s := all[i].Start; s != nil {
				own := *s
				own.Granted[0]++
				other[i].Start = &own
				erased[i].Start, erased[i].Closed = nil, tree.ErrErased
				sealed[i].Start, sealed[i].Closed = nil, tree.ErrNoOpener
			}
			lost[i].Message = nil
		}
		if r, text := compare(other, recorddiff.Options{}); r.Runs != 0 || len(r.Changes) != 0 || !strings.Contains(text, "3 runs began under other grants") {
			t.Error(text)
		}
		if r, text := compare(erased, recorddiff.Options{}); r.Runs != 0 || len(r.Changes) != 0 || !strings.Contains(text, "3 runs were erased") {
			t.Error(text)
		}
		if r, text := compare(lost, recorddiff.Options{}); len(r.Changes) != 0 || !strings.Contains(text, "502 messages: the record does not have them whole") {
			t.Error(text)
		}
		if _, err := recorddiff.Compare(t.Context(), each(sealed), old, now, recorddiff.Options{}); !errors.Is(err, recorddiff.ErrEncrypted) {
			t.Error(err)
		}
		for i := range all { // a record of a message that the old file refuses
			if m := &all[i]; m.Step == exo.Intent {
				m.Step = exo.Refused
			}
		}
		if r, text := compare(all, recorddiff.Options{}); len(r.Changes) != 0 || !strings.Contains(text, "502 messages: the old file decides otherwise than the record") {
			t.Error(text)
		}
	})
}

// TestSealed: of a message with sealed values the names are compared, and no session takes them for a forgery.
func TestSealed(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
		labelled := strings.Replace(file, "email: }", "email: {label: [pii]}, }", 1)
		labelled = strings.Replace(labelled, "update: [state]", "update: [state, email]", 1)
		labelled = strings.Replace(labelled, "labels:", "admits: [pii]\nlabels:", 1)
		old := declare(t, db, labelled)
		all := recorded(t, old, "const [a] = await tickets.where(t => t.id === 1); await tickets.where(t => t.id === 2).update({email: a.email})")
		for to, want := range map[string]string{"update: [state, email]": "", "update: [state]": "refused now"} {
			r, err := recorddiff.Compare(t.Context(), each(all), old, declare(t, db, strings.Replace(labelled, "update: [state, email]", to, 1)), recorddiff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(r.Left); (want == "") != (len(r.Changes) == 0) || r.Messages != 2 || len(r.Left) > 0 {
				t.Errorf("%s: %+v %s", to, r, text)
			}
		}
	})
}

// TestAllowed: what the old file refused and the new one allows is found, with the old file's words: what planning refuses, a label, and a limit.
func TestAllowed(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
		for _, c := range []struct{ from, to, program, shape, want string }{
			{"scope: org_id = $principal.org\n    columns: {id: , state", "scope: org_id = $principal.org and state = 'open'\n    columns: {id: , state", "try { await tickets.where(t => t.id === 1).update({state: 'done'}) } catch {}", "tickets.where.update of tickets", "it decides which rows you may see"},
			{"email: }", "email: {label: [pii]}}", "const a = await tickets.where(t => t.email === 'x').count(); try { await tickets.where(t => t.id === 1).update({state: 'y'}) } catch {}; return 1", "tickets.where.update of tickets", "labelled pii"},
			{"calls: 1000", "calls: 1", "await orgs.count(); try { await tickets.count() } catch {}", "tickets.count of tickets", "too many calls"},
		} {
			old := declare(t, db, strings.Replace(file, c.from, c.to, 1))
			all := recordedAny(t, old, c.program)
			r, err := recorddiff.Compare(t.Context(), each(all), old, declare(t, db, file), recorddiff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := r.Write(&b); err != nil || !strings.Contains(b.String(), c.shape+": 1 runs") || !strings.Contains(b.String(), "allowed now; refused then: ") || !strings.Contains(b.String(), c.want) || len(r.Left) > 0 {
				t.Errorf("%s: %v\n%s", c.to, err, b.String())
			}
		}
	})
}
