package otlp

// This file writes metrics.

import (
	"context"
	"fmt"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/exoagent/exoagent/internal/scalar"
)

// measures is the exporter of metrics.
type measures struct{ to *sender }

var _ sdk.Exporter = (*measures)(nil)

type (
	metricsRequest struct {
		ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
	}
	resourceMetrics struct {
		Resource     about          `json:"resource"`
		ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
	}
	scopeMetrics struct {
		Scope   scope     `json:"scope"`
		Metrics []measure `json:"metrics"`
	}
	measure struct {
		Name        string  `json:"name"`
		Description string  `json:"description,omitempty"`
		Unit        string  `json:"unit,omitempty"`
		Gauge       *points `json:"gauge,omitempty"`
		Sum         *points `json:"sum,omitempty"`
		Histogram   *points `json:"histogram,omitempty"`
	}
	points struct {
		DataPoints  []point `json:"dataPoints"`
		Temporality int     `json:"aggregationTemporality,omitempty"`
		Monotonic   bool    `json:"isMonotonic,omitempty"`
	}
	point struct {
		Attributes []keyValue `json:"attributes,omitempty"`
		Start      string     `json:"startTimeUnixNano"`
		Time       string     `json:"timeUnixNano"`
		Int        string     `json:"asInt,omitempty"`
		Count      string     `json:"count,omitempty"`
		Sum        *float64   `json:"sum,omitempty"`
		Buckets    []string   `json:"bucketCounts,omitempty"`
		Bounds     []float64  `json:"explicitBounds,omitempty"`
	}
)

// cumulative is the temporality of all sums: each export has everything since the start.
const cumulative = 2

// Temporality implements sdk.Exporter.
func (*measures) Temporality(sdk.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}

// Aggregation implements sdk.Exporter.
func (*measures) Aggregation(k sdk.InstrumentKind) sdk.Aggregation {
	return sdk.DefaultAggregationSelector(k)
}

// ForceFlush implements sdk.Exporter. Export sends at once, so nothing is left to send.
func (*measures) ForceFlush(context.Context) error { return nil }

// Shutdown implements sdk.Exporter.
func (*measures) Shutdown(context.Context) error { return nil }

// Export implements sdk.Exporter. It sends only the kinds of metrics that exo has, and skips others.
func (x *measures) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	of := resourceMetrics{Resource: aboutOf(all.Resource)}
	for _, sm := range all.ScopeMetrics {
		out := scopeMetrics{Scope: scope{sm.Scope.Name, sm.Scope.Version}}
		for _, m := range sm.Metrics {
			if w, ok := measureOf(m); ok {
				out.Metrics = append(out.Metrics, w)
			}
		}
		of.ScopeMetrics = append(of.ScopeMetrics, out)
	}
	return x.to.send(ctx, metricsRequest{[]resourceMetrics{of}})
}

func measureOf(m metricdata.Metrics) (measure, bool) {
	out := measure{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch d := m.Data.(type) {
	case metricdata.Gauge[int64]:
		out.Gauge = &points{DataPoints: numbers(d.DataPoints)}
	case metricdata.Sum[int64]:
		out.Sum = &points{numbers(d.DataPoints), cumulative, d.IsMonotonic}
	case metricdata.Histogram[float64]:
		out.Histogram = &points{DataPoints: buckets(d.DataPoints), Temporality: cumulative}
	default:
		return measure{}, false
	}
	return out, true
}

func numbers(from []metricdata.DataPoint[int64]) []point {
	return scalar.Each(from, func(p metricdata.DataPoint[int64]) point {
		return point{Attributes: keyValues(p.Attributes.ToSlice()), Start: nanos(p.StartTime), Time: nanos(p.Time), Int: fmt.Sprint(p.Value)}
	})
}

func buckets(from []metricdata.HistogramDataPoint[float64]) []point {
	return scalar.Each(from, func(p metricdata.HistogramDataPoint[float64]) point {
		counts := scalar.Each(p.BucketCounts, func(n uint64) string { return fmt.Sprint(n) })
		return point{Attributes: keyValues(p.Attributes.ToSlice()), Start: nanos(p.StartTime), Time: nanos(p.Time), Count: fmt.Sprint(p.Count), Sum: &p.Sum, Buckets: counts, Bounds: p.Bounds}
	})
}
