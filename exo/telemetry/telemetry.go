package telemetry

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/exoagent/exoagent/exo/observe"
)

// Options are the options of New. Each may be nil.
type Options struct {
	TracerProvider trace.TracerProvider // TracerProvider makes the spans; nil: there are none
	MeterProvider  metric.MeterProvider // MeterProvider makes the metrics; nil: there are none
	// Programs counts programs and workers: func() telemetry.Programs { return telemetry.Programs(pool.Stats()) }.
	Programs func() Programs
	// Approvals counts the change sets that wait for a person, like the method Waiting of a review.Keeper.
	Approvals func(context.Context) (int, error)
}

// Programs has the counts of a worker.Stats.
type Programs struct{ Running, Parked, Waiting, Idle, Starting, Kept int }

// Telemetry observes runs: it is an observe.Observer. Make it with New; several goroutines may use it.
type Telemetry struct {
	tracer                  trace.Tracer
	calls, runs, statements metric.Float64Histogram
	refusals                metric.Int64Counter
}

// scope is the name of the instrumentation.
const scope = "github.com/exoagent/exoagent/exo/telemetry"

// New makes the instruments. It fails if a provider does not make one of them.
func New(opt Options) (*Telemetry, error) {
	if opt.TracerProvider == nil {
		opt.TracerProvider = tracenoop.NewTracerProvider()
	}
	if opt.MeterProvider == nil {
		opt.MeterProvider = metricnoop.NewMeterProvider()
	}
	t, m := &Telemetry{tracer: opt.TracerProvider.Tracer(scope)}, opt.MeterProvider.Meter(scope)
	var errs [5]error
	seconds := func(i int, name, about string, bounds ...float64) (h metric.Float64Histogram) {
		h, errs[i] = m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), metric.WithExplicitBucketBoundaries(bounds...))
		return h
	}
	t.calls = seconds(0, "mcp.server.operation.duration", "How long calls of tools took.", 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
	t.runs = seconds(1, "exoagent.run.duration", "How long programs took, waiting included.", 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
	t.statements = seconds(2, "db.client.operation.duration", "How long statements took.", 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10)
	t.refusals, errs[3] = m.Int64Counter("exoagent.refusals", metric.WithUnit("{message}"), metric.WithDescription("Messages of programs that were refused or failed, by kind."))
	errs[4] = gauges(m, opt)
	return t, errors.Join(errs[:]...)
}

// gauges asks the host for counts whenever metrics are collected.
func gauges(m metric.Meter, opt Options) error {
	var all [3]metric.Int64ObservableGauge
	var errs [4]error
	for i, g := range [...][3]string{{"exoagent.programs", "{program}", "Programs that compute, wait for the host, or wait in the queue."},
		{"exoagent.workers", "{process}", "Processes that are ready, starting, or kept for their owner."},
		{"exoagent.approvals.waiting", "{change_set}", "Change sets that wait for a person."}} {
		all[i], errs[i] = m.Int64ObservableGauge(g[0], metric.WithUnit(g[1]), metric.WithDescription(g[2]))
	}
	_, errs[3] = m.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		if opt.Programs != nil {
			p := opt.Programs()
			for _, s := range []struct {
				gauge int
				state string
				n     int
			}{{0, "running", p.Running}, {0, "parked", p.Parked}, {0, "waiting", p.Waiting}, {1, "idle", p.Idle}, {1, "starting", p.Starting}, {1, "kept", p.Kept}} {
				o.ObserveInt64(all[s.gauge], int64(s.n), metric.WithAttributes(attribute.String("exoagent.state", s.state)))
			}
		}
		if opt.Approvals == nil {
			return nil
		}
		n, err := opt.Approvals(ctx)
		if err != nil {
			return errApprovals // the error of a store may contain values, and the SDK logs the error that is returned here
		}
		o.ObserveInt64(all[2], int64(n))
		return nil
	}, all[0], all[1], all[2])
	return errors.Join(errs[:]...)
}

var errApprovals = errors.New("telemetry: the waiting change sets can't be counted, because the function Approvals failed")

