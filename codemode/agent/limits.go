package agent

import "time"

// QuestionLimits bound what answering one question may take. A zero field is its default.
type QuestionLimits struct {
	Steps     int           // requests to the model, those not counted that are tried again; the last must be answered in text; 8
	Calls     int           // calls in one turn; 8
	Fruitless int           // turns in a row that gave no answer and no call that could run; 3
	Tries     int           // of one request; 4
	Backoff   time.Duration // before the second try; doubled for each further one, and jittered; 1 s
	Wait      time.Duration // the longest wait; who asks for more is not asked again; 1 min
	Tokens    int           // of one reply; 8,192
	Bytes     int64         // of one response; 8 MiB
	Silence   time.Duration // in which nothing of a response arrives; 2 min
	Reply     time.Duration // from a request to the end of its reply, however steadily it comes; 10 min
	Question  int           // bytes of a question; 256 KiB
}

// OrDefault fills in the defaults. What is negative is the default, too: there is
// no way to ask for no limit by mistake.
func (l QuestionLimits) OrDefault() QuestionLimits {
	return QuestionLimits{
		Steps: positive(l.Steps, 8), Calls: positive(l.Calls, 8), Fruitless: positive(l.Fruitless, 3), Tries: positive(l.Tries, 4),
		Backoff: positive(l.Backoff, time.Second), Wait: positive(l.Wait, time.Minute),
		Tokens: positive(l.Tokens, 8192), Bytes: positive(l.Bytes, 8<<20),
		Silence: positive(l.Silence, 2*time.Minute), Reply: positive(l.Reply, 10*time.Minute), Question: positive(l.Question, 256<<10),
	}
}

// positive is n, or what stands for a number that was not given or means nothing.
func positive[T int | int64 | time.Duration](n, otherwise T) T {
	if n > 0 {
		return n
	}
	return otherwise
}
