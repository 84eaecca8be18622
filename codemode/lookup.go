package codemode

import (
	"context"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
)

// lookup is search or describe as a granted object: what a program asks of the
// catalogue passes the gate like any other call, so that it counts against the
// limits, is on record, and is the same in a worker and in process. It holds
// nothing but declarations, which are no secret of this program: they are made of
// what it was granted.
type lookup struct {
	name   string // what programs call it
	param  string
	result *exo.Type
	doc    string
	answer func(ctx context.Context, text string) (exo.Value, error)
	desc   exo.Description // the same for all tools of the same declarations
}

func (c *catalogue) lookups() []*lookup {
	text := &exo.Type{Name: exo.TypeText}
	texts := &exo.Type{Name: exo.TypeList, Args: map[string]*exo.Type{"of": text}}
	found := &exo.Type{Name: exo.TypeRecord, Fields: []exo.TypeField{{Name: "name", Type: text}, {Name: "paths", Type: texts}, {Name: "about", Type: text, Opt: true}, {Name: "members", Type: texts}}}
	all := []*lookup{
		{name: c.searchName, param: "words", result: &exo.Type{Name: exo.TypeList, Args: map[string]*exo.Type{"of": found}}, doc: "tables and services by words of their names and docs, best first, with the members that match",
			answer: func(ctx context.Context, s string) (exo.Value, error) {
				if len(wordsOf(s)) == 0 {
					return exo.Value{}, exo.Errorf(exo.Invalid, "", "there are no words to search for; write some, like %s(\"open invoices\")", c.searchName)
				}
				return c.found(c.search(ctx, s)), nil
			}},
		{name: c.describeName, param: "name", result: text, doc: "the declarations of a name that search or a declaration says, and the way to it",
			answer: func(_ context.Context, s string) (exo.Value, error) {
				text, err := c.describe(s)
				return exo.Text(text), err
			}},
	}
	for _, l := range all {
		l.desc = l.description()
	}
	return all
}

// kind is the name of the lookup's interface. No other interface has such a name:
// those are words.
func (l *lookup) kind() string { return l.name + "()" }

// Describe implements exo.Object.
func (l *lookup) Describe() (exo.Description, error) { return l.desc, nil }

func (l *lookup) description() exo.Description {
	m := &exo.Method{Name: l.name, Doc: l.doc, Sends: true, Result: &exo.Term{Con: l.result},
		Params: []exo.Param{{Name: "the " + l.param, Want: &exo.Term{Con: &exo.Type{Name: exo.TypeText}}}}}
	i := &exo.Interface{Name: l.kind(), Doc: l.doc, Call: l.name, Methods: map[string]*exo.Method{l.name: m}, Order: []string{l.name}}
	return exo.Description{Type: &exo.Type{Name: i.Name}, Interfaces: []*exo.Interface{i}, Doc: l.doc, Frozen: true}
}

// Eval implements exo.Object.
func (l *lookup) Eval(ctx context.Context, m *exo.Message) (exo.Value, error) {
	if len(m.Root.Args) != 1 || m.Root.Args[0].Op != exo.OpLit {
		return exo.Value{}, exo.ErrDenied
	}
	text := m.Root.Args[0].Lit.Text()
	if len(text) > maxAsked {
		return exo.Value{}, exo.Errorf(exo.Invalid, "", "what is asked for has %d bytes; a few words do, at most %d bytes", len(text), maxAsked)
	}
	v, err := l.answer(ctx, text)
	if ctx.Err() != nil { // before the end: what was found is not all
		return exo.Value{}, ctx.Err()
	}
	if err != nil {
		return exo.Value{}, err
	}
	return v, m.Spend(v.Len(), v.Bytes())
}

// freeName is name, unless something that was granted has it.
func freeName(name string, granted []exo.GrantedName) string {
	free := name
	for k := 2; slices.ContainsFunc(granted, func(g exo.GrantedName) bool { return g.Name == free }); k++ {
		free = fmt.Sprintf("%s%d", name, k)
	}
	return free
}
