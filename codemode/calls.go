package codemode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// call is a call of a method that sends, with arguments of the right types.
type call struct {
	name, code string
	effect     bool
}

// callExamples returns examples for grants without a query: methods of services.
func (p *prompt) callExamples() []Example {
	var cs []call
	for _, g := range p.granted {
		cs = append(cs, p.calls("api."+g.Name, g.Type)...)
	}
	if len(cs) == 0 {
		return p.openExamples()
	}
	// A call that changes nothing is the better example.
	slices.SortStableFunc(cs, func(a, b call) int {
		switch {
		case a.effect == b.effect:
			return 0
		case a.effect:
			return 1
		}
		return -1
	})
	a, b := cs[0], cs[min(1, len(cs)-1)]
	out := []Example{{"one call", "(api) => " + a.code}}
	if a == b {
		return append(out, Example{"a call, and its result used", fmt.Sprintf("async (api) => {\n  const result = await %s;\n  console.log(result);\n  return { %s: result };\n}", a.code, property(a.name))})
	}
	return append(out, Example{"two calls at once", fmt.Sprintf("async (api) => {\n  const [first, second] = await Promise.all([\n    %s,\n    %s,\n  ]);\n  return { first, second };\n}", a.code, b.code)})
}

// openExamples returns an example for grants that only open other objects, or nil if no example works.
func (p *prompt) openExamples() []Example {
	for _, g := range p.granted {
		i := p.catalog[g.Type.Name]
		for _, n := range i.Names() {
			m := i.Methods[n]
			if m == nil || m.Result == nil || m.Result.Con == nil || !m.Sends || m.Effect != message.NoEffect {
				continue
			}
			args, ok := sampleArgs(m)
			cs := p.calls("opened", m.Result.Con)
			if ok && len(cs) > 0 {
				return []Example{{"an object that a call opens", fmt.Sprintf("async (api) => {\n  const opened = await api.%s%s(%s);\n  return await %s;\n}", g.Name, access(n), args, cs[0].code)}}
			}
		}
	}
	return nil
}

// calls returns a call of each method of the type t that returns data. path is the object in the program.
func (p *prompt) calls(path string, t *message.Type) []call {
	i := p.catalog[t.Name]
	if i == nil {
		return nil
	}
	var cs []call
	for _, n := range i.Names() {
		m := i.Methods[n]
		if m == nil || !m.Sends || m.Result != nil && (m.Result.Con == nil || p.catalog[m.Result.Con.Name] != nil) {
			continue
		}
		if args, ok := sampleArgs(m); ok {
			cs = append(cs, call{n, path + access(n) + "(" + args + ")", m.Effect != message.NoEffect})
		}
	}
	return cs
}

func access(name string) string {
	if identifier(name) {
		return "." + name
	}
	return "[" + quote(name) + "]"
}

func sampleArgs(m *message.Method) (string, bool) {
	var args []string
	for _, p := range m.Params {
		if p.Opt {
			break
		}
		if p.Want.Con == nil || p.Lambda != nil {
			return "", false
		}
		s, ok := sample(p.Want.Con)
		if !ok {
			return "", false
		}
		args = append(args, s)
	}
	return strings.Join(args, ", "), true
}

// sample writes a value of a type in JavaScript, without optional fields. It returns false if it knows no value of the type.
func sample(t *message.Type) (string, bool) {
	if t.Null {
		return "null", true
	}
	switch t.Name {
	case value.TypeNull:
		return "null", true
	case value.TypeBool:
		return "true", true
	case value.TypeInt, value.TypeFloat, value.TypeNumber:
		if t.Min < t.Max { // only types of whole numbers have Min and Max
			return strconv.FormatInt(t.Min, 10), true
		}
		return "1", true
	case value.TypeText:
		if len(t.Enum) > 0 {
			return quote(t.Enum[0]), true
		}
		return `"some text"`, true
	case value.TypeTime:
		return `"2024-01-31T12:00:00Z"`, true
	case value.TypeData:
		return "{}", true
	case value.TypeList:
		s, ok := sample(t.Args["of"])
		return "[" + s + "]", ok
	case value.TypeRecord:
		var fs []string
		for _, f := range t.Fields {
			if f.Opt && !f.Needed {
				continue
			}
			s, ok := sample(f.Type)
			if !ok {
				return "", false
			}
			fs = append(fs, property(f.Name)+": "+s)
		}
		if len(fs) == 0 {
			return "{}", true
		}
		return "{ " + strings.Join(fs, ", ") + " }", true
	}
	return "", false
}
