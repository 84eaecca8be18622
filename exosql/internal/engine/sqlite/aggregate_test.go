package sqlite

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// A list takes no more when it is too long, and what is no text contradicts what is declared.
func TestListStops(t *testing.T) {
	l := &list{}
	for range 4 {
		l.Add(strings.Repeat("x", sqlast.MaxCollected/2))
	}
	if !l.Full() || len(l.json) > 2*sqlast.MaxCollected {
		t.Error(len(l.json), "bytes are held")
	}
	for _, x := range []any{int64(1), 1.5, []byte("x"), "\xff"} {
		l := &list{}
		l.Add("a")
		l.Add(x)
		if v, _ := l.Value().(string); strings.HasPrefix(v, "[") {
			t.Errorf("%v is in a list: %s", x, v)
		}
	}
}
