package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/telemetry"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// collected has what a host's SDK got.
type collected struct {
	*telemetry.Telemetry
	tracer *trace.TracerProvider
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
}

func collect(t testing.TB, opt telemetry.Options) *collected {
	t.Helper()
	c := &collected{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	c.tracer = trace.NewTracerProvider(trace.WithSyncer(c.spans))
	opt.TracerProvider, opt.MeterProvider = c.tracer, metric.NewMeterProvider(metric.WithReader(c.reader))
	var err error
	if c.Telemetry, err = telemetry.New(opt); err != nil {
		t.Fatal(err)
	}
	return c
}

// tree writes the spans, each below the one that it is in, in the order in which they began.
func (c *collected) tree() string {
	all := c.spans.GetSpans()
	slices.SortStableFunc(all, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	var b strings.Builder
	var write func(parent, indent string)
	write = func(parent, indent string) {
		for _, s := range all {
			if s.Parent.SpanID().String() != parent {
				continue
			}
			var attrs []string
			for _, a := range s.Attributes {
				if a.Key != "exoagent.run.id" {
					attrs = append(attrs, string(a.Key)+"="+a.Value.String())
				}
			}
			fmt.Fprintf(&b, "%s%s %s %s\n", indent, s.Name, s.SpanKind, strings.Join(attrs, " "))
			write(s.SpanContext.SpanID().String(), indent+"  ")
		}
	}
	write("0000000000000000", "")
	return b.String()
}

// metrics returns the metrics, each with its attributes and its count or value.
func (c *collected) metrics(t testing.TB) []string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := c.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	var out []string
	add := func(name string, of attribute.Set, n any) {
		out = append(out, fmt.Sprint(name, " ", of.Encoded(attribute.DefaultEncoder()), " ", n))
	}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			switch d := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, p.Count)
				}
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestApprovalsUnknown: the error of a store, which may have values, is not the SDK's to log.
func TestApprovalsUnknown(t *testing.T) {
	c := collect(t, telemetry.Options{
		Programs:  func() telemetry.Programs { return telemetry.Programs{Waiting: 7} },
		Approvals: func(context.Context) (int, error) { return 0, errors.New("CANARY") },
	})
	var all metricdata.ResourceMetrics
	if err := c.reader.Collect(t.Context(), &all); err == nil || strings.Contains(err.Error(), "CANARY") || !strings.Contains(err.Error(), "can't be counted") {
		t.Error(err)
	}
}

// TestManyTables: which tables a statement joins is for a program to choose, so it names spans and is in no metric.
func TestManyTables(t *testing.T) {
	c := collect(t, telemetry.Options{})
	for i := range 50 {
		_, end := observe.Begin(c.In(t.Context()), observe.Activity{Kind: observe.Statement, Name: "SELECT", System: "sqlite", Tables: []string{"a", fmt.Sprint("b", i)}})
		end(observe.Outcome{})
	}
	if got := c.metrics(t); len(got) != 1 || !strings.HasSuffix(got[0], " 50") || len(c.spans.GetSpans()) != 50 {
		t.Error(got)
	}
}

// TestLinked: where the host's own span is around a call, and the client names a parent, the call is below the client's and linked to the host's.
func TestLinked(t *testing.T) {
	c := collect(t, telemetry.Options{})
	ctx, around := c.tracer.Tracer("host").Start(c.In(t.Context()), "request")
	_, end := observe.Begin(ctx, observe.Activity{Kind: observe.ToolCall, Name: "execute", Parent: "00-" + traceID + "-" + spanID + "-01"})
	end(observe.Outcome{})
	s := c.spans.GetSpans()[0]
	if s.Parent.SpanID().String() != spanID || len(s.Links) != 1 || s.Links[0].SpanContext.SpanID() != around.SpanContext().SpanID() {
		t.Errorf("the parent is %v, and the links are %v", s.Parent.SpanID(), s.Links)
	}
}

type page struct {
	ID, Org int64
	Title   string
}

