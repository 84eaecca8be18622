// Package export exports the traces and metrics of exo serve as the environment asks for it.
package export

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/telemetry"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/otlp"
)

// Served has what a server counts.
type Served struct {
	Version string
	Pool    *worker.Pool
	Keeper  *review.Keeper // nil: no change waits for a person
	Failed  func(error)    // Failed is called with each export that fails
}

// Start returns a context in which calls are exported. Call stop when the server has ended. If the environment sets no endpoint, nothing is exported.
func Start(ctx context.Context, s Served) (with context.Context, stop func(), err error) {
	x, err := otlp.Start(ctx, otlp.Options{Service: cli.ProgramName, Version: s.Version, Failed: s.Failed})
	if err != nil || x == nil {
		return ctx, func() {}, err
	}
	opt := telemetry.Options{Programs: func() telemetry.Programs { return telemetry.Programs(s.Pool.Stats()) }}
	if s.Keeper != nil {
		opt.Approvals = s.Keeper.Waiting
	}
	if x.Tracer != nil { // a nil *TracerProvider in the interface would not be nil
		opt.TracerProvider = x.Tracer
	}
	if x.Meter != nil {
		opt.MeterProvider = x.Meter
	}
	t, err := telemetry.New(opt)
	if err != nil {
		return ctx, func() {}, err
	}
	return t.In(ctx), func() {
		late, end := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer end()
		if err := x.Shutdown(late); err != nil {
			s.Failed(err)
		}
	}, nil
}
