package value_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
)

// TestAdmittedSources: who admits what outsiders wrote reads which source that does not cover; where each is admitted, or something has
// the tag alone, it is as it was.
func TestAdmittedSources(t *testing.T) {
	mail := value.Untrusted + ":mail"
	for _, c := range []struct {
		has, admits []string
		refused     bool
	}{
		{[]string{mail, "pii"}, []string{value.Untrusted}, true},
		{[]string{mail}, []string{value.Untrusted, mail}, false},
		{[]string{mail, value.Untrusted}, []string{value.Untrusted}, false},
		{[]string{"pii"}, []string{value.Untrusted}, false},
		{[]string{mail}, []string{"pii"}, false},
	} {
		err := value.NewLabel(c.has...).CheckAdmitted(value.NewLabel(c.admits...))
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "admit untrusted:mail instead") {
			t.Errorf("%q beside %q: %v", c.admits, c.has, err)
		}
	}
}
