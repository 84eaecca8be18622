package mcp

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// metrics counts the requests of a server. Package exo/telemetry counts programs, and measures how long they take.
type metrics struct {
	requests atomic.Int64 // how many requests were admitted

	mu      sync.Mutex
	refusal map[string]int64 // how many requests were refused, by reason, which is one of a few fixed words
}

func (m *metrics) refused(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refusal == nil {
		m.refusal = map[string]int64{}
	}
	m.refusal[reason]++
}

// write writes the counts in the format of Prometheus.
func (m *metrics) write(w io.Writer) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# HELP exo_requests_total Requests of the protocol that were let in.\n# TYPE exo_requests_total counter\nexo_requests_total %d\n", m.requests.Load())
	b.WriteString("# HELP exo_refused_total Requests that were refused, by reason.\n# TYPE exo_refused_total counter\n")
	m.mu.Lock()
	for _, reason := range slices.Sorted(maps.Keys(m.refusal)) {
		fmt.Fprintf(&b, "exo_refused_total{reason=%q} %d\n", reason, m.refusal[reason])
	}
	m.mu.Unlock()
	w.Write(b.Bytes())
}