// In returns a context in which runs are observed.
func (t *Telemetry) In(ctx context.Context) context.Context { return observe.With(ctx, t) }

// Begin implements observe.Observer.
func (t *Telemetry) Begin(ctx context.Context, a observe.Activity) (context.Context, func(observe.Outcome)) {
	name, kind, attrs := describe(a)
	opts := []trace.SpanStartOption{trace.WithSpanKind(kind), trace.WithAttributes(attrs...)}
	if a.Kind == observe.Statement { // only spans get this name, not metrics: a program chooses which tables it joins, so there may be very many names
		opts = append(opts, trace.WithAttributes(attribute.String("db.query.summary", name)))
	}
	if a.Kind == observe.ToolCall {
		client := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": a.Parent}))
		if around := trace.SpanFromContext(ctx).SpanContext(); client.IsValid() {
			if around.IsValid() {
				opts = append(opts, trace.WithLinks(trace.Link{SpanContext: around}))
			}
			ctx = trace.ContextWithRemoteSpanContext(ctx, client)
		}
	}
	began := time.Now()
	ctx, span := t.tracer.Start(ctx, name, opts...)
	return ctx, func(out observe.Outcome) {
		if out.Error != "" {
			failed := attribute.String("error.type", out.Error)
			span.SetAttributes(failed)
			span.SetStatus(codes.Error, "")
			attrs = append(attrs, failed)
		}
		span.SetAttributes(counted(a, out)...)
		span.End()
		t.measure(ctx, a.Kind, out, time.Since(began), attrs)
	}
}

// measure adds what has ended to the metrics.
func (t *Telemetry) measure(ctx context.Context, kind observe.Kind, out observe.Outcome, took time.Duration, attrs []attribute.KeyValue) {
	with := metric.WithAttributeSet(attribute.NewSet(attrs...))
	switch kind {
	case observe.ToolCall:
		t.calls.Record(ctx, took.Seconds(), with)
	case observe.Run:
		t.runs.Record(ctx, took.Seconds(), with)
	case observe.Statement:
		t.statements.Record(ctx, took.Seconds(), with)
	case observe.Message:
		if out.Error != "" {
			t.refusals.Add(ctx, 1, metric.WithAttributes(attribute.String("error.type", out.Error)))
		}
	}
}

// describe returns the name, the kind and the attributes of a span. The metrics have the same attributes.
func describe(a observe.Activity) (string, trace.SpanKind, []attribute.KeyValue) {
	switch a.Kind {
	case observe.ToolCall:
		return "tools/call " + a.Name, trace.SpanKindServer, []attribute.KeyValue{attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", a.Name), attribute.String("gen_ai.operation.name", "execute_tool")}
	case observe.Run:
		return "run " + a.Name, trace.SpanKindInternal, []attribute.KeyValue{attribute.String("gen_ai.tool.name", a.Name)}
	case observe.Statement:
		summary := strings.Join(append([]string{a.Name}, a.Tables...), " ")
		attrs := []attribute.KeyValue{attribute.String("db.system.name", a.System), attribute.String("db.operation.name", a.Name)}
		if len(a.Tables) == 1 {
			attrs = append(attrs, attribute.String("db.collection.name", a.Tables[0]))
		}
		return summary, trace.SpanKindClient, attrs
	}
	if a.Name == "" {
		return "message", trace.SpanKindInternal, nil
	}
	return a.Interface + "." + a.Name, trace.SpanKindInternal, []attribute.KeyValue{attribute.String("exoagent.interface", a.Interface), attribute.String("exoagent.method", a.Name)}
}

// counted returns the attributes of a span that are known at its end.
func counted(a observe.Activity, out observe.Outcome) []attribute.KeyValue {
	switch {
	case a.Kind == observe.Run && out.Run != "":
		return []attribute.KeyValue{attribute.String("exoagent.run.id", out.Run)}
	case (a.Kind == observe.Message || len(a.Tables) > 0) && out.Error == "":
		return []attribute.KeyValue{attribute.Int("exoagent.rows", out.Rows)}
	}
	return nil
}
