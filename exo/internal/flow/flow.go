// Package flow decides whether values with a tag can leave by a way out, and explains why.
package flow

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Way describes whether values can leave by one way out.
type Way struct {
	May bool
	How string // the reason why they can't, or the part of them that can
}

// partOf returns the label of those values with the tag that may leave to admits: the values of some readers. It returns the zero Label for a tag
// without readers.
func partOf(tag string, admits value.Label) value.Label {
	if _, kind, _ := value.TagParts(tag); kind == "" {
		return value.Label{}
	}
	return value.NewLabel(tag).Meet(admits)
}

// andResult returns advice to add for a write: results must admit the tag, too, since a program with a result that may not leave keeps no changes.
func andResult(tag string, admits value.Label) string {
	if value.NewLabel(tag).FlowsTo(admits) || !partOf(tag, admits).Empty() {
		return ""
	}
	return ", and for results,"
}

// Result describes the way out through the result of a run. admits is what it admits, and values with labels that flow to seals are sealed.
func Result(tag string, admits, seals value.Label) Way {
	switch {
	case value.OfIntegrity(tag):
		return Way{May: true, How: "a result may hold what outsiders wrote"}
	case value.NewLabel(tag).FlowsTo(admits):
		return Way{May: true, How: "the result admits the tag"}
	case !partOf(tag, admits).Empty():
		var both value.Label // a tag for several readers means only values that all of them may read
		for i, t := range partOf(tag, admits).Tags() {
			if l := value.NewLabel(t); i == 0 {
				both = l
			} else {
				both = both.Meet(l)
			}
		}
		return Way{May: true, How: "the result admits " + both.List() + "; other values are sealed there"}
	}
	if !value.NewLabel(tag).FlowsTo(seals) { // rows and replies are not sealed, and the tag is on one of these
		return Way{How: "the result does not admit the tag: a program that has read such a value returns nothing"}
	}
	return Way{How: "the result does not admit the tag: such values are sealed there, and a program that has read one returns nothing"}
}

// keyOf names the place where a host declares what a write may carry: the columns if the method sets columns, otherwise the facet.
func keyOf(m *message.Method) string {
	var names []string
	for _, p := range m.Params {
		if p.Lambda != nil && p.Want != nil && p.Want.Con != nil {
			for _, f := range p.Want.Con.Fields {
				names = append(names, f.Name)
			}
		}
	}
	if names == nil {
		return "its facet"
	}
	return strings.Join(names, ", ")
}

// By describes the way out through a method. admits is what results admit; asks names the other changes of the method that demand trust.
func By(tag string, m *message.Method, admits value.Label, asks func() []string) Way {
	admitted := value.NewLabel(tag).FlowsTo(m.Admits)
	if !m.Declassifies.Empty() {
		switch {
		case value.OfIntegrity(tag):
			return Way{How: "the method declassifies: a program that has read such a value is refused"}
		case value.NewLabel(tag).FlowsTo(m.Declassifies):
			return Way{May: true, How: fmt.Sprintf("the method declassifies the tag: a call reveals at most %d bits of sealed values, which count against the principal's daily budget", m.Bits())}
		case !partOf(tag, m.Declassifies).Empty():
			return Way{May: true, How: fmt.Sprintf("the method declassifies %s, and no other value: a call reveals at most %d bits, which count against the principal's daily budget", partOf(tag, m.Declassifies).List(), m.Bits())}
		}
	}
	if value.OfIntegrity(tag) {
		if (m.Effect == message.Held || m.Effect == message.Immediate) && !admitted {
			return Way{How: "the method acts, and does not admit the tag: a program that has read such a value is refused"}
		}
		if m.Trusted {
			return Way{How: "the method demands trust: a program that has read such a value is refused"}
		}
		demands := asks()
		if len(demands) > 0 && len(m.Params) == 0 {
			return Way{How: "the method also changes what demands trust (" + strings.Join(demands, ", ") + "): a program that has read such a value is refused"}
		}
		f := Way{May: true, How: "the method admits the tag"}
		switch {
		case admitted:
		case m.Effect == message.InUnit:
			f.How = "the method changes only stored data; data that it writes without the tag counts as trusted afterwards"
		default:
			f.How = "the method changes nothing"
		}
		for _, p := range m.Params {
			demands = append(demands, p.Want.Con.Trusting()...)
		}
		if len(demands) > 0 {
			f.How += "; not by " + strings.Join(demands, ", ")
		}
		return f
	}
	// A program that has read such a value keeps its changes only if its result may leave. If the tag has readers, that may depend
	// on the reader.
	kept, others := value.NewLabel(tag).FlowsTo(admits), ""
	if part := partOf(tag, admits); !kept && !part.Empty() {
		kept, others = true, "; a program that has read another value with the tag than "+part.List()+" keeps no changes"
	}
	if only := m.WrittenTo(tag); !admitted && len(only) > 0 {
		if kept {
			return Way{May: true, How: "only into " + strings.Join(only, ", ") + ", which has or admits the tag" + others}
		}
		return Way{How: "the value may go only into " + strings.Join(only, ", ") + ", and a program that has read one keeps no changes, since its result may not leave"}
	}
	switch {
	case !admitted && !partOf(tag, m.Admits).Empty():
		return Way{May: true, How: "the method admits " + partOf(tag, m.Admits).List() + ", and no other value"}
	case !admitted && m.Effect == message.InUnit:
		return Way{How: "neither the method nor its arguments admit the tag: a call with such a value, or by a program that has read one, is refused; `admits: [" + value.NewLabel(tag).About().List() + "]` at " + keyOf(m) + andResult(tag, admits) + " allows it"}
	case !admitted:
		return Way{How: "the method does not admit the tag: a call with such a value, or by a program that has read one, is refused"}
	case kept && m.Effect == message.InUnit:
		return Way{May: true, How: "the method admits the tag: what is stored may reveal such values" + others}
	case kept:
		return Way{May: true, How: "the method admits the tag" + others}
	}
	if m.Effect == message.Held {
		return Way{May: true, How: "the method admits the tag, as a sealed value: a program that has read one changes nothing, since its result may not leave"}
	}
	if m.Effect == message.Immediate {
		return Way{How: "the method admits the tag and acts at once: a call by a program that has read such a value is refused, since its result may not leave"}
	}
	return Way{May: true, How: "the method admits the tag; a program that has read such a value can't return it"}
}
