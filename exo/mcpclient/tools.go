package mcpclient

// This file lists the tools of a server, compares them with the pin, and makes methods for them.

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// PinError is the error for a server with other tools than the pinned ones. Its text contains nothing from the server except the digest.
type PinError struct {
	Pinned, Digest string
	Tools          []byte // the tools of the digest as JSON, for a person to read; invisible characters are escaped
}

func (e *PinError) Error() string {
	if e.Pinned == "" {
		return "the server's tools are not pinned: after reading them, pin " + e.Digest
	}
	return "the server's tools are not the pinned ones: after reading them, pin " + e.Digest
}

// tool is a tool that programs may call.
type tool struct {
	name   string // the server's name for the tool
	effect message.EffectMode
	out    *message.Type // the type of the answer; nil: text
}

// maxPages is how many pages of tools are read.
const maxPages = 32

// list returns the used tools, sorted by name. It fails if a tool is missing, or listed twice.
func (s *Server) list(ctx context.Context, session *mcp.ClientSession) (tools []*mcp.Tool, err error) {
	used := s.used()
	p := &mcp.ListToolsParams{}
	seen := map[string]bool{}
	for range maxPages {
		r, err := session.ListTools(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, t := range r.Tools {
			if t == nil || !s.all && !slices.Contains(used, t.Name) {
				continue
			}
			if seen[t.Name] {
				return nil, fmt.Errorf("%w: the server lists the tool %q twice", ErrMalformed, t.Name)
			}
			seen[t.Name] = true
			tools = append(tools, t)
		}
		if p.Cursor = r.NextCursor; p.Cursor != "" {
			continue
		}
		for _, name := range used {
			if !s.all && !slices.ContainsFunc(tools, func(t *mcp.Tool) bool { return t.Name == name }) {
				return nil, fmt.Errorf("the server has no tool %q: correct the name in Reads, Acts or Immediate, or take it out", name)
			}
		}
		slices.SortFunc(tools, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
		return tools, nil
	}
	return nil, fmt.Errorf("%w: the server's list of tools has more than %d pages", ErrTooLarge, maxPages)
}

// pinned refuses tools with other names, descriptions or schemas than the pinned ones. It sorts the keys of objects, so their order does not count.
func (s *Server) pinned(tools []*mcp.Tool) error {
	whole, err := asJSON(tools)
	used, err2 := asJSON(slices.DeleteFunc(slices.Clone(tools), func(t *mcp.Tool) bool { return !slices.Contains(s.used(), t.Name) }))
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if got := fmt.Sprintf("sha256:%x", sha256.Sum256(used)); got != s.Pin || s.all {
		return &PinError{s.Pin, got, seen(whole)}
	}
	return nil
}

// asJSON writes everything that a model reads about tools.
func asJSON(tools []*mcp.Tool) ([]byte, error) {
	return json.Marshal(scalar.Each(tools, func(t *mcp.Tool) map[string]any {
		return map[string]any{"name": t.Name, "title": t.Title, "description": t.Description, "input": t.InputSchema, "output": t.OutputSchema}
	}))
}

// seen escapes each character of JSON that a person can't see, since a model would read it. The meaning stays the same.
func seen(b []byte) (out []byte) {
	for _, r := range string(b) {
		if r < ' ' || unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) && r != '\u2800' {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, half := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, half)
		}
	}
	return out
}

// describe makes the methods for the tools.
func (o *Object) describe(tools []*mcp.Tool) error {
	i := &message.Interface{Name: o.server.Name, Doc: o.server.Doc, Methods: map[string]*message.Method{}}
	o.tools = map[string]*tool{}
	for _, t := range tools {
		name := methodName(t.Name)
		if i.Methods[name] != nil {
			return fmt.Errorf("the tool %q and another one would both be the method %s: use only one of them", t.Name, name)
		}
		m, u, err := o.server.method(t)
		if err != nil {
			return fmt.Errorf("the tool %q can't be used, so take it out of Reads, Acts and Immediate: %w", t.Name, err)
		}
		m.Name = name
		i.Methods[name], i.Order, o.tools[name] = m, append(i.Order, name), u
	}
	if err := i.Validate(); err != nil {
		return err
	}
	o.description = message.Description{Type: &message.Type{Name: i.Name}, Interfaces: []*message.Interface{i}, Doc: i.Doc}
	return nil
}

// methodName returns the name of a tool's method. It replaces characters that JavaScript names can't have by _.
func methodName(name string) string {
	return strings.Map(func(r rune) rune {
		if scalar.Simple("x" + string(r)) {
			return r
		}
		return '_'
	}, name)
}

// method makes the method for a tool. Its effect and labels come from the host's declaration alone.
func (s *Server) method(t *mcp.Tool) (*message.Method, *tool, error) {
	u := &tool{name: t.Name}
	m := &message.Method{Doc: scalar.Clip(t.Description, maxText), Sends: true, Sink: true, Admits: s.Admits, Reply: value.NewLabel(append(s.Label.Tags(), value.Untrusted)...)}
	switch {
	case slices.Contains(s.Acts, t.Name):
		u.effect = message.Held
	case slices.Contains(s.Immediate, t.Name):
		u.effect = message.Immediate
	}
	m.Effect = u.effect
	in, err := typeOf(t.InputSchema, "the argument")
	if err != nil {
		return nil, nil, err
	}
	if len(in.Fields) > 0 {
		m.Params = []message.Param{{Name: "the argument", Want: &message.Term{Con: in}, Opt: !slices.ContainsFunc(in.Fields, func(f message.TypeField) bool { return !f.Opt })}}
	}
	m.Result = &message.Term{Con: &message.Type{Name: value.TypeText}}
	if t.OutputSchema != nil {
		if u.out, err = typeOf(t.OutputSchema, "the answer"); err != nil {
			return nil, nil, err
		}
		m.Result = &message.Term{Con: u.out}
	}
	if u.effect == message.Held {
		m.Result, m.Reply = &message.Term{Con: message.Receipt()}, value.Label{}
	}
	return m, u, nil
}
