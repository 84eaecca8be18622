package telemetry_test

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/exoagent/exoagent/exo/telemetry"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkRun is a program with one message and one statement, without telemetry, with providers that keep nothing, and with the SDK, which makes
// three spans and throws them away.
func BenchmarkRun(b *testing.B) {
	tool := pagesTool(b, tu.SQLite)
	off, err := telemetry.New(telemetry.Options{})
	if err != nil {
		b.Fatal(err)
	}
	sdk, err := telemetry.New(telemetry.Options{TracerProvider: trace.NewTracerProvider(trace.WithBatcher(discard{})), MeterProvider: metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
	}{{"without", b.Context()}, {"noop", off.In(b.Context())}, {"sdk", sdk.In(b.Context())}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if res := tool.Run(c.ctx, "pages.count()"); res.Err != nil {
					b.Fatal(res.Err)
				}
			}
		})
	}
}

type discard struct{}

func (discard) ExportSpans(context.Context, []trace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                          { return nil }
