package otlp_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/exoagent/exoagent/internal/otlp"
)

// collector is a collector's receiver: its library reads what arrives.
type collector struct {
	*httptest.Server
	status int

	mu      sync.Mutex
	bytes   strings.Builder // all that arrived, headers included
	traces  []ptrace.Traces
	metrics []pmetric.Metrics
	bad     []string
}

func collect(t testing.TB) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		fmt.Fprintf(&c.bytes, "%s %v\n%s\n", r.URL, r.Header, body)
		var err error
		switch r.URL.Path {
		case "/v1/traces":
			req := ptraceotlp.NewExportRequest()
			err = req.UnmarshalJSON(body)
			c.traces = append(c.traces, req.Traces())
		case "/v1/metrics":
			req := pmetricotlp.NewExportRequest()
			err = req.UnmarshalJSON(body)
			c.metrics = append(c.metrics, req.Metrics())
		default:
			err = fmt.Errorf("path %s", r.URL.Path)
		}
		if err != nil || r.Header.Get("Content-Type") != "application/json" || r.Method != http.MethodPost {
			c.bad = append(c.bad, fmt.Sprint(err, r.Method, r.Header))
		}
		w.WriteHeader(cmp.Or(c.status, http.StatusOK))
	}))
	t.Cleanup(c.Close)
	return c
}

func start(t testing.TB, failed func(error)) *otlp.Export {
	t.Helper()
	x, err := otlp.Start(context.Background(), otlp.Options{Service: "shop", Version: "v1", Failed: failed})
	if err != nil || x == nil {
		t.Fatal(x, err)
	}
	return x
}

// TestCollectorReads: a collector's own library reads from our JSON what the SDK was told: ids, parents, kinds, times, attributes, and each kind of metric
// that exo has.
func TestCollectorReads(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20token, x-scope=a")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	x := start(t, func(err error) { t.Error(err) })
	tracer, meter := x.Tracer.Tracer("tested", trace.WithInstrumentationVersion("v2")), x.Meter.Meter("tested")
	ctx, outer := tracer.Start(t.Context(), "outer", trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("text", "a\"\n\x00\xffb"), attribute.Int64("int", -1<<53-1), attribute.StringSlice("list", []string{"a"})))
	_, inner := tracer.Start(ctx, "inner", trace.WithLinks(trace.Link{SpanContext: outer.SpanContext()}))
	inner.SetStatus(codes.Error, "why")
	inner.End()
	outer.SetStatus(codes.Ok, "")
	outer.End()
	count, _ := meter.Int64Counter("count", metric.WithUnit("{x}"), metric.WithDescription("counts"))
	count.Add(ctx, 3, metric.WithAttributes(attribute.String("kind", "limit")))
	took, _ := meter.Float64Histogram("took", metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(1, 2))
	for _, s := range []float64{0.5, 1.5, 9} {
		took.Record(ctx, s)
	}
	gauge, _ := meter.Int64Gauge("gauge")
	gauge.Record(ctx, 0)
	if err := x.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(c.bad) > 0 || len(c.traces) != 1 || len(c.metrics) != 1 {
		t.Fatal(c.bad, len(c.traces), len(c.metrics))
	}
	if sent := c.bytes.String(); !strings.Contains(sent, "Authorization:[Bearer token]") || !strings.Contains(sent, "X-Scope:[a]") {
		t.Errorf("the headers are not sent: %s", sent)
	}
	rs := c.traces[0].ResourceSpans().At(0)
	about := rs.Resource().Attributes().AsRaw()
	if about["service.name"] != "shop" || about["service.version"] != "v1" || about["deployment.environment.name"] != "test" || about["telemetry.sdk.language"] != "go" {
		t.Error(about)
	}
	for name := range about {
		if strings.HasPrefix(name, "process.") || strings.HasPrefix(name, "host.") {
			t.Errorf("%s tells of the machine", name)
		}
	}
	ss := rs.ScopeSpans().At(0)
	if ss.Scope().Name() != "tested" || ss.Scope().Version() != "v2" || ss.Spans().Len() != 2 {
		t.Fatal(ss.Scope().Name(), ss.Scope().Version(), ss.Spans().Len())
	}
	in, out := ss.Spans().At(0), ss.Spans().At(1)
	if in.Name() != "inner" || in.Kind() != ptrace.SpanKindInternal || in.ParentSpanID() != out.SpanID() || in.TraceID() != out.TraceID() || out.SpanID().String() != outer.SpanContext().SpanID().String() ||
		in.Status().Code() != ptrace.StatusCodeError || in.Status().Message() != "why" || in.Links().At(0).SpanID() != out.SpanID() ||
		in.StartTimestamp() < out.StartTimestamp() || in.EndTimestamp() > out.EndTimestamp() {
		t.Error(c.bytes.String())
	}
	if got := out.Attributes().AsRaw(); out.Kind() != ptrace.SpanKindServer || out.Status().Code() != ptrace.StatusCodeOk || !out.ParentSpanID().IsEmpty() || got["text"] != "a\"\n\x00�b" || got["int"] != int64(-1<<53-1) || got["list"] != `["a"]` {
		t.Errorf("%v: %#v", out.Kind(), got)
	}
	checkMetrics(t, c.metrics[0])
}

