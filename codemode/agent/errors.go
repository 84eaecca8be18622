package agent

import (
	"fmt"
	"time"
)

// ErrorKind is a class of failure.
type ErrorKind uint8

const (
	Other       ErrorKind = iota // no other kind fits
	RateLimited                  // too many requests or tokens at present; see RetryAfter
	Overloaded                   // the endpoint failed; it may work later
	Unreachable                  // there was no connection to the endpoint; it may work later
	Truncated                    // the end of the reply did not arrive
	TooLong                      // the conversation exceeds the model's context
	Refused                      // the model or its provider refused to answer
	Auth                         // the key is missing or wrong, or lacks credit or a right
	Invalid                      // the request can't work: the model does not exist, or the address or a setting is wrong
	Malformed                    // the reply breaks the wire format, is too large, or took too long
	Unanswered                   // the limit of steps was reached without an answer
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

// ModelError is the error of a model that gave no reply, or an agent that gave no answer. Its text
// is for the host and the person at the keyboard. It may quote the endpoint, shortened and made
// printable. It never contains a key.
type ModelError struct {
	Kind       ErrorKind
	Model      string        // the name of the model
	Status     int           // the HTTP status, or 0
	Msg        string        // the fault and, if known, the remedy
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
