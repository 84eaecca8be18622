package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/internal/scalar"
)

// fault is an error in the forms of the three APIs and their imitations.
type fault struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`   // set by OpenAI and Anthropic
	Code    json.RawMessage `json:"code"`   // a text from OpenAI, a number from others
	Status  string          `json:"status"` // set by Google
	Details []struct {
		Reason     string `json:"reason"`
		RetryDelay string `json:"retryDelay"`
	} `json:"details"`
}

// parseFault reads {"error": {...}}, {"error": "..."} and [{"error": {...}}].
func parseFault(text []byte) (f fault) {
	var many []json.RawMessage
	if json.Unmarshal(text, &many) == nil && len(many) > 0 {
		text = many[0]
	}
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &outer) != nil {
		return f
	}
	if json.Unmarshal(outer.Error, &f) != nil {
		f = fault{}
		_ = json.Unmarshal(outer.Error, &f.Message) // an error that is neither an object nor a text has no message
	}
	return f
}

var (
	tooLong = scalar.Pattern(`(?i)context[_ ](length|window|size)|prompt is too long|maximum context|input token count|too many (input )?tokens|exceeds? the (maximum|available) (number of tokens|context)|input is too long|reduce the length`)
	noMoney = scalar.Pattern(`(?i)insufficient_quota|credit balance|billing_(error|not_active|hard_limit)`) // the word billing alone does not count, since rate limits also mention it
	blocked = scalar.Pattern(`(?i)content_filter|content_policy|content management policy|safety`)
	badKey  = scalar.Pattern(`(?i)api[_ ]key[_ ](not valid|invalid|expired)|invalid[_ ]api[_ ]key`)
)

// Refusal returns the error of a response with this status, header and body.
func (e *Endpoint) Refusal(status int, h http.Header, text []byte) *agent.ModelError {
	f := parseFault(text)
	hint := strings.Join([]string{f.Type, string(f.Code), f.Status, f.Message}, " ")
	for _, d := range f.Details {
		hint += " " + d.Reason
	}
	out := &agent.ModelError{Kind: kindOf(status, hint), Model: e.Model, Status: status, Msg: e.Quote(f.Message)}
	switch out.Kind {
	case agent.Auth:
		// The endpoint's own texts are left out, since for these errors they often quote the key.
		out.Msg = "the server refused the key: set a valid one"
		if e.Key.IsZero() {
			out.Msg = "the server needs a key, and none is set: set one"
		} else if noMoney().MatchString(hint) || status == http.StatusPaymentRequired {
			out.Msg = "the account of the key has no credit left: add credit"
		}
	case agent.RateLimited, agent.Overloaded:
		out.RetryAfter = retryAfter(h, f, time.Now())
	case agent.Invalid:
		if status >= 300 && status < 400 {
			out.Msg = "the server redirects to another address, which is not followed: set that address"
		}
	}
	return out
}

func kindOf(status int, hint string) agent.ErrorKind {
	switch {
	case noMoney().MatchString(hint) && status >= 400 && status < 500:
		return agent.Auth
	case status == http.StatusTooManyRequests:
		return agent.RateLimited
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusPaymentRequired || status == http.StatusBadRequest && badKey().MatchString(hint):
		return agent.Auth
	case status == http.StatusRequestEntityTooLarge || status >= 400 && status < 500 && tooLong().MatchString(hint):
		return agent.TooLong
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly:
		return agent.Overloaded
	case status >= 400 && blocked().MatchString(hint):
		return agent.Refused
	}
	return agent.Invalid
}

// statusOf has the HTTP statuses for errors that come inside a stream.
var statusOf = map[string]int{
	"overloaded_error": 529, "api_error": 500, "server_error": 500, "timeout_error": 504, "rate_limit_error": 429, "rate_limit_exceeded": 429, "authentication_error": 401,
	"billing_error": 402, "permission_error": 403, "not_found_error": 404, "request_too_large": 413, "invalid_request_error": 400,
}

// Interruption returns the error for an error event inside a stream.
func (e *Endpoint) Interruption(text []byte) *agent.ModelError {
	f := parseFault(text)
	status := statusOf[f.Type]
	if code, err := strconv.Atoi(strings.Trim(string(f.Code), `"`)); err == nil && code >= 400 && code < 600 {
		status = code
	}
	status = cmp.Or(status, 500)
	return e.Refusal(status, nil, text)
}

// retryAfter returns how long an endpoint asks us to wait. It is more than 0 if the endpoint asks
// for a wait. A value that is neither seconds nor a date is ignored.
func retryAfter(h http.Header, f fault, now time.Time) time.Duration {
	const most = 365 * 24 * time.Hour // limited so that a Duration can represent it
	seconds := func(s string, unit time.Duration) time.Duration {
		x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || !(x >= 0) {
			return 0
		}
		if x > float64(most/unit) {
			return most
		}
		return max(time.Duration(x*float64(unit)), time.Millisecond)
	}
	if d := seconds(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	s := h.Get("Retry-After")
	if d := seconds(s, time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(s); err == nil {
		return min(max(at.Sub(now), time.Millisecond), most)
	}
	for _, d := range f.Details {
		if s, ok := strings.CutSuffix(d.RetryDelay, "s"); ok {
			return seconds(s, time.Second)
		}
	}
	return 0
}

// Quote makes a text of an endpoint safe for errors: one short line, without the key and without
// sequences that move a cursor.
func (e *Endpoint) Quote(s string) string {
	if k := e.Key.Reveal(); k != "" {
		for _, form := range []string{k, url.QueryEscape(k), url.PathEscape(k)} {
			s = strings.ReplaceAll(s, form, "[key]")
		}
	}
	var b bytes.Buffer
	space := false
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if b.Len() > 300 {
			b.WriteString("…")
			break
		}
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		if !unicode.IsPrint(r) {
			r = '\uFFFD'
		}
		b.WriteRune(r)
	}
	return b.String()
}
