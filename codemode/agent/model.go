package agent

import (
	"context"
	"encoding/json"
	"time"
)

// Model is a language model behind some wire format. It must be usable by many
// goroutines at once.
type Model interface {
	// Name is "provider:name", and "provider:name@address" where the address is not the
	// provider's own: an allow-list of names then says where data may go. The name in
	// it has no @, and two addresses are never one name.
	Name() string

	// Reply sends one request and waits for the whole reply. It calls text, if that is
	// not nil, with each piece of the reply's text as it arrives, one call at a time,
	// and not after it returned. It never retries. Its error wraps ctx's when that
	// ended, and is a *ModelError otherwise. A reply of which the end did not arrive is an
	// error, never a shorter reply. When it returns it has left no goroutine.
	Reply(ctx context.Context, req *ModelRequest, text func(piece string)) (*ModelReply, error)
}

// ModelRequest is what a model is asked. Models must not change it or keep it.
type ModelRequest struct {
	System   string
	Messages []ChatMessage
	Tools    []ToolSpec
	NoCalls  bool // the model must answer in text

	// Bounds. Zero: none; an Agent sets all of them.
	MaxTokens int           // the tokens of the reply
	MaxBytes  int64         // the size of the response, uncompressed
	Silence   time.Duration // the longest time in which nothing arrives
}

// ToolSpec is a tool as a model is shown it.
type ToolSpec struct {
	Name, Description string
	Schema            json.RawMessage // JSON schema of the arguments
}

// ModelReply is a whole reply.
type ModelReply struct {
	Text   string
	Calls  []ToolCall
	Opaque json.RawMessage // see ChatMessage
	Stop   Stop
	Usage  Usage
}

// Stop says why a model ended its reply.
type Stop uint8

const (
	StopUnknown Stop = iota
	StopEnd          // it had said all
	StopCalls        // it waits for the results of its calls
	StopTokens       // it reached MaxTokens: the last call may be half a call
	StopGarbled      // it made a call that could not be read
)

// Usage counts the tokens of requests, as the provider reported them, and 0 where it
// reported none. An endpoint can report what it likes; but [Usage.Add] takes a negative
// count for 0 and stops at MaxCount, so that no reply takes away what others have cost.
type Usage struct {
	Requests     int64 `json:"requests"`                // whose reply began
	Input        int64 `json:"input"`                   // all of it, cached or not
	CacheRead    int64 `json:"cache_read,omitempty"`    // the part of Input that was in the provider's cache
	CacheWritten int64 `json:"cache_written,omitempty"` // the part of Input that was put there
	Output       int64 `json:"output"`                  // thoughts included
}

// MaxCount is the largest count of tokens: JSON and float64 hold no larger whole number exactly.
const MaxCount = 1 << 53

// Add is the sum of both; negative counts are 0.
func (u Usage) Add(v Usage) Usage {
	return Usage{SumTokens(u.Requests, v.Requests), SumTokens(u.Input, v.Input), SumTokens(u.CacheRead, v.CacheRead), SumTokens(u.CacheWritten, v.CacheWritten), SumTokens(u.Output, v.Output)}
}

// SumTokens adds counts that were reported: negative ones are 0, and the sum is at most MaxCount.
func SumTokens(counts ...int64) (sum int64) {
	for _, n := range counts {
		sum = min(sum+min(max(n, 0), MaxCount), MaxCount)
	}
	return sum
}
