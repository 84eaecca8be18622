package errtree

import (
	"errors"
	"fmt"
	"testing"
)

type ring struct{}

func (ring) Error() string { return "ring" }
func (ring) Unwrap() error { return ring{} }

func TestFinite(t *testing.T) {
	deep := errors.New("x")
	for range 10 {
		deep = fmt.Errorf("y: %w", deep)
	}
	for _, c := range []struct {
		err  error
		most int
		want bool
	}{
		{nil, 0, true}, {errors.New("x"), 0, true}, {deep, 10, true}, {deep, 9, false}, {ring{}, 1000, false},
		{errors.Join(deep, nil, deep), 22, true}, {errors.Join(deep, deep), 21, false}, {errors.Join(errors.New("x"), ring{}), 1000, false},
	} {
		if got := Finite(c.err, c.most); got != c.want {
			t.Errorf("%T within %d: %v", c.err, c.most, got)
		}
	}
}
