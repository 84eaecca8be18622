package exo

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"maps"
	"slices"
	"strings"
)

// Flow reports whether values with a tag can leave by one way out, whatever programs do.
type Flow struct {
	Tag  string   `json:"tag"`
	From []string `json:"from"` // the interfaces, fields and methods whose values have the tag
	To   string   `json:"to"`   // "result", or a method, by the name of a grant where one has its interface
	May  bool     `json:"may"`
	How  string   `json:"how"` // why not, or which part may
}

// ResultFlow is the Flow.To of the result of a run.
const ResultFlow = "result"

// Flows returns one Flow for each tag of the granted objects and each way out, sorted by tag and then by way. The ways out are the result,
// and each method that is a sink or has an effect. Flows reads the declarations: a [Sink] or a policy may admit less.
func (g *Gate) Flows() (out []Flow) {
	if !g.made() {
		return nil
	}
	names := map[string][]string{} // the names of the grants, by their interface
	chooses := map[string]Sink{}   // the grants that decide, for each message, what may leave by it
	for i, x := range g.granted {
		names[x.Type.Name] = append(names[x.Type.Name], x.Name)
		if o, ok := unwrapped(g.objects[i]).(Sink); ok {
			chooses[x.Name] = o
		}
	}
	for _, tag := range g.labels.Tags() {
		from := g.catalog.From(tag)
		result := g.result(tag)
		result.Tag, result.From, result.To = tag, from, ResultFlow
		out = append(out, result)
		for _, n := range g.catalog.Names() {
			i := g.catalog[n]
			for _, name := range slices.Sorted(maps.Keys(i.Methods)) {
				m := i.Methods[name]
				if !m.Sink && m.Effect == message.NoEffect {
					continue
				}
				as := names[n]
				if len(as) == 0 {
					as = []string{n}
				}
				for _, of := range as {
					f := g.by(tag, n, m)
					if _, kind, _ := value.TagParts(tag); f.May && kind != "" && m.Declassifies.Empty() && value.NewLabel(tag).FlowsTo(m.Admits) {
						f.How += whose(chooses[of], name)
					}
					f.Tag, f.From, f.To = tag, from, of+"."+name
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// whose is for a way out of values with readers: it says whether each call decides whose values may leave.
func whose(o Sink, method string) string {
	if c, ok := o.(interface{ Chooses(method string) bool }); o == nil || ok && !c.Chooses(method) {
		return "; of any reader, whatever the call is given"
	}
	return "; what the call is given decides of which readers"
}

// andResult adds to the advice for a write: results must admit the tag, too, since a program whose result may not leave keeps nothing.
func (g *Gate) andResult(tag string) string {
	if value.NewLabel(tag).FlowsTo(g.admits) || !partOf(tag, g.admits).Empty() {
		return ""
	}
	return ", and for results,"
}

// partOf returns the part of a tag that admits allows if it does not allow the whole tag: the values of some of its readers. A tag without
// readers has no parts, since every value has just this tag.
func partOf(tag string, admits value.Label) value.Label {
	if _, kind, _ := value.TagParts(tag); kind == "" {
		return value.Label{}
	}
	return value.NewLabel(tag).Meet(admits)
}

func (g *Gate) result(tag string) Flow {
	switch {
	case value.OfIntegrity(tag):
		return Flow{May: true, How: "a result may hold what outsiders wrote"}
	case value.NewLabel(tag).FlowsTo(g.admits):
		return Flow{May: true, How: "the result admits the tag"}
	case !partOf(tag, g.admits).Empty():
		var both value.Label // with several readers: the values that each of them may read
		for i, t := range partOf(tag, g.admits).Tags() {
			if l := value.NewLabel(t); i == 0 {
				both = l
			} else {
				both = both.Meet(l)
			}
		}
		return Flow{May: true, How: "the result admits " + both.List() + "; other values are sealed there"}
	}
	if !value.NewLabel(tag).FlowsTo(g.catalog.Seals()) { // the tag is on rows or on a reply, which are not sealed
		return Flow{How: "the result does not admit the tag: a program that has read such a value returns nothing"}
	}
	return Flow{How: "the result does not admit the tag: such values are sealed there, and a program that has read one returns nothing"}
}

// keyOf names the place where a host declares what a write may carry: the columns, if the method sets columns, and otherwise the facet.
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

// demands asks the objects what else a method changes that demands trust, and so is refused to programs that have read what outsiders wrote.
// The declarations don't have that: a database may change more rows than the method names.
func (g *Gate) demands(of, method string) (by []string) {
	for _, all := range g.stores {
		for _, o := range all {
			if d, ok := o.(interface {
				Demands(of, method string, granted []Object) []string
			}); ok {
				by = append(by, d.Demands(of, method, all)...)
			}
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

// by returns the flow through a method of an interface.
func (g *Gate) by(tag, of string, m *message.Method) Flow {
	admitted := value.NewLabel(tag).FlowsTo(m.Admits)
	if !m.Declassifies.Empty() {
		switch {
		case value.OfIntegrity(tag):
			return Flow{How: "the method declassifies: a program that has read such a value is refused"}
		case value.NewLabel(tag).FlowsTo(m.Declassifies):
			return Flow{May: true, How: fmt.Sprintf("the method declassifies the tag: at most %d bits of sealed values a call, from the budget of the principal's day", m.Bits())}
		case !partOf(tag, m.Declassifies).Empty():
			return Flow{May: true, How: fmt.Sprintf("the method declassifies %s, and no other value: at most %d bits a call, from the budget of the principal's day", partOf(tag, m.Declassifies).List(), m.Bits())}
		}
	}
	if value.OfIntegrity(tag) {
		if (m.Effect == message.Held || m.Effect == message.Immediate) && !admitted {
			return Flow{How: "the method acts, and does not admit the tag: a program that has read such a value is refused"}
		}
		if m.Trusted {
			return Flow{How: "the method demands trust: a program that has read such a value is refused"}
		}
		demands := g.demands(of, m.Name)
		if len(demands) > 0 && len(m.Params) == 0 {
			return Flow{How: "the method also changes what demands trust (" + strings.Join(demands, ", ") + "): a program that has read such a value is refused"}
		}
		f := Flow{May: true, How: "the method admits the tag"}
		switch {
		case admitted:
		case m.Effect == message.InUnit:
			f.How = "the method changes only what is stored: what is written there without the tag counts as trusted afterwards"
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
	// A program that has read such a value keeps its changes only if its result may leave. If the tag has readers, a result with the
	// values of some readers may leave, and a result with the values of others may not.
	kept, others := value.NewLabel(tag).FlowsTo(g.admits), ""
	if part := partOf(tag, g.admits); !kept && !part.Empty() {
		kept, others = true, "; a program that has read another value than "+part.List()+" keeps nothing"
	}
	if only := m.WrittenTo(tag); !admitted && len(only) > 0 {
		if kept {
			return Flow{May: true, How: "only into " + strings.Join(only, ", ") + ", which has or admits the tag" + others}
		}
		return Flow{How: "the value may go only into " + strings.Join(only, ", ") + ", and of a program that has read one nothing is kept, since its result may not leave"}
	}
	switch {
	case !admitted && !partOf(tag, m.Admits).Empty():
		return Flow{May: true, How: "the method admits " + partOf(tag, m.Admits).List() + ", and no other value"}
	case !admitted && m.Effect == message.InUnit:
		return Flow{How: "neither the method nor its arguments admit the tag: a call with such a value, or by a program that has read one, is refused; `admits: [" + value.NewLabel(tag).About().List() + "]` at " + keyOf(m) + g.andResult(tag) + " allows it"}
	case !admitted:
		return Flow{How: "the method does not admit the tag: a call with such a value, or by a program that has read one, is refused"}
	case kept && m.Effect == message.InUnit:
		return Flow{May: true, How: "the method admits the tag: what is stored may reveal such values" + others}
	case kept:
		return Flow{May: true, How: "the method admits the tag" + others}
	}
	if m.Effect == message.Held {
		return Flow{May: true, How: "the method admits the tag, as a sealed value: a program that has read one changes nothing, since its result may not leave"}
	}
	if m.Effect == message.Immediate {
		return Flow{How: "the method admits the tag and acts at once: a call by a program that has read such a value is refused, since its result may not leave"}
	}
	return Flow{May: true, How: "the method admits the tag; a program that has read such a value can't return it"}
}
