package errtree

import (
	"errors"
	"fmt"
	"testing"
)

// TestWithout: only the text at the end is left out, and the result wraps all that the error wraps.
func TestWithout(t *testing.T) {
	mark, cause := errors.New("nothing was done"), errors.New("the key exists")
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("insert: %w: %w", cause, mark), "insert: the key exists"},
		{fmt.Errorf("insert: %w: %w", mark, cause), "insert: nothing was done: the key exists"},
		{errors.Join(mark, cause), "nothing was done\nthe key exists"},
	} {
		if got := Without(c.err, mark); got.Error() != c.want || !errors.Is(got, mark) || !errors.Is(got, cause) || !errors.Is(got, c.err) {
			t.Errorf("%v: %v, want %s with all that it wraps", c.err, got, c.want)
		}
	}
}
