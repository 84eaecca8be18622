package flows_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/flows"
)

func TestSelect(t *testing.T) {
	all := []exo.Flow{{Tag: "pii", From: []string{"member.email"}, To: "result", How: "no way"}, {Tag: "pii", To: "mail.send", May: true, How: "sealed"}, {Tag: "untrusted", To: "result", May: true}}
	for _, c := range []struct {
		asked string
		n     int
		fails string
	}{
		{"all", 3, ""}, {"pii", 2, ""}, {"pii mail.send", 1, ""}, {"pii,result", 1, ""}, {" untrusted  result ", 1, ""},
		{"", 0, "want a tag"}, {"a b c", 0, "want a tag"}, {"pi", 0, `nothing is labelled "pi": want one of pii, untrusted`}, {"pii chat", 0, `nothing is a way out "chat": want one of result, mail.send`},
	} {
		got, err := flows.Select(all, c.asked)
		if len(got) != c.n || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%q: %v %v", c.asked, got, err)
		}
	}
	if _, err := flows.Select(nil, "pii"); err == nil || !strings.Contains(err.Error(), "the grants have no labels, so") {
		t.Error(err)
	}
	var b strings.Builder
	if err := flows.Write(&b, nil); err != nil || !strings.HasPrefix(b.String(), "nothing is labelled") {
		t.Error(b.String(), err)
	}
	b.Reset()
	if err := flows.Write(&b, all[:2]); err != nil || b.String() != "pii (member.email)  -> result     no: no way\npii ()              -> mail.send  yes: sealed\n" {
		t.Errorf("%v\n%s", err, b.String())
	}
}
