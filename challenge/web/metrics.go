package web

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/challenge/game"
)

// metrics has counts of one process since its start, in the text format of Prometheus. The store has the all-time counters of all processes. A
// sum over processes counts those more than once, so each HELP text says whose number it is.
type metrics struct {
	limited   atomic.Int64
	questions atomic.Int64

	mu       sync.Mutex
	attempts map[[2]string]int64 // the number of attempts, by lane and kind
	seconds  map[string]float64  // the time of the attempts, by lane
	statuses map[int]int64       // the number of answers, by class: 200, 300, 400, 500
	leaks    map[string]int64    // the number of attempts that showed a key, by lane
}

// ended counts an attempt. Lanes and kinds are fixed sets, so there are few series.
func (m *metrics) ended(a *game.Attempt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.attempts == nil {
		m.attempts, m.seconds, m.leaks = map[[2]string]int64{}, map[string]float64{}, map[string]int64{}
	}
	m.attempts[[2]string{string(a.Lane), a.Verdict.Kind}]++
	m.seconds[string(a.Lane)] += a.Millis / 1000
	if a.Leaked {
		m.leaks[string(a.Lane)]++
	}
}

func (m *metrics) answered(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.statuses == nil {
		m.statuses = map[int]int64{}
	}
	m.statuses[status/100*100]++
}

func (s *Server) health(w http.ResponseWriter, r *request) error {
	if _, err := s.arena.Store.Players(r.Context()); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if s.arena.Store.Failing() {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, err := fmt.Fprintln(w, "failing: nothing can be kept")
		return err
	}
	if s.ending.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, err := fmt.Fprintln(w, "ending: ask another process")
		return err
	}
	if s.arena.Paused() {
		_, err := fmt.Fprintln(w, "paused")
		return err
	}
	_, err := fmt.Fprintln(w, "ok")
	return err
}

func (s *Server) measured(w http.ResponseWriter, r *request) error {
	if !s.o.PublicMetrics {
		return errAbsent
	}
	return s.WriteMetrics(w, r.Request)
}

// WriteMetrics writes all metrics, whether or not the public site serves them.
func (s *Server) WriteMetrics(w http.ResponseWriter, r *http.Request) error {
	counters, err := s.arena.Store.Counters(r.Context())
	if err != nil {
		return err
	}
	players, err := s.arena.Store.Players(r.Context())
	if err != nil {
		return err
	}
	held, err := s.arena.Store.Bytes(r.Context())
	if err != nil {
		return err
	}
	waiting, running := s.arena.Length()
	truth := map[bool]int{true: 1}
	var b strings.Builder
	one := func(name, kind, help string, v any) {
		fmt.Fprintf(&b, "# HELP exo_challenge_%s %s\n# TYPE exo_challenge_%[1]s %[3]s\nexo_challenge_%[1]s %[4]v\n", name, help, kind, v)
	}
	series := func(name, kind, help string, lines []string) {
		slices.Sort(lines)
		fmt.Fprintf(&b, "# HELP exo_challenge_%s %s\n# TYPE exo_challenge_%[1]s %[3]s\n", name, help, kind)
		for _, l := range lines {
			fmt.Fprintf(&b, "exo_challenge_%s%s\n", name, l)
		}
	}
	one("players", "gauge", "Players whose session lasts, of all processes: do not add up.", players)
	one("players_total", "counter", "Players of all time and all processes: do not add up.", counters["players"])
	one("attempts_all_total", "counter", "Attempts of all time and all processes: do not add up.", counters["attempts"])
	one("guarded_wins", "gauge", "Keys that came out of guarded lanes, of all time and all processes: alert on this, do not add up.", counters["wins."+string(game.Program)]+counters["wins."+string(game.Model)])
	one("queue_waiting", "gauge", "Attempts that wait for their turn in this process; /api/v1/challenge counts all processes.", waiting)
	one("queue_running", "gauge", "Attempts that this process is playing; /api/v1/challenge counts all processes.", running)
	one("paused", "gauge", "Whether the game is stopped in this process: 1 or 0.", truth[s.arena.Paused()])
	one("store_failing", "gauge", "Whether this process's last write of a record failed: 1 or 0. Alert on this.", truth[s.arena.Store.Failing()])
	one("copies", "gauge", "Databases of players that this process keeps.", s.arena.Game.Copies.Len())
	one("record_bytes", "gauge", "Size of all records of attempts, and of chats, of all processes: do not add up.", held)
	one("rate_limited_total", "counter", "Requests that this process refused for their number.", s.metrics.limited.Load())
	one("questions_total", "counter", "Questions to the model that this process took since its start.", s.metrics.questions.Load())
	if m, ok := s.arena.Game.Chat.(game.Spender); ok {
		in, out := m.Tokens()
		series("model_tokens_total", "counter", "Tokens that the model's provider reported to this process since its start.", []string{fmt.Sprintf("{kind=\"input\"} %d", in), fmt.Sprintf("{kind=\"output\"} %d", out)})
	}
	one("goroutines", "gauge", "Goroutines of this process.", runtime.NumGoroutine())
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	one("memory_bytes", "gauge", "Memory that this process got from the system.", mem.Sys-mem.HeapReleased)

	m := &s.metrics
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	for k, n := range m.attempts {
		lines = append(lines, fmt.Sprintf("{lane=%q,kind=%q} %d", k[0], k[1], n))
	}
	series("attempts_total", "counter", "Attempts that this process played since its start.", lines)
	lines = nil
	for k, n := range m.seconds {
		lines = append(lines, fmt.Sprintf("{lane=%q} %g", k, n))
	}
	series("attempt_seconds_total", "counter", "Time that attempts took in this process since its start.", lines)
	lines = nil
	for _, l := range game.Lanes {
		lines = append(lines, fmt.Sprintf("{lane=%q} %d", l, m.leaks[string(l)]))
	}
	series("leaks_total", "counter", "Attempts of this process whose output held the key, since its start.", lines)
	lines = nil
	for k, n := range m.statuses {
		lines = append(lines, fmt.Sprintf("{class=\"%dxx\"} %d", k/100, n))
	}
	series("answers_total", "counter", "Answers of this process since its start.", lines)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err = w.Write([]byte(b.String()))
	return err
}
