package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exoeval"
)

// TestToolsForAPerson: a person is shown all tools, also those that nobody lists, with the digest of those that are used. A pin is no obstacle.
func TestToolsForAPerson(t *testing.T) {
	s := declared(t, true, "honest")
	s.Pin = pinOf(t, s)
	tools, digest, err := mcpclient.Tools(t.Context(), s)
	if err != nil || digest != s.Pin || !strings.Contains(string(tools), "nobody listed it") {
		t.Errorf("%s %s %v", tools, digest, err)
	}
	s.Reads = []string{"echo", "missing"} // a person who looks for the right name needs the list
	if tools, digest, err := mcpclient.Tools(t.Context(), s); err != nil || digest == s.Pin || !strings.Contains(string(tools), "nobody listed it") {
		t.Errorf("%s %s %v", tools, digest, err)
	}
}

// TestApprove: a call that a person must agree to waits; a call that needs nobody is made; and without anybody to ask the server can't be granted.
func TestApprove(t *testing.T) {
	for _, c := range []struct {
		approve []string
		program string
		want    fail.Kind
	}{
		{[]string{"post-it"}, "await api.desk.post_it({ text: 'x' }); return 1", fail.Pending},
		{[]string{"post-it"}, "await api.desk.echo({ text: 'x' }); return 1", fail.Other},
		{nil, "await api.desk.post_it({ text: 'x' }); return 1", fail.Other},
	} {
		s := declared(t, true, "honest")
		s.Approve = c.approve
		o := pinned(t, s)
		tool, err := codemode.New(codemode.Grants{"desk": o}, &codemode.Options{Record: exo.Unrecorded, Principal: "ann", Review: review.InMemory(), Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		if r := tool.Run(t.Context(), c.program); fail.KindOf(r.Err) != c.want {
			t.Errorf("%v: %s: %v", c.approve, c.program, r.Err)
		}
		if _, err := codemode.New(codemode.Grants{"desk": o}, &codemode.Options{Record: exo.Unrecorded, Principal: "ann"}); (err != nil) != (c.approve != nil) {
			t.Errorf("%v: without a Reviewer: %v", c.approve, err)
		}
	}
	var none *mcpclient.Object
	if none.MayAsk() {
		t.Error("the zero Object asks")
	}
}
