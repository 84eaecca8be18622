package telemetry_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/telemetry"
	"github.com/exoagent/exoagent/exoeval"
)

// A host's tracer gets a span for a program and for its message. What the program writes or reads is in none.
func Example() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	spans := tracetest.NewInMemoryExporter() // a real host: otlptracehttp.New, and trace.WithBatcher below
	tracer := trace.NewTracerProvider(trace.WithSyncer(spans))
	seen, err := telemetry.New(telemetry.Options{TracerProvider: tracer}) // and MeterProvider, Programs, Approvals
	must(err)

	crm, err := service.New("crm", "customers", service.Read("find", "finds a customer", func(ctx context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		_, span := tracer.Tracer("crm").Start(ctx, "look up") // in the span of the message
		defer span.End()
		return "customer 7", nil
	}))
	must(err)
	tool, err := codemode.New(codemode.Grants{"crm": crm}, &codemode.Options{Evaluator: exoeval.InProcess{}})
	must(err)

	res := tool.Run(seen.In(context.Background()), `crm.find({ name: 'Ann' })`)
	fmt.Println(string(res.JSON), res.Err)
	for _, s := range spans.GetSpans() {
		fmt.Println(s.Name)
	}
	// Output:
	// "customer 7" <nil>
	// look up
	// Crm.find
	// run execute
}