func checkMetrics(t *testing.T, all pmetric.Metrics) {
	t.Helper()
	found := map[string]pmetric.Metric{}
	for _, m := range []pmetric.MetricSlice{all.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()} {
		for i := range m.Len() {
			found[m.At(i).Name()] = m.At(i)
		}
	}
	if len(found) != 3 {
		t.Fatal(found)
	}
	n := found["count"].Sum()
	if p := n.DataPoints().At(0); !n.IsMonotonic() || n.AggregationTemporality() != pmetric.AggregationTemporalityCumulative || p.IntValue() != 3 || p.Attributes().AsRaw()["kind"] != "limit" || p.StartTimestamp() == 0 || found["count"].Unit() != "{x}" || found["count"].Description() != "counts" {
		t.Error("count")
	}
	h := found["took"].Histogram()
	if p := h.DataPoints().At(0); h.AggregationTemporality() != pmetric.AggregationTemporalityCumulative || p.Count() != 3 || p.Sum() != 11 || fmt.Sprint(p.BucketCounts().AsRaw(), p.ExplicitBounds().AsRaw()) != "[1 1 1] [1 2]" {
		t.Error("took")
	}
	if p := found["gauge"].Gauge().DataPoints().At(0); p.ValueType() != pmetric.NumberDataPointValueTypeInt || p.IntValue() != 0 {
		t.Error("gauge")
	}
}

// TestEnvironment: nothing is exported unless an endpoint is set; what is wrong is an error that names the variable, and nothing of its value that may be
// a secret.
func TestEnvironment(t *testing.T) {
	const secret = "s3cret"
	all := "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 "
	for _, c := range []struct{ env, want string }{
		{"", "nothing"},
		{"OTEL_SERVICE_NAME=x", "nothing"},
		{all, "traces metrics"},
		{all + "OTEL_SDK_DISABLED=TRUE", "nothing"},
		{all + "OTEL_TRACES_EXPORTER=none", "metrics"},
		{all + "OTEL_METRICS_EXPORTER=none OTEL_TRACES_EXPORTER=otlp", "traces"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://c.example/x", "traces"},
		{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=https://c.example", "metrics"},
		{all + "OTEL_TRACES_EXPORTER=zipkin", `OTEL_TRACES_EXPORTER is "zipkin", and exo exports only by otlp: set otlp, or none to export nothing`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=127.0.0.1:4318", "OTEL_EXPORTER_OTLP_ENDPOINT: want a URL like http://127.0.0.1:4318"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=ftp://u:" + secret + "@h", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: want a URL like http://127.0.0.1:4318"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://u:" + secret + "@h:x", "OTEL_EXPORTER_OTLP_ENDPOINT: want a URL like http://127.0.0.1:4318"},
		{all + "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", and exo sends only http/json, to the same port as http/protobuf (4318): set http/json, or unset the variable`},
		{all + "OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/json", "traces metrics"},
		{all + "OTEL_EXPORTER_OTLP_TIMEOUT=10s", `OTEL_EXPORTER_OTLP_TIMEOUT is "10s": want a whole number of milliseconds, like 10000`},
		{all + "OTEL_EXPORTER_OTLP_HEADERS=" + secret, "OTEL_EXPORTER_OTLP_HEADERS: want NAME=VALUE, and commas between several"},
		{all + "OTEL_EXPORTER_OTLP_METRICS_HEADERS=a=%zz" + secret, "OTEL_EXPORTER_OTLP_METRICS_HEADERS: want NAME=VALUE, and commas between several"},
		{all + "OTEL_RESOURCE_ATTRIBUTES=" + secret, "OTEL_RESOURCE_ATTRIBUTES: want NAME=VALUE, and commas between several"},
	} {
		t.Run(c.env, func(t *testing.T) {
			for _, kv := range strings.Fields(c.env) {
				name, text, _ := strings.Cut(kv, "=")
				t.Setenv(name, text)
			}
			x, err := otlp.Start(t.Context(), otlp.Options{Service: "shop"})
			got := "nothing"
			switch {
			case err != nil:
				got = err.Error()
			case x != nil && x.Tracer != nil && x.Meter != nil:
				got = "traces metrics"
			case x != nil && x.Tracer != nil:
				got = "traces"
			case x != nil && x.Meter != nil:
				got = "metrics"
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if x != nil {
				ended, stop := context.WithCancel(t.Context())
				stop() // nothing is to be sent to these addresses
				_ = x.Shutdown(ended)
			}
		})
	}
}

// TestCollectorFails: what a collector answers, and its address, are in no error; a redirect gets no headers; the host goes on.
func TestCollectorFails(t *testing.T) {
	const secret = "s3cret"
	other := collect(t)
	for name, h := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusForbidden) },
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/"+secret, http.StatusTemporaryRedirect)
		},
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(h)
			defer srv.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", strings.Replace(srv.URL, "http://", "http://u:"+secret+"@", 1)+"/"+secret)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization="+secret)
			var mu sync.Mutex
			var errs []string
			x := start(t, func(err error) { mu.Lock(); defer mu.Unlock(); errs = append(errs, err.Error()) })
			_, span := x.Tracer.Tracer("x").Start(t.Context(), "x")
			span.End()
			if err := x.Shutdown(t.Context()); err != nil {
				errs = append(errs, err.Error())
			}
			if all := strings.Join(errs, "\n"); !strings.Contains(all, "otlp: the collector ") || strings.Contains(all, secret) || strings.Contains(all, "127.0.0.1") && name != "hangs up" {
				t.Errorf("the errors are %q", all)
			}
		})
	}
	if other.bytes.Len() > 0 {
		t.Errorf("a redirect was followed: %s", other.bytes.String())
	}
}
