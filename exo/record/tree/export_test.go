package tree

// Crash leaves the files as a process does that is killed.
func (l *Log) Crash() { l.crash() }

// crash leaves the files as a process does that is killed.
func (l *Log) crash() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = errClosed
	if l.witness != nil {
		l.witness.stop()
	}
	l.f.Close()
	l.unlock()
}