// pagesTool is a tool that reads and changes pages of org 1, and has a service whose method fails.
func pagesTool(t testing.TB, e tu.Engine) *codemode.Tool {
	t.Helper()
	pages := exosql.NewTable[page]("pages")
	id := exosql.NewKey(pages, "id", func(p *page) *int64 { return &p.ID })
	org := exosql.NewColumn(pages, "org_id", func(p *page) *int64 { return &p.Org })
	title := exosql.NewColumn(pages, "title", func(p *page) *string { return &p.Title })
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(`CREATE TABLE pages (id {int} PRIMARY KEY, org_id {int} NOT NULL, title TEXT NOT NULL)`, `CREATE UNIQUE INDEX one_title ON pages (org_id, title)`,
		`INSERT INTO pages VALUES (1, 1, 'CANARY-row one'), (2, 1, 'CANARY-row two'), (3, 2, 'CANARY-row three')`,
		`CREATE TABLE readers (page {int} REFERENCES pages (id) DEFERRABLE INITIALLY DEFERRED)`, `INSERT INTO readers VALUES (2)`)})
	svc, err := service.New("crm", "customers", service.Read("find", "finds one", func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "", fmt.Errorf("no customer %s: CANARY-cause", in.Name)
	}))
	if err != nil {
		t.Fatal(err)
	}
	facet := exosql.NewFacet(pages, "page", id, title).AllowUpdate(title).AllowDelete()
	tool, err := codemode.New(codemode.Grants{"pages": facet.Of(exosql.Grant(db, pages, org.Eq(1))), "crm": svc},
		&codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded, Principal: "CANARY-principal"})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestSpans: a run has a span with those of its messages and statements, below the span that the host has in its context; and what ended is counted.
func TestSpans(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := collect(t, telemetry.Options{
			Programs:  func() telemetry.Programs { return telemetry.Programs{Running: 1, Waiting: 7, Kept: 2} },
			Approvals: func(context.Context) (int, error) { return 3, nil },
		})
		tool := pagesTool(t, e)
		ctx, around := c.tracer.Tracer("host").Start(c.In(t.Context()), "request")
		for _, program := range []string{
			`await pages.where(p => p.id === 1).update({ title: 'CANARY-new' }); return pages.orderBy(p => p.id)`,
			`await pages.where(p => p.id === 1).update({ title: 'CANARY-row two' })`,
			`crm.find({ name: 'CANARY-argument' })`,
			`pages.where(p => p.nothing === 1)`,
			`pages.where(p => p.id === 2).delete()`,
		} {
			tool.Run(ctx, program)
		}
		tool.RunJob(ctx, codemode.Job{Program: `pages.where(p => p.id === 1).update({ title: 'CANARY-preview' })`, Preview: true})
		around.End()
		system := e.Pick("sqlite", "postgresql")
		on := "db.system.name=" + system + " db.operation.name="
		got := c.tree()
		for _, want := range []string{
			"request internal \n  run execute internal gen_ai.tool.name=execute\n",
			"\n      UPDATE pages client " + on + "UPDATE db.collection.name=pages db.query.summary=UPDATE pages exoagent.rows=1\n",
			"\n      SELECT pages client " + on + "SELECT db.collection.name=pages db.query.summary=SELECT pages exoagent.rows=2\n",
			" error.type=" + e.Pick("2067", "23505") + "\n",
			"\n  run execute internal gen_ai.tool.name=execute error.type=denied\n",
			"\n    COMMIT client " + on + "COMMIT db.query.summary=COMMIT\n", // in the run, not in a message
			"\n    ROLLBACK client " + on + "ROLLBACK db.query.summary=ROLLBACK\n",
			e.Pick("", "\n    SET CONSTRAINTS client "+on+"SET CONSTRAINTS db.query.summary=SET CONSTRAINTS error.type=23503\n"),
			"    Crm.find internal exoagent.interface=Crm exoagent.method=find error.type=internal\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in:\n%s", want, got)
			}
		}
		if commits, undone := strings.Count(got, " COMMIT client"), strings.Count(got, " ROLLBACK client"); commits != 1 || undone != 3 { // three: an error, a deferred rule, a preview
			t.Errorf("%d commits and %d rollbacks in:\n%s", commits, undone, got)
		}
		metrics := c.metrics(t)
		for _, want := range []string{
			"db.client.operation.duration db.operation.name=COMMIT,db.system.name=" + system + " 1",
			"exoagent.approvals.waiting  3", "exoagent.programs exoagent.state=waiting 7", "exoagent.workers exoagent.state=kept 2",
			"exoagent.run.duration gen_ai.tool.name=execute 2", "exoagent.run.duration error.type=internal,gen_ai.tool.name=execute 1", "exoagent.refusals error.type=internal 1",
		} {
			if !slices.Contains(metrics, want) {
				t.Errorf("no %q in:\n%s", want, strings.Join(metrics, "\n"))
			}
		}
		if all := got + strings.Join(metrics, "\n"); strings.Contains(all, "CANARY") {
			t.Errorf("a value, an argument, a principal or a cause is exported:\n%s", all)
		}
		for _, s := range c.spans.GetSpans() {
			if len(s.Events) > 0 || s.Status.Description != "" {
				t.Errorf("%s has %v and %q", s.Name, s.Events, s.Status.Description)
			}
		}
	})
}
