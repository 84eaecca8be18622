package agent

import (
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
)

// QuestionLimits bound what answering one question may take. A zero field is its default.
type QuestionLimits struct {
	Steps     int           // requests to the model, those not counted that are tried again; the last must be answered in text; 8
	Calls     int           // calls in one turn; 8
	Fruitless int           // turns in a row that gave no answer and no call that could run; 3
	Tries     int           // how often one request is sent; 4
	Backoff   time.Duration // before the second try; doubled for each further one, and jittered; 1 s
	Wait      time.Duration // the longest wait; an endpoint that asks for more is not asked again; 1 min
	Tokens    int           // the most of one reply; 8,192
	Bytes     int64         // the size of one response; 8 MiB
	Silence   time.Duration // the longest pause within a response; 2 min
	Reply     time.Duration // from a request to the end of its reply, however steadily it comes; 10 min
	Question  int           // bytes of a question; 256 KiB
}

// OrDefault fills in the defaults. What is negative is the default, too: there is
// no way to ask for no limit by mistake.
func (l QuestionLimits) OrDefault() QuestionLimits {
	return QuestionLimits{
		Steps: scalar.Positive(l.Steps, 8), Calls: scalar.Positive(l.Calls, 8), Fruitless: scalar.Positive(l.Fruitless, 3), Tries: scalar.Positive(l.Tries, 4),
		Backoff: scalar.Positive(l.Backoff, time.Second), Wait: scalar.Positive(l.Wait, time.Minute),
		Tokens: scalar.Positive(l.Tokens, 8192), Bytes: scalar.Positive(l.Bytes, 8<<20),
		Silence: scalar.Positive(l.Silence, 2*time.Minute), Reply: scalar.Positive(l.Reply, 10*time.Minute), Question: scalar.Positive(l.Question, 256<<10),
	}
}
