package mcp

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
)

// metrics has the counts. Their labels come from fixed sets, and reveal nothing about a principal, a program or a row.
type metrics struct {
	requests atomic.Int64 // how many requests were admitted
	running  atomic.Int64 // how many programs are running

	mu      sync.Mutex
	refusal map[string]int64 // how many requests were refused, by reason
	ended   map[string]int64 // how many programs have ended, by the way in which they ended
	seconds [len(durations) + 1]int64
	sum     float64
}

// durations are the upper bounds of the histogram of runs, in seconds.
var durations = [...]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

func (m *metrics) refused(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refusal == nil {
		m.refusal = map[string]int64{}
	}
	m.refusal[reason]++
}

// ran counts a run, by the way in which it ended.
func (m *metrics) ran(res *codemode.Result, took time.Duration) {
	how := "done"
	if res.Err != nil {
		how = fail.KindOf(res.Err).String()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended == nil {
		m.ended = map[string]int64{}
	}
	m.ended[how]++
	i := 0
	for i < len(durations) && took.Seconds() > durations[i] {
		i++
	}
	m.seconds[i]++
	m.sum += took.Seconds()
}

// write writes the counts in the format of Prometheus.
func (m *metrics) write(w io.Writer) {
	var b bytes.Buffer
	head := func(name, kind, help string) { fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	m.mu.Lock()
	head("exo_requests_total", "counter", "Requests of the protocol that were let in.")
	fmt.Fprintf(&b, "exo_requests_total %d\n", m.requests.Load())
	head("exo_refused_total", "counter", "Requests that were refused, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(m.refusal)) {
		fmt.Fprintf(&b, "exo_refused_total{reason=%q} %d\n", reason, m.refusal[reason])
	}
	head("exo_running", "gauge", "Programs that run.")
	fmt.Fprintf(&b, "exo_running %d\n", m.running.Load())
	head("exo_runs_total", "counter", "Programs that ended, by how.")
	for _, how := range slices.Sorted(maps.Keys(m.ended)) {
		fmt.Fprintf(&b, "exo_runs_total{ended=%q} %d\n", how, m.ended[how])
	}
	head("exo_run_seconds", "histogram", "How long programs took.")
	n := int64(0)
	for i, le := range durations {
		n += m.seconds[i]
		fmt.Fprintf(&b, "exo_run_seconds_bucket{le=\"%g\"} %d\n", le, n)
	}
	n += m.seconds[len(durations)]
	fmt.Fprintf(&b, "exo_run_seconds_bucket{le=\"+Inf\"} %d\nexo_run_seconds_sum %g\nexo_run_seconds_count %d\n", n, m.sum, n)
	m.mu.Unlock()
	w.Write(b.Bytes())
}
