package arena

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// byHost identifies the host as the one who turns the kill switch.
const byHost = "host"

// Stop turns the kill switch on or off in the name of by, such as "host". While any name has it on, running attempts are stopped, and no attempt is
// accepted.
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

// StoppedBy returns who has turned the kill switch on, in order.
func (ar *Arena) StoppedBy() []string {
	ar.stopping.Lock()
	defer ar.stopping.Unlock()
	return slices.Sorted(maps.Keys(ar.stopped))
}

// lastStop is the host's stop as the store had it when this process last looked.
type lastStop struct {
	mu sync.Mutex
	on bool
}

// StopByHand is Stop for the host, in all processes. A restart does not undo it.
func (ar *Arena) StopByHand(ctx context.Context, on bool) error {
	if on {
		ar.Stop(byHost, true) // stop even if the setting can't be stored
	}
	ar.lastStop.mu.Lock()
	defer ar.lastStop.mu.Unlock()
	if err := ar.Store.SetStopped(ctx, on); err != nil {
		return err
	}
	ar.lastStop.on = on
	ar.Stop(byHost, on)
	return nil
}

// ReadStop stops the game if the host has stopped it in another process, or before the last process ended. It lets the game go on when the host
// has ended that stop. A stop that could not be stored stays.
func (ar *Arena) ReadStop(ctx context.Context) (stopped bool, err error) {
	ar.lastStop.mu.Lock()
	defer ar.lastStop.mu.Unlock()
	if stopped, err = ar.Store.Stopped(ctx); err == nil && stopped != ar.lastStop.on {
		ar.lastStop.on = stopped
		ar.Stop(byHost, stopped)
	}
	return stopped, err
}
