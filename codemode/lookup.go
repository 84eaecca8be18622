package codemode

import (
	"context"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// lookup is search or describe as a granted object. A program's questions about the catalogue pass
// the gate like other calls: they count against the limits, are recorded, and work the same in a
// worker and in process. A lookup reveals only declarations of the program's own grants.
type lookup struct {
	name   string // the name of the lookup in programs
	param  string
	result *message.Type
	doc    string
	answer func(ctx context.Context, text string) (value.Value, error)
	desc   message.Description // the description, shared by all tools with the same declarations
}

func (c *catalogue) lookups() []*lookup {
	text := &message.Type{Name: value.TypeText}
	texts := &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": text}}
	found := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "name", Type: text}, {Name: "paths", Type: texts}, {Name: "about", Type: text, Opt: true}, {Name: "members", Type: texts}}}
	all := []*lookup{
		{name: c.searchName, param: "words", result: &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": found}}, doc: "tables and services by words of their names and docs, best first, with the members that match",
			answer: func(ctx context.Context, s string) (value.Value, error) {
				if len(wordsOf(s)) == 0 {
					return value.Value{}, fail.Errorf(fail.Invalid, "", "there are no words to search for; write some, like %s(\"open invoices\")", c.searchName)
				}
				return c.found(c.search(ctx, s)), nil
			}},
		{name: c.describeName, param: "name", result: text, doc: "the declarations of a name that search or a declaration says, and the way to it",
			answer: func(_ context.Context, s string) (value.Value, error) {
				text, err := c.describe(s)
				return value.Text(text), err
			}},
	}
	for _, l := range all {
		l.desc = l.description()
	}
	return all
}

// kind returns the name of the lookup's interface. No other interface has this name, since it
// contains parentheses.
func (l *lookup) kind() string { return l.name + "()" }

// Describe implements exo.Object.
func (l *lookup) Describe() (message.Description, error) { return l.desc, nil }

func (l *lookup) description() message.Description {
	m := &message.Method{Name: l.name, Doc: l.doc, Sends: true, Result: &message.Term{Con: l.result},
		Params: []message.Param{{Name: "the " + l.param, Want: &message.Term{Con: &message.Type{Name: value.TypeText}}}}}
	i := &message.Interface{Name: l.kind(), Doc: l.doc, Call: l.name, Methods: map[string]*message.Method{l.name: m}, Order: []string{l.name}}
	return message.Description{Type: &message.Type{Name: i.Name}, Interfaces: []*message.Interface{i}, Doc: l.doc, Frozen: true}
}

// Eval implements exo.Object.
func (l *lookup) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	if len(m.Root.Args) != 1 || m.Root.Args[0].Op != message.OpLit {
		return value.Value{}, fail.ErrDenied
	}
	text := m.Root.Args[0].Lit.Text()
	if len(text) > maxAsked {
		return value.Value{}, fail.Errorf(fail.Invalid, "", "the question has %d bytes, more than the limit of %d; a few words are enough", len(text), maxAsked)
	}
	v, err := l.answer(ctx, text)
	if ctx.Err() != nil { // fail, since the search was stopped and the answer is incomplete
		return value.Value{}, ctx.Err()
	}
	if err != nil {
		return value.Value{}, err
	}
	return v, m.Spend(v.Len(), v.Bytes())
}

// freeName returns name, with a number if a grant already has the name.
func freeName(name string, granted []message.GrantedName) string {
	free := name
	for k := 2; slices.ContainsFunc(granted, func(g message.GrantedName) bool { return g.Name == free }); k++ {
		free = fmt.Sprintf("%s%d", name, k)
	}
	return free
}
