package models_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/anthropic"
	"github.com/exoagent/exoagent/codemode/agent/gemini"
	"github.com/exoagent/exoagent/codemode/agent/openai"
)

// secret is the key of every test. It is in requests and nowhere else.
const secret = "sk-test-5ecre7/+key=&x"

// call is a tool call as an endpoint sends it: args is what the model wrote.
type call struct{ id, name, args string }

// dialect writes one provider's wire format, in the shapes of its documentation.
type dialect struct {
	name   string
	header string // that has the key
	make   func(address string, c *http.Client) (agent.Model, error)

	text    func(pieces ...string) []string // events of a whole reply
	calls   func(calls ...call) []string
	cutText func() []string // a reply that reached its bound of tokens in the middle of a call
	empty   func() []string
	garbled func() []string // a call that is no call
	refused func() []string
	noEnd   func() []string // a call, and all that ends a reply but the reason
	midway  func() []string // a piece of text and then an error
	write   func(w http.ResponseWriter, events []string, whole bool)

	overload, limited, tooLong, badKey, noModel fault
}

// fault is a response that is no reply.
type fault struct {
	status int
	header map[string]string
	body   string
}

func (f fault) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for k, v := range f.header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(f.status)
	fmt.Fprint(w, f.body)
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// halves cuts s in two: pieces arrive cut anywhere.
func halves(s string) (string, string) { return s[:len(s)/2], s[len(s)/2:] }

