package exo

import (
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo/internal/flow"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Flow reports whether values with a tag can leave by one way out, whatever programs do.
type Flow struct {
	Tag  string   `json:"tag"`
	From []string `json:"from"` // the interfaces, fields and methods that have values with the tag
	To   string   `json:"to"`   // "result", or a method, written with the name of a grant that has it, or else with its interface
	May  bool     `json:"may"`
	How  string   `json:"how"` // the reason why the values can't leave, or the part of them that can
}

// ResultFlow is the Flow.To of the result of a run.
const ResultFlow = "result"

// Flows returns one Flow for each tag of the granted objects and each way out, sorted by tag and then by way. The ways out are the result,
// and each method that is a sink or has an effect. Flows reads the declarations: a [Sink] or a policy may admit less.
func (g *Gate) Flows() (out []Flow) {
	if !g.made() {
		return nil
	}
	names := map[string][]string{} // the names of the grants, by interface
	chooses := map[string]Sink{}   // the grants that decide for each message which labels it may carry
	for i, x := range g.granted {
		names[x.Type.Name] = append(names[x.Type.Name], x.Name)
		if o, ok := unwrapped(g.objects[i]).(Sink); ok {
			chooses[x.Name] = o
		}
	}
	for _, tag := range g.labels.Tags() {
		from := g.catalog.From(tag)
		w := flow.Result(tag, g.admits, g.catalog.Seals())
		out = append(out, Flow{Tag: tag, From: from, To: ResultFlow, May: w.May, How: w.How})
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
					f := flow.By(tag, m, g.admits, func() []string { return g.demands(n, m.Name) })
					if _, kind, _ := value.TagParts(tag); f.May && kind != "" && m.Declassifies.Empty() && value.NewLabel(tag).FlowsTo(m.Admits) {
						f.How += readersText(chooses[of], name)
					}
					out = append(out, Flow{Tag: tag, From: from, To: of + "." + name, May: f.May, How: f.How})
				}
			}
		}
	}
	return out
}

// readersText returns the end of a Flow's How for a tag with readers: values of any reader may leave, or the arguments of a call choose the readers.
func readersText(o Sink, method string) string {
	if c, ok := o.(interface{ Chooses(method string) bool }); o == nil || ok && !c.Chooses(method) {
		return "; values of any reader, whatever the call's arguments are"
	}
	return "; the call's arguments decide of which readers"
}

// demands returns the other changes that a method makes and that demand trust, as the objects report them: a database may change more rows
// than the method names. Programs that have read what outsiders wrote may not make them.
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
