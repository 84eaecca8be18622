package agent

import (
	"fmt"
	"time"
)

// ErrorKind says what class of failure an error is.
type ErrorKind uint8

const (
	Other       ErrorKind = iota // none of these
	RateLimited                  // too many requests or tokens for now; see RetryAfter
	Overloaded                   // the endpoint failed: it may work later
	Unreachable                  // no connection to the endpoint came about: it may work later
	Truncated                    // the end of the reply did not arrive
	TooLong                      // the conversation does not fit into the model's context
	Refused                      // the model or its provider would not answer
	Auth                         // the key is missing, wrong, without credit or without the right
	Invalid                      // the request can't work: no such model, a wrong address, a wrong setting
	Malformed                    // the reply breaks the wire format, is too large, or took too long
	Unanswered                   // the bound of steps was reached without an answer
	NotAllowed                   // the model is not on the agent's list
)

var kindNames = [...]string{"failed", "rate limited", "overloaded", "unreachable", "reply cut off", "conversation too long", "refused", "not authorized",
	"invalid request", "malformed reply", "no answer", "model not allowed"}

func (k ErrorKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ModelError is why a model gave no reply, or an agent no answer. Its text is for the
// host and the person at the keyboard. It may quote what an endpoint said, cut and
// made printable, and never shows a key.
type ModelError struct {
	Kind       ErrorKind
	Model      string        // whose
	Status     int           // the status of HTTP, or 0
	Msg        string        // what was wrong and, where it is known, what to do
	RetryAfter time.Duration // what the endpoint asked for, or 0
	Usage      Usage         // the tokens of the failed request, as far as they are known
	Err        error
}

func (e *ModelError) Error() string {
	s := e.Kind.String()
	if e.Model != "" {
		s = e.Model + ": " + s
	}
	if e.Status != 0 {
		s += fmt.Sprintf(" (%d)", e.Status)
	}
	if e.Msg != "" {
		s += ": " + e.Msg
	}
	if e.RetryAfter > 0 {
		s += fmt.Sprintf("; retry after %v", e.RetryAfter)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *ModelError) Unwrap() error { return e.Err }

// retryable reports whether the same request may work later.
func (e *ModelError) retryable() bool {
	return e.Kind == RateLimited || e.Kind == Overloaded || e.Kind == Unreachable || e.Kind == Truncated
}