func sse(w http.ResponseWriter, events []string, whole bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, ": a comment\n\n")
	for _, e := range events {
		var t struct{ Type string }
		if json.Unmarshal([]byte(e), &t) == nil && t.Type != "" {
			fmt.Fprintf(w, "event: %s\n", t.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
		w.(http.Flusher).Flush()
	}
}

func dialects(t *testing.T) []dialect {
	t.Helper()
	return []dialect{openaiDialect(), anthropicDialect(), geminiDialect()}
}

func openaiDialect() dialect {
	chunk := func(delta, finish string) string {
		return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"gpt-test","service_tier":"default","system_fingerprint":"fp","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}],"usage":null}`, delta, finish)
	}
	first := chunk(`{"role":"assistant","content":null,"refusal":null}`, "null")
	end := func(reason string) []string {
		return []string{chunk(`{}`, quoted(reason)),
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"gpt-test","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":40,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}}}`,
			"[DONE]"}
	}
	calls := func(calls ...call) []string {
		es := []string{first}
		for i, c := range calls {
			es = append(es, chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`, i, quoted(c.id), quoted(c.name)), "null"))
			a, b := halves(c.args)
			for _, p := range []string{a, b} {
				es = append(es, chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quoted(p)), "null"))
			}
		}
		return es
	}
	fail := func(status int, kind, code, message string) fault {
		return fault{status: status, body: fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":null,"code":%s}}`, quoted(message), quoted(kind), quoted(code))}
	}
	limited := fail(429, "requests", "rate_limit_exceeded", "Rate limit reached for gpt-test")
	limited.header = map[string]string{"Retry-After": "7"}
	return dialect{
		name: "openai", header: "Authorization",
		make: func(address string, c *http.Client) (agent.Model, error) {
			return openai.New(openai.Config{Model: "gpt-test", Key: agent.NewAPIKey(secret), Address: address + "/v1", Client: c})
		},
		text: func(pieces ...string) []string {
			es := []string{first}
			for _, p := range pieces {
				es = append(es, chunk(fmt.Sprintf(`{"content":%s}`, quoted(p)), "null"))
			}
			return append(es, end("stop")...)
		},
		calls:   func(cs ...call) []string { return append(calls(cs...), end("tool_calls")...) },
		cutText: func() []string { return append(calls(call{"c1", "execute", wholeProgram}), end("length")...) },
		empty:   func() []string { return append([]string{first}, end("stop")...) },
		garbled: func() []string {
			return append(calls(call{"c1", "execute", `{"code": "return 1`}), end("tool_calls")...)
		},
		noEnd: func() []string { return append(calls(call{"c1", "execute", wholeProgram}), end("")[1:]...) },
		refused: func() []string {
			return append([]string{first, chunk(`{"refusal":"I can't help with that."}`, "null")}, end("stop")...)
		},
		midway: func() []string {
			return []string{first, chunk(`{"content":"Hal"}`, "null"), `{"error":{"message":"The server had an error while processing your request","type":"server_error","param":null,"code":null}}`}
		},
		write:    sse,
		overload: fail(500, "server_error", "", "The server had an error while processing your request. Sorry about that!"),
		limited:  limited,
		tooLong:  fail(400, "invalid_request_error", "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens."),
		badKey:   fail(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: "+secret+". You can find your API key at https://platform.openai.com/account/api-keys."),
		noModel:  fail(404, "invalid_request_error", "model_not_found", "The model `gpt-test` does not exist or you do not have access to it."),
	}
}

func anthropicDialect() dialect {
	first := `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":60,"cache_creation_input_tokens":0,"cache_read_input_tokens":40,"output_tokens":1}}}`
	end := func(reason string) []string {
		return []string{fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%s,"stop_sequence":null},"usage":{"output_tokens":7}}`, quoted(reason)), `{"type":"message_stop"}`}
	}
	block := func(i int, start string, deltas ...string) []string {
		es := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, start), `{"type":"ping"}`}
		for _, d := range deltas {
			es = append(es, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d))
		}
		return append(es, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i))
	}
	calls := func(calls ...call) []string {
		es := append([]string{first}, block(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":"Hm."}`, `{"type":"signature_delta","signature":"c2ln"}`)...)
		for i, c := range calls {
			a, b := halves(c.args)
			es = append(es, block(i+1, fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quoted(c.id), quoted(c.name)),
				`{"type":"input_json_delta","partial_json":""}`, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quoted(a)), fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quoted(b)))...)
		}
		return es
	}
	fail := func(status int, kind, message string) fault {
		return fault{status: status, body: fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s},"request_id":"req_1"}`, quoted(kind), quoted(message))}
	}
	limited := fail(429, "rate_limit_error", "This request would exceed your organization's rate limit of 50,000 input tokens per minute")
	limited.header = map[string]string{"retry-after": "7"}
	return dialect{
		name: "anthropic", header: "X-Api-Key",
		make: func(address string, c *http.Client) (agent.Model, error) {
			return anthropic.New(anthropic.Config{Model: "claude-test", Key: agent.NewAPIKey(secret), Address: address, Client: c})
		},
		text: func(pieces ...string) []string {
			var ds []string
			for _, p := range pieces {
				ds = append(ds, fmt.Sprintf(`{"type":"text_delta","text":%s}`, quoted(p)))
			}
			return append(append([]string{first}, block(0, `{"type":"text","text":""}`, ds...)...), end("end_turn")...)
		},
		calls:   func(cs ...call) []string { return append(calls(cs...), end("tool_use")...) },
		cutText: func() []string { return append(calls(call{"c1", "execute", wholeProgram}), end("max_tokens")...) },
		empty:   func() []string { return append([]string{first}, end("end_turn")...) },
		garbled: func() []string {
			return append(calls(call{"c1", "execute", `{"code": "return 1`}), end("tool_use")...)
		},
		noEnd:   func() []string { return append(calls(call{"c1", "execute", wholeProgram}), end("")...) },
		refused: func() []string { return append([]string{first}, end("refusal")...) },
		midway: func() []string {
			return []string{first, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hal"}}`,
				`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}
		},
		write:    sse,
		overload: fail(529, "overloaded_error", "Overloaded"),
		limited:  limited,
		tooLong:  fail(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
		badKey:   fail(401, "authentication_error", "invalid x-api-key "+secret),
		noModel:  fail(404, "not_found_error", "model: claude-test"),
	}
}

func geminiDialect() dialect {
	const meta = `"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":4,"totalTokenCount":107,"thoughtsTokenCount":3,"promptTokensDetails":[{"modality":1,"tokenCount":100}]},"modelVersion":"gemini-test","responseId":"r1"`
	element := func(parts, finish string) string {
		if finish != "" {
			finish = `,"finishReason":` + finish
		}
		return fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"}%s,"index":0}],%s}`, parts, finish, meta)
	}
	part := func(c call) string {
		return fmt.Sprintf(`{"functionCall":{"name":%s,"args":%s,"id":"x"},"thoughtSignature":"c2ln"}`, quoted(c.name), c.args)
	}
	fail := func(status int, kind, message, details string) fault {
		return fault{status: status, body: fmt.Sprintf(`[{"error":{"code":%d,"message":%s,"status":%s,"details":[%s]}}]`, status, quoted(message), quoted(kind), details)}
	}
	return dialect{
		name: "gemini", header: "X-Goog-Api-Key",
		make: func(address string, c *http.Client) (agent.Model, error) {
			return gemini.New(gemini.Config{Model: "gemini-test", Key: agent.NewAPIKey(secret), Address: address, Client: c})
		},
		text: func(pieces ...string) []string {
			es := []string{element(`{"text":"Thinking about it","thought":true}`, "")}
			for _, p := range pieces {
				es = append(es, element(fmt.Sprintf(`{"text":%s}`, quoted(p)), ""))
			}
			return append(es, element(`{"thoughtSignature":"c2ln"}`, "1"))
		},
		calls: func(cs ...call) []string {
			var ps []string
			for _, c := range cs {
				ps = append(ps, part(c))
			}
			return []string{element(strings.Join(ps, ","), ""), element(`{"text":""}`, "1")}
		},
		cutText: func() []string { return []string{element(part(call{"", "execute", wholeProgram}), "2")} },
		empty: func() []string {
			return []string{`{"candidates":[{"content":{"role":"model"},"finishReason":1,"index":0}],` + meta + `}`}
		},
		garbled: func() []string {
			return []string{`{"candidates":[{"content":{},"finishReason":10,"finishMessage":"Malformed function call: execute(code=","index":0}],` + meta + `}`}
		},
		noEnd:   func() []string { return []string{element(part(call{"", "execute", wholeProgram}), "")} },
		refused: func() []string { return []string{`{"promptFeedback":{"blockReason":4},` + meta + `}`} },
		midway: func() []string {
			return []string{element(`{"text":"Hal"}`, ""), `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`}
		},
		write: func(w http.ResponseWriter, events []string, whole bool) {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			lead := "["
			for _, e := range events {
				fmt.Fprint(w, lead, e, "\r\n")
				w.(http.Flusher).Flush()
				lead = ","
			}
			if whole {
				fmt.Fprint(w, "]")
			}
		},
		overload: fail(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", ""),
		limited: fail(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]},`+
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}`),
		tooLong: fail(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", ""),
		badKey:  fail(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key. "+secret, `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`),
		noModel: fail(404, "NOT_FOUND", "models/gemini-test is not found for API version v1beta", ""),
	}
}
