package checks_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo/exotest"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Facets keep to what the gate relies on, for every table of the tests' grants; and
// exotest builds the messages that Conform can't: those with callbacks.
func TestConform(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		grants := tu.Tenant(e.Open(t), 1)
		delete(grants, "box") // which panics where it is told to
		for name, o := range grants {
			t.Run(name, func(t *testing.T) { exotest.Conform(t, o) })
		}
		v, err := exotest.On(t, grants["org"]).Call("where", func(ns *exotest.Chain) *exotest.Chain {
			return ns.Field("org").Field("id").Call("gt", 0)
		}).Call("count").Send()
		if err != nil || v.Int() != 1 {
			t.Errorf("%v, %v", v, err)
		}
	})
}
