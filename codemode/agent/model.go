package agent

import (
	"context"
	"encoding/json"
	"time"
)

// Model is a language model with its wire format. Many goroutines must be able to use it at once.
type Model interface {
	// Name returns "provider:name", or "provider:name@address" if the address is not the provider's
	// own. So an allow-list of names also decides where data may go. The part name contains no @,
	// and two addresses never have the same Name.
	Name() string

	// Reply sends one request and waits for the whole reply. If text is not nil, it is called with
	// each piece of the reply's text as it arrives: one call at a time, and none after Reply has
	// returned. Reply never retries. Its error wraps ctx's error if ctx ended; otherwise it is a
	// *ModelError. If the end of the reply did not arrive, Reply fails; it never returns a shorter
	// reply. When it returns, all goroutines that it started have ended.
	Reply(ctx context.Context, req *ModelRequest, text func(piece string)) (*ModelReply, error)
}

// ModelRequest is a request to a model. Models must not change it or keep it.
type ModelRequest struct {
	System   string
	Messages []ChatMessage
	Tools    []ToolSpec
	NoCalls  bool // the model must answer in text

	// The fields MaxTokens, MaxBytes and Silence limit the reply. Zero means no limit; an Agent sets all three.
	MaxTokens int           // most tokens of the reply
	MaxBytes  int64         // most bytes of the response, uncompressed
	Silence   time.Duration // the longest time without any data
}

// ToolSpec is a tool in the form that a model gets.
type ToolSpec struct {
	Name, Description string
	Schema            json.RawMessage // the JSON schema of the arguments
}

// ModelReply is a complete reply.
type ModelReply struct {
	Text   string
	Calls  []ToolCall
	Opaque json.RawMessage // data for later requests; see ChatMessage.Opaque
	Stop   Stop
	Usage  Usage
}

// Stop is the reason why a model ended its reply.
type Stop uint8

const (
	StopUnknown Stop = iota
	StopEnd          // the reply was complete
	StopCalls        // the model waits for the results of its calls
	StopTokens       // the reply reached MaxTokens, so its last call may be incomplete
	StopGarbled      // the model made a call that could not be read
)

// Usage counts the tokens of requests as the provider reported them; a count that was
// not reported is 0. An endpoint can report anything. But [Usage.Add] counts a negative
// number as 0 and stops at MaxCount, so that no reply reduces the cost of others.
type Usage struct {
	Requests     int64 `json:"requests"`                // how many requests got at least the beginning of a reply
	Input        int64 `json:"input"`                   // tokens of all input, cached or not
	CacheRead    int64 `json:"cache_read,omitempty"`    // the part of Input that was read from the provider's cache
	CacheWritten int64 `json:"cache_written,omitempty"` // the part of Input that was written to the cache
	Output       int64 `json:"output"`                  // tokens of the output, including thoughts
}

// MaxCount is the largest count of tokens. Above it, JSON and float64 can't represent every whole number.
const MaxCount = 1 << 53

// Add returns the sum of u and v, count by count. A negative count counts as 0.
func (u Usage) Add(v Usage) Usage {
	return Usage{SumTokens(u.Requests, v.Requests), SumTokens(u.Input, v.Input), SumTokens(u.CacheRead, v.CacheRead), SumTokens(u.CacheWritten, v.CacheWritten), SumTokens(u.Output, v.Output)}
}

// SumTokens adds reported counts. Negative ones count as 0, and the sum is at most MaxCount.
func SumTokens(counts ...int64) (sum int64) {
	for _, n := range counts {
		sum = min(sum+min(max(n, 0), MaxCount), MaxCount)
	}
	return sum
}
