package worker_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

func TestFirst(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	e, err := worker.New(r.Gate, nil)
	if err != nil {
		t.Fatal(err)
	}
	i, err := e.Isolation(t.Context())
	t.Log(i, err)
	for _, p := range []string{"1+1", "api.org.projects().execute()", "const r = await api.org.projects().execute(); return r.map(x=>x.name)", "api.org.nope()", "'a'.repeat(2**36)", "let a=[1]; a.length=2**32-1; a.sort(); return 1", "throw new Error('x')", "syntax("} {
		res := e.Run(t.Context(), exoeval.Job{Program: p})
		t.Log(p, res.Value, res.Err, res.Took)
	}
}
