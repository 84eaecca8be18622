package agent

import "time"

// Limits bound what answering one question may take. A zero field is its default.
type Limits struct {
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

// DefaultLimits are what zero fields mean. It is a function, so that no package can
// change what bounds another's questions.
func DefaultLimits() Limits {
	return Limits{
		Steps: 8, Calls: 8, Fruitless: 3, Tries: 4, Backoff: time.Second, Wait: time.Minute,
		Tokens: 8192, Bytes: 8 << 20, Silence: 2 * time.Minute, Reply: 10 * time.Minute, Question: 256 << 10,
	}
}

// orDefault fills in the defaults. A negative field gets the default too: there is
// no way to ask for no limit by mistake.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Steps: or(l.Steps, d.Steps), Calls: or(l.Calls, d.Calls), Fruitless: or(l.Fruitless, d.Fruitless), Tries: or(l.Tries, d.Tries),
		Backoff: or(l.Backoff, d.Backoff), Wait: or(l.Wait, d.Wait), Tokens: or(l.Tokens, d.Tokens), Bytes: or(l.Bytes, d.Bytes),
		Silence: or(l.Silence, d.Silence), Reply: or(l.Reply, d.Reply), Question: or(l.Question, d.Question),
	}
}

func or[T int | int64 | time.Duration](v, d T) T {
	if v > 0 {
		return v
	}
	return d
}
