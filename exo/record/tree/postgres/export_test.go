package postgres

import "time"

// Impatient makes groups wait for the lock, and for its holder, for a moment only.
func Impatient() (undo func()) {
	wait, old := lockWait, stuck
	lockWait, stuck = 500*time.Millisecond, 0
	return func() { lockWait, stuck = wait, old }
}

// LockKey is the advisory lock of a log.
const LockKey = lockKey
