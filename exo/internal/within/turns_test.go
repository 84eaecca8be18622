package within

import "testing"

// A turn that is given back while it is waited for is nobody's, and each one that
// was had goes to the next.
func TestTurnsGivenBack(t *testing.T) {
	ready := func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	ts := NewTurns(1)
	a, b, c := ts.Enter(), ts.Enter(), ts.Enter()
	if !ready(a) || ready(b) || ready(c) {
		t.Fatal("not one at a time")
	}
	if ts.Leave(b); ready(c) {
		t.Error("who did not wait to the end gave away a turn that was another's")
	}
	if ts.Leave(a); !ready(c) {
		t.Error("the next has no turn")
	}
	if ts.Leave(c); !ready(ts.Enter()) {
		t.Error("the last turn is lost")
	}
}
