package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
)

// minSecret is the least length of a key that is searched for in replies. Shorter keys are no
// secrets: local servers accept any text, such as "ollama" or "none".
const minSecret = 12

// forms returns the spellings of a key that are searched for, or nil if there is no key. They find a key that is merely echoed, for example by a proxy
// that shows the request. A hostile endpoint knows the key, and can always hide it in another spelling.
func forms(k agent.APIKey) (out []string) {
	s := k.Reveal()
	if s == "" {
		return nil
	}
	out = []string{s}
	for _, f := range []string{url.QueryEscape(s), url.PathEscape(s)} {
		if f != s {
			out = append(out, f)
		}
	}
	return out
}

func redact(s string, forms []string) string {
	for _, f := range forms {
		s = strings.ReplaceAll(s, f, "[key]")
	}
	return s
}

// Redacted wraps a model: its replies never contain the model's key, and its token counts can only
// grow. Otherwise an endpoint that echoes its input would put the key into the chat, the events and
// programs, and so into records.
func Redacted(m agent.Model, k agent.APIKey) agent.Model {
	r := &redacted{Model: m}
	if len(k.Reveal()) >= minSecret {
		r.key = k
	}
	return r
}

type redacted struct {
	agent.Model
	key agent.APIKey
}

func (r *redacted) String() string { return r.Name() }

// Reply implements agent.Model.
func (r *redacted) Reply(ctx context.Context, req *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
	keys := forms(r.key)
	s := &pieces{forms: keys, to: text}
	to := text
	if text != nil && len(keys) > 0 {
		to = s.add
	}
	out, err := r.Model.Reply(ctx, req, to)
	if out != nil {
		out.Usage = agent.Usage{}.Add(out.Usage)
	}
	if out == nil || len(keys) == 0 {
		return out, err
	}
	if text != nil {
		s.end()
	}
	out.Text = redact(out.Text, keys)
	out.Opaque = redactJSON(out.Opaque, keys)
	for i := range out.Calls {
		c := &out.Calls[i]
		c.ID, c.Name, c.Opaque = redact(c.ID, keys), redact(c.Name, keys), redact(c.Opaque, keys)
		c.Args = string(redactJSON([]byte(c.Args), keys))
	}
	return out, err
}

// redactJSON replaces the key in a text that should be JSON. If a text within the JSON contains the
// key with escapes, the whole JSON is written anew.
func redactJSON(text []byte, forms []string) []byte {
	if len(text) == 0 {
		return text
	}
	text = []byte(redact(string(text), forms))
	if !bytes.ContainsRune(text, '\\') {
		return text
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if !json.Valid(text) || d.Decode(&v) != nil {
		return text
	}
	v, found := walk(v, forms)
	if !found {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return out
}

func walk(v any, forms []string) (_ any, found bool) {
	switch v := v.(type) {
	case string:
		s := redact(v, forms)
		return s, s != v
	case []any:
		for i := range v {
			var f bool
			v[i], f = walk(v[i], forms)
			found = found || f
		}
	case map[string]any:
		for k, x := range v {
			y, f := walk(x, forms)
			name := redact(k, forms)
			if name != k {
				delete(v, k)
			}
			v[name] = y
			found = found || f || name != k
		}
	}
	return v, found
}

// pieces redacts text that arrives in pieces. It keeps a piece that may be the beginning of the key
// until the next one arrives.
type pieces struct {
	forms []string
	to    func(string)
	held  string
}

func (p *pieces) add(s string) {
	s = redact(p.held+s, p.forms)
	keep := 0
	for _, f := range p.forms {
		for n := min(len(f)-1, len(s)); n > keep; n-- {
			if strings.HasSuffix(s, f[:n]) {
				keep = n
			}
		}
	}
	p.held = s[len(s)-keep:]
	p.say(s[:len(s)-keep])
}

func (p *pieces) end() {
	p.say(p.held)
	p.held = ""
}

func (p *pieces) say(s string) {
	if s != "" {
		p.to(s)
	}
}
