package codemode_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// A tool that was not told otherwise runs programs where they can't end the
// host; another evaluator is a choice that has to be written.
func TestHostSurvives(t *testing.T) {
	grants := codemode.Grants(testutil.Tenant(testutil.Open(t), testutil.Acme))
	tool, err := codemode.New(grants, nil)
	if err != nil {
		t.Fatal(err)
	}
	// In process this ends all tests of the package.
	if r := tool.Run(t.Context(), "'a'.repeat(2**36)"); fail.KindOf(r.Err) != fail.Limit || !strings.Contains(fail.GuestText(r.Err), "64 MiB") {
		t.Errorf("%v", r.Err)
	}
	local, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []*codemode.Tool{tool, local} {
		if r := tool.Run(t.Context(), "api.org.projects().count()"); r.Err != nil || string(r.JSON) == "" {
			t.Errorf("%v", r.Err)
		}
	}
}

// evaluator is where programs of a test run.
func evaluator(inProcess bool) exoeval.Evaluator {
	if inProcess {
		return exoeval.InProcess{}
	}
	return worker.Shared()
}
