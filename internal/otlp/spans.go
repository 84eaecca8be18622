package otlp

// This file writes spans.

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// spans is the exporter of spans.
type spans struct{ to *sender }

var _ sdk.SpanExporter = (*spans)(nil)

type (
	tracesRequest struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   about        `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	span struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		Parent     string     `json:"parentSpanId,omitempty"`
		State      string     `json:"traceState,omitempty"`
		Flags      uint32     `json:"flags,omitempty"`
		Name       string     `json:"name"`
		Kind       int        `json:"kind"`
		Start      string     `json:"startTimeUnixNano"`
		End        string     `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes,omitempty"`
		Links      []link     `json:"links,omitempty"`
		Status     status     `json:"status"`
	}
	link struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	status struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
)

// Shutdown implements sdk.SpanExporter. ExportSpans sends each batch at once, so nothing is left to send.
func (*spans) Shutdown(context.Context) error { return nil }

// ExportSpans implements sdk.SpanExporter. The spans of a provider have one resource.
func (x *spans) ExportSpans(ctx context.Context, all []sdk.ReadOnlySpan) error {
	if len(all) == 0 {
		return nil
	}
	of := resourceSpans{Resource: aboutOf(all[0].Resource())}
	at := map[scope]int{}
	for _, s := range all {
		sc := scope{s.InstrumentationScope().Name, s.InstrumentationScope().Version}
		i, ok := at[sc]
		if !ok {
			i = len(of.ScopeSpans)
			at[sc], of.ScopeSpans = i, append(of.ScopeSpans, scopeSpans{Scope: sc})
		}
		of.ScopeSpans[i].Spans = append(of.ScopeSpans[i].Spans, spanOf(s))
	}
	return x.to.send(ctx, tracesRequest{[]resourceSpans{of}})
}

// kinds maps the SDK's kinds of spans to OTLP's numbers.
var kinds = map[trace.SpanKind]int{trace.SpanKindInternal: 1, trace.SpanKindServer: 2, trace.SpanKindClient: 3, trace.SpanKindProducer: 4, trace.SpanKindConsumer: 5}

// statuses maps the SDK's codes to OTLP's numbers, which differ.
var statuses = map[codes.Code]int{codes.Ok: 1, codes.Error: 2}

func spanOf(s sdk.ReadOnlySpan) span {
	of := s.SpanContext()
	out := span{TraceID: of.TraceID().String(), SpanID: of.SpanID().String(), State: of.TraceState().String(), Flags: uint32(of.TraceFlags()), Name: s.Name(), Kind: kinds[s.SpanKind()],
		Start: nanos(s.StartTime()), End: nanos(s.EndTime()), Attributes: keyValues(s.Attributes()), Status: status{statuses[s.Status().Code], s.Status().Description}}
	if p := s.Parent(); p.SpanID().IsValid() {
		out.Parent = p.SpanID().String()
	}
	for _, l := range s.Links() {
		out.Links = append(out.Links, link{l.SpanContext.TraceID().String(), l.SpanContext.SpanID().String(), keyValues(append([]attribute.KeyValue(nil), l.Attributes...))})
	}
	return out
}
