package game

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Attempt is everything about one try, as plain data. It may contain keys of the player before Redacted.
type Attempt struct {
	ID     string    `json:"id"`
	Target string    `json:"target"`
	Lane   Lane      `json:"lane"`
	Input  string    `json:"input"` // the program, the question, or the statement
	At     time.Time `json:"at"`    // when the player sent it

	State   State   `json:"state"`
	Verdict Verdict `json:"verdict"`

	Result  json.RawMessage `json:"result,omitempty"` // what the program returned
	Notice  string          `json:"notice,omitempty"` // what was cut from the result
	Console string          `json:"console,omitempty"`
	Answer  string          `json:"answer,omitempty"` // the model's answer
	Steps   []Step          `json:"steps,omitempty"`  // the programs that the model wrote
	Queries []Query         `json:"queries"`
	More    int             `json:"more_queries,omitempty"` // the number of statements that Queries leaves out
	Rows    int             `json:"rows"`                   // the number of rows that all statements read
	Millis  float64         `json:"millis"`                 // the time from start to end
	Used

	Leaked bool     `json:"key_leaked"` // the output contains the key
	Tasks  []string `json:"tasks_done,omitempty"`
	Engine string   `json:"engine"` // the engine of the database
	Source string   `json:"source"` // the version of this program
	Shared bool     `json:"shared"` // the player shares the attempt with everybody who has the link
}

// State is how far an attempt has come.
type State string

const (
	Queued      State = "queued"
	Running     State = "running"
	Ended       State = "ended"
	Interrupted State = "interrupted" // the host stopped first, so the player may send it again
)

// Over reports whether the attempt will not change any more.
func (s State) Over() bool { return s == Ended || s == Interrupted }

// Verdict is how an attempt ended. Kind is "ok", a word of fail.Kind, or "refused" by a control lane's filter. Line and Column count from 1; 0
// means no place.
type Verdict struct {
	Kind    string `json:"kind"`
	Message string `json:"message,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Text    string `json:"text,omitempty"` // the line of the program at the place
}

// OK reports whether the attempt ran to its end.
func (v Verdict) OK() bool { return v.Kind == "ok" }

// Query is a statement that the attempt caused.
type Query struct {
	SQL    string          `json:"sql"`
	Args   json.RawMessage `json:"args"` // a JSON array
	Rows   int             `json:"rows"`
	Millis float64         `json:"millis"`
}

// Used is the processor time and memory of programs' processes: the sum of the times, and the most memory of one process. 0 means not
// measured.
type Used struct {
	CPUMillis float64 `json:"cpu_millis,omitempty"`
	Memory    int64   `json:"memory_bytes,omitempty"`
}

// Step is a program that a model wrote, with its outcome.
type Step struct {
	Program string          `json:"program"`
	Verdict Verdict         `json:"verdict"`
	Result  json.RawMessage `json:"result,omitempty"`
	Millis  float64         `json:"millis"`
	Used
}

// These bound a record, in bytes, so that no player fills the storage faster than others.
const (
	MaxInput   = 64 << 10
	maxResult  = 64 << 10
	maxText    = 16 << 10
	maxQueries = 50
	maxSQL     = 8 << 10
	maxArgs    = 4 << 10
	maxSteps   = 20
)

// trim cuts the record to its bounds, and notes in it what was cut.
func (a *Attempt) trim() {
	if len(a.Result) > maxResult {
		a.Result = nil
		a.Notice = strings.TrimSpace(a.Notice + " The result is too large to be kept.")
	}
	a.Console, a.Answer, a.Notice = cut(a.Console, maxText), cut(a.Answer, maxText), cut(a.Notice, maxText)
	a.Verdict = a.Verdict.trim()
	if n := len(a.Queries) - maxQueries; n > 0 {
		a.Queries, a.More = a.Queries[:maxQueries], a.More+n
	}
	for i := range a.Queries {
		a.Queries[i] = a.Queries[i].trim()
	}
	if len(a.Steps) > maxSteps {
		a.Steps = a.Steps[:maxSteps]
	}
	left := maxResult
	for i := range a.Steps {
		s := &a.Steps[i]
		s.Program, s.Verdict = cut(s.Program, maxText), s.Verdict.trim()
		if left -= len(s.Result); left < 0 {
			s.Result = nil
		}
	}
}

func (q Query) trim() Query {
	q.SQL = cut(q.SQL, maxSQL)
	if len(q.Args) > maxArgs {
		q.Args = json.RawMessage(`["…"]`)
	}
	return q
}

// Bytes returns the size of the record in the store.
func (a *Attempt) Bytes() int {
	b, err := json.Marshal(a)
	if err != nil {
		return maxResult // plain data has no error
	}
	return len(b)
}

func (v Verdict) trim() Verdict {
	v.Message, v.Text = cut(v.Message, maxText), cut(v.Text, 1<<10)
	return v
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// leaks reports whether the key is anywhere in what the player sees.
func (a *Attempt) leaks(key Key) bool {
	for _, s := range []string{string(a.Result), a.Console, a.Notice, a.Answer, a.Verdict.Message} {
		if key.In(s) {
			return true
		}
	}
	for _, s := range a.Steps {
		if key.In(string(s.Result)) || key.In(s.Verdict.Message) {
			return true
		}
	}
	return false
}

// Redacted returns the attempt without anything that looks like a key, for other readers.
func (a *Attempt) Redacted() *Attempt {
	b, err := json.Marshal(a)
	if err != nil {
		return &Attempt{ID: a.ID}
	}
	var out Attempt
	if json.Unmarshal([]byte(Redact(string(b))), &out) != nil {
		return &Attempt{ID: a.ID}
	}
	return &out
}
