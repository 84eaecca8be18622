package worker

import (
	"context"
	"testing"
)

// The program that warms a worker up works; a mistake in it would only cost time, unseen.
func TestWarm(t *testing.T) {
	p := &warmPort{}
	if out := warm(p); out.Err != nil || p.logged != 1 || out.Value.Len() != 5 {
		t.Errorf("%+v, %d lines", out, p.logged)
	}
	if _, ok, _ := (&warmPort{}).Next(context.Background()); ok {
		t.Error("a reply to nothing")
	}
}
