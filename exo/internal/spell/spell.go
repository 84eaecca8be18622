// Package spell writes a message as text, in the form of a program, for a person who decides about it.
package spell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Message writes a whole message. names has the name of the object in each slot; a missing name is written as "object". If the text is longer
// than most bytes, ok is false and text is its beginning.
func Message(root *message.Node, names []string, most int) (text string, ok bool) {
	s := speller{names: names, most: most, params: map[*message.Node]string{}}
	s.node(root)
	if ok = s.b.Len() <= most; !ok {
		return strings.ToValidUTF8(s.b.String()[:most], ""), false
	}
	return s.b.String(), true
}

type speller struct {
	b      strings.Builder
	names  []string // the names of the objects, by slot
	most   int
	params map[*message.Node]string
}

func (s *speller) node(n *message.Node) {
	if s.b.Len() > s.most { // the text is bounded while it grows, since it repeats the shared parts of a message
		return
	}
	switch n.Op {
	case message.OpRef:
		name := "object"
		if n.Slot < len(s.names) {
			name = s.names[n.Slot]
		}
		s.b.WriteString(name)
	case message.OpLit:
		s.literal(n.Lit)
	case message.OpParam:
		s.b.WriteString(s.param(n))
	case message.OpField:
		s.node(n.Recv)
		s.b.WriteString("." + n.Name)
	case message.OpCall:
		s.node(n.Recv)
		s.b.WriteString("." + n.Name)
		s.list('(', ')', nil, n.Args)
	case message.OpLambda:
		s.b.WriteString("(" + s.param(n.Recv) + " => ")
		s.node(n.Args[0])
		s.b.WriteByte(')')
	case message.OpRecord:
		s.list('{', '}', n.Names, n.Args)
	case message.OpList:
		s.list('[', ']', nil, n.Args)
	}
}

// param returns the name of a callback's placeholder. Each placeholder has its own name.
func (s *speller) param(n *message.Node) string {
	if s.params[n] == "" {
		s.params[n] = fmt.Sprintf("x%d", len(s.params)+1)
	}
	return s.params[n]
}

func (s *speller) list(open, close byte, names []string, ns []*message.Node) {
	s.b.WriteByte(open)
	for i, n := range ns {
		if i > 0 {
			s.b.WriteString(", ")
		}
		if names != nil {
			s.literal(value.Text(names[i]))
			s.b.WriteString(": ")
		}
		s.node(n)
	}
	s.b.WriteByte(close)
}

// literal writes a value as JSON. It escapes characters that change how others are displayed, such
// as those that reverse the direction of writing.
func (s *speller) literal(v value.Value) {
	text, err := v.AppendJSON(nil)
	if err != nil {
		s.b.WriteString(strconv.Quote(err.Error()))
		return
	}
	for _, r := range string(text) {
		switch {
		case strconv.IsPrint(r):
			s.b.WriteRune(r)
		case r > 0xffff:
			a, b := utf16.EncodeRune(r)
			fmt.Fprintf(&s.b, `\u%04x\u%04x`, a, b)
		default:
			fmt.Fprintf(&s.b, `\u%04x`, r)
		}
	}
}
