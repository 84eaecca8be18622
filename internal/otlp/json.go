package otlp

// This file has the parts of OTLP's messages that are sent. JSON writes 64-bit numbers as texts, and IDs as hexadecimal digits.

import (
	"fmt"
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

// keyValues writes attributes. exo's are texts and numbers; an attribute of another kind is written as a text.
func keyValues(attrs []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(attrs))
	for _, a := range attrs {
		kv := keyValue{Key: string(a.Key)}
		switch a.Value.Type() {
		case attribute.INT64:
			kv.Value = map[string]any{"intValue": fmt.Sprint(a.Value.AsInt64())}
		default:
			kv.Value = map[string]any{"stringValue": a.Value.String()}
		}
		out = append(out, kv)
	}
	return out
}

func nanos(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return fmt.Sprint(t.UnixNano())
}
