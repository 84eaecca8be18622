package exoeval_test

import (
	"reflect"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// A negative bound is the default, never none; and each is in the record of a run.
func TestBounds(t *testing.T) {
	negative := exoeval.Bounds{}
	for v, i := reflect.ValueOf(&negative).Elem(), 0; i < v.NumField(); i++ {
		v.Field(i).SetInt(-1)
	}
	if got := negative.OrDefault(); got != (exoeval.Bounds{}).OrDefault() {
		t.Errorf("%+v", got)
	}
	var start *exo.Start
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"box": &testutil.Box{}}, Record: exo.RecordFunc(func(e exo.Entry) error {
		if e.Step == exo.Begun {
			start = e.Start
		}
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	bounds := exoeval.Bounds{CallDepth: 77}.OrDefault()
	testutil.InProcess(gate, bounds).Run(t.Context(), exoeval.Job{Program: "1"})
	v := reflect.ValueOf(bounds)
	if start == nil || len(start.Bounds) != v.NumField() {
		t.Fatalf("%+v", start)
	}
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; start.Bounds[name] != v.Field(i).Int() {
			t.Errorf("%s: %d is on record, %d held", name, start.Bounds[name], v.Field(i).Int())
		}
	}
}
