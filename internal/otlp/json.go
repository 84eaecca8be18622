package otlp

// This file has the messages of OTLP as far as they are sent. JSON writes 64-bit numbers as texts, and IDs as hexadecimal digits.

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
)

type (
	about struct {
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	keyValue struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

func aboutOf(r *resource.Resource) about { return about{keyValues(r.Attributes())} }

// keyValues writes attributes. Ours are texts and numbers; those of another kind are written as texts.
func keyValues(attrs []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(attrs))
	for _, a := range attrs {
		kv := keyValue{Key: string(a.Key)}
		switch a.Value.Type() {
		case attribute.INT64:
			kv.Value = map[string]any{"intValue": number(a.Value.AsInt64())}
		case attribute.FLOAT64:
			kv.Value = map[string]any{"doubleValue": a.Value.AsFloat64()}
		case attribute.BOOL:
			kv.Value = map[string]any{"boolValue": a.Value.AsBool()}
		default:
			kv.Value = map[string]any{"stringValue": a.Value.String()}
		}
		out = append(out, kv)
	}
	return out
}

func number[N int64 | uint64](n N) string {
	if n < 0 {
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatUint(uint64(n), 10)
}

func nanos(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return number(t.UnixNano())
}
