// Package otlp exports the traces and metrics of the OpenTelemetry SDK to a collector, by OTLP over HTTP, with JSON in place of protobuf. It reads
// the usual variables of the environment, for exo serve. Go hosts have exporters of their own.
//
// The official exporters need the libraries of protobuf and gRPC, which are 145 further packages. The binary of exo is also the worker, so it
// would initialise these packages for each program.
package otlp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// Options are the options of Start.
type Options struct {
	Service, Version string // Service is the name of the service, unless OTEL_SERVICE_NAME is set
	// Failed is called with each error of an export, from several goroutines. The error has no address, header or answer of the collector.
	Failed func(error)
}

// Export has the providers that export. Make it with Start.
type Export struct {
	Tracer *trace.TracerProvider // Tracer is nil if traces have no endpoint
	Meter  *metric.MeterProvider // Meter is nil if metrics have no endpoint
}

// Start makes the providers that the environment asks for. It returns nil if no endpoint is set, or OTEL_SDK_DISABLED is true. It reads
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS and _TIMEOUT, also as OTEL_EXPORTER_OTLP_TRACES_… and _METRICS_…, OTEL_TRACES_EXPORTER and
// OTEL_METRICS_EXPORTER (none, or otlp), OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. The SDK reads OTEL_TRACES_SAMPLER,
// OTEL_METRIC_EXPORT_INTERVAL and its like. A protocol other than http/json is an error, since nothing else is sent.
func Start(ctx context.Context, opt Options) (*Export, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	traces, err := senderOf("traces")
	if err != nil {
		return nil, err
	}
	metrics, err := senderOf("metrics")
	if err != nil || traces == nil && metrics == nil {
		return nil, err
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(attribute.String("service.name", opt.Service), attribute.String("service.version", opt.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, errors.New("OTEL_RESOURCE_ATTRIBUTES: want NAME=VALUE, and commas between several")
	}
	if opt.Failed != nil {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(opt.Failed))
	}
	x := &Export{}
	if traces != nil {
		x.Tracer = trace.NewTracerProvider(trace.WithResource(about), trace.WithBatcher(&spans{traces}))
	}
	if metrics != nil {
		x.Meter = metric.NewMeterProvider(metric.WithResource(about), metric.WithReader(metric.NewPeriodicReader(&measures{metrics})), metric.WithExemplarFilter(exemplar.AlwaysOffFilter))
	}
	return x, nil
}

// Shutdown sends what was not sent yet.
func (x *Export) Shutdown(ctx context.Context) error {
	var errs [2]error
	if x != nil && x.Tracer != nil {
		errs[0] = x.Tracer.Shutdown(ctx)
	}
	if x != nil && x.Meter != nil {
		errs[1] = x.Meter.Shutdown(ctx)
	}
	return errors.Join(errs[:]...)
}

// senderOf reads the variables of a signal: traces or metrics. It returns nil if the signal is not exported.
func senderOf(signal string) (*sender, error) {
	upper := strings.ToUpper(signal)
	read := func(what string) (name, text string) { // a variable of the signal precedes the variable for all signals
		if name = "OTEL_EXPORTER_OTLP_" + upper + "_" + what; os.Getenv(name) == "" {
			name = "OTEL_EXPORTER_OTLP_" + what
		}
		return name, os.Getenv(name)
	}
	name, endpoint := read("ENDPOINT")
	if exporter := os.Getenv("OTEL_" + upper + "_EXPORTER"); endpoint == "" || exporter == "none" {
		return nil, nil
	} else if exporter != "" && exporter != "otlp" {
		return nil, fmt.Errorf("OTEL_%s_EXPORTER is %.20q, and exo exports only by otlp: set otlp, or none to export nothing", upper, exporter)
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" { // the error leaves out the address, which may contain a password
		return nil, fmt.Errorf("%s: want a URL like http://127.0.0.1:4318", name)
	}
	if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath("v1", signal)
	} else {
		u.Path = cmp.Or(u.Path, "/")
	}
	if name, protocol := read("PROTOCOL"); protocol != "" && protocol != "http/json" {
		return nil, fmt.Errorf("%s is %.20q, and exo sends only http/json, to the same port as http/protobuf (4318): set http/json, or unset the variable", name, protocol)
	}
	s := &sender{url: u.String(), header: http.Header{}, timeout: 10 * time.Second}
	if name, text := read("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("%s is %.20q: want a whole number of milliseconds, like 10000", name, text)
		}
		s.timeout = time.Duration(ms) * time.Millisecond
	}
	name, text := read("HEADERS")
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, raw, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(raw))
		if !ok || err != nil || strings.TrimSpace(key) == "" { // the error leaves out the header, which may be a secret
			return nil, fmt.Errorf("%s: want NAME=VALUE, and commas between several", name)
		}
		s.header.Set(strings.TrimSpace(key), value)
	}
	return s, nil
}
