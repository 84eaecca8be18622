package worker

import (
	"context"
	"testing"
)

// The program that warms a worker up works; a mistake in it would only cost time, unseen.
func TestWarm(t *testing.T) {
	p := &warmPort{}
	if out := warm(p); out.Err != nil || len(p.ids) != 0 || out.Value.Len() != 2 {
		t.Errorf("%+v, %d calls without a reply", out, len(p.ids))
	}
	if _, ok, _ := (&warmPort{}).Next(context.Background()); ok {
		t.Error("a reply to nothing")
	}
}
