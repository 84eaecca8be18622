package arena

import (
	"context"
	"maps"
	"slices"
)

// byHost is who throws the kill switch by hand.
const byHost = "host"

// Stop is the kill switch: what is played is stopped, and nothing more is taken. by
// says who throws it, and the game goes on when nobody holds it any more.
func (ar *Arena) Stop(by string, on bool) {
	ar.stopping.Lock()
	defer ar.stopping.Unlock()
	had := len(ar.stopped)
	if ar.stopped == nil {
		ar.stopped = map[string]bool{}
	}
	if delete(ar.stopped, by); on {
		ar.stopped[by] = true
	}
	for _, q := range ar.lines() {
		switch {
		case had == 0 && len(ar.stopped) > 0:
			q.Pause()
		case had > 0 && len(ar.stopped) == 0:
			q.Resume()
		}
	}
	if stopped := len(ar.stopped) > 0; stopped != (had > 0) {
		ar.Log.Warn("the kill switch", "stopped", stopped, "by", by)
	}
}

// StoppedBy are those who hold the kill switch, in order.
func (ar *Arena) StoppedBy() []string {
	ar.stopping.Lock()
	defer ar.stopping.Unlock()
	return slices.Sorted(maps.Keys(ar.stopped))
}

// StopByHand is Stop by the host, which a restart does not undo.
func (ar *Arena) StopByHand(ctx context.Context, on bool) error {
	if on {
		ar.Stop(byHost, true) // whether or not it can be kept
	}
	if err := ar.Store.SetStopped(ctx, on); err != nil {
		return err
	}
	ar.Stop(byHost, on)
	return nil
}

// Restore stops the game if it was stopped by hand when the last process ended.
func (ar *Arena) Restore(ctx context.Context) (stopped bool, err error) {
	if stopped, err = ar.Store.Stopped(ctx); stopped {
		ar.Stop(byHost, true)
	}
	return stopped, err
}
