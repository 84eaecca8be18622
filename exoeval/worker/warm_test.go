package worker

import (
	"context"
	"testing"
)

// The program that warms a worker up works; a mistake in it would only cost time, unseen.
func TestWarm(t *testing.T) {
	if out := warm(); out.Err != nil || out.Console == "" || out.Value.Len() != 5 {
		t.Errorf("%+v", out)
	}
	if _, ok, _ := (&warmPort{}).Next(context.Background()); ok {
		t.Error("a reply to nothing")
	}
}
