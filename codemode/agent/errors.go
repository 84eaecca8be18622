package agent

import (
	"fmt"
	"time"
)

// ErrorKind is a class of failure.
type ErrorKind uint8

const (
	Other       ErrorKind = iota // none of these
	RateLimited                  // too many requests or tokens for now; see RetryAfter
	Overloaded                   // the endpoint failed; it may work later
	Unreachable                  // there was no connection to the endpoint; it may work later
	Truncated                    // the end of the reply did not arrive
	TooLong                      // the conversation does not fit into the model's context
	Refused                      // the model or its provider would not answer
	Auth                         // the key is missing, wrong, without credit or without the right
	Invalid                      // the request can't work: there is no such model, the address is wrong, a setting is wrong
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

// ModelError is the error if a model gave no reply, or an agent no
// answer. Its text is for the host and the person at the keyboard. It may
// quote the endpoint, cut and made printable. It never has a key in it.
type ModelError struct {
	Kind       ErrorKind
	Model      string        // the name of the model
	Status     int           // the HTTP status, or 0
	Msg        string        // what was wrong, and if it is known, what to do
	RetryAfter time.Duration // the wait that the endpoint asked for, or 0
	Usage      Usage         // the tokens of the failed request, as far as known
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
