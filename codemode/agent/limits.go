package agent

import (
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
)

// QuestionLimits limit the work for one question. A zero field means the default at the end of its comment.
type QuestionLimits struct {
	Steps     int           // most requests to the model, not counting repeated ones; the model must answer the last one in text; 8
	Calls     int           // most calls in one turn; 8
	Fruitless int           // most turns in a row without an answer and without a call that could run; 3
	Tries     int           // how often one request is sent at most; 4
	Backoff   time.Duration // the wait before the second try, which doubles for each further try, with jitter; 1 s
	Wait      time.Duration // the longest wait; if an endpoint asks for a longer one, there is no further try; 1 min
	Tokens    int           // most tokens of one reply; 8,192
	Bytes     int64         // most bytes of one response; 8 MiB
	Silence   time.Duration // the longest pause within a response; 2 min
	Reply     time.Duration // the longest time from a request to the end of its reply; 10 min
	Question  int           // most bytes of a question; 256 KiB
}

// OrDefault sets the defaults for zero and negative fields, so that no field can mean "no limit" by
// mistake.
func (l QuestionLimits) OrDefault() QuestionLimits {
	return QuestionLimits{
		Steps: scalar.Positive(l.Steps, 8), Calls: scalar.Positive(l.Calls, 8), Fruitless: scalar.Positive(l.Fruitless, 3), Tries: scalar.Positive(l.Tries, 4),
		Backoff: scalar.Positive(l.Backoff, time.Second), Wait: scalar.Positive(l.Wait, time.Minute),
		Tokens: scalar.Positive(l.Tokens, 8192), Bytes: scalar.Positive(l.Bytes, 8<<20),
		Silence: scalar.Positive(l.Silence, 2*time.Minute), Reply: scalar.Positive(l.Reply, 10*time.Minute), Question: scalar.Positive(l.Question, 256<<10),
	}
}
