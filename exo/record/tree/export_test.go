package tree

// Crash leaves the files as a process does that is killed.
func (l *Log) Crash() { l.crash() }

// crash leaves the files as a process does that is killed.
func (l *Log) crash() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = errClosed
	l.witness.stop()
	l.f.Close()
	l.unlock()
}

// Witness is a witness over HTTP, for tests of logs in a database.
type Witness = httpWitness

// NewWitness makes one.
var NewWitness = newHTTPWitness

// Place names the witness for a log.
func (w *httpWitness) Place() string { return w.place() }

// Set sets what the witness has, and returns what it had.
func (w *httpWitness) Set(size int64, root Hash) (int64, Hash) { return w.set(size, root, nil) }
