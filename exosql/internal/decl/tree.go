package decl

import (
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Turns reports whether a link leads from the facet's rows to rows of the same facet, so that it can be followed again.
func (f *Facet) Turns(l *LinkMember) bool { return l != nil && l.To == f && l.L.From == f.Table }

// DepthName returns the name that programs use for the depth of a row in a tree, or "" if every name is taken.
func (f *Facet) DepthName() string { return language.DepthName(f.taken) }

// recursive returns the method that follows a link again and again, or nil if no link of the facet leads
// back to the facet. The method's label has the labels of these links' keys, on which its rows depend.
func (f *Facet) recursive() *message.Method {
	var label value.Label
	found := false
	for i := range f.Links {
		if l := &f.Links[i]; f.Turns(l) {
			found = true
			for _, p := range l.L.Pairs {
				label = label.Join(p.From.Label).Join(p.To.Label)
			}
		}
	}
	if !found {
		return nil
	}
	row := &message.Type{Name: f.iface}
	if name := f.DepthName(); name != "" {
		row.Fields = []message.TypeField{{Name: name, Type: language.DepthType()}}
	}
	m := language.Tree(&message.Type{Name: f.iface + language.QueryInterface, Args: map[string]*message.Type{
		"ns": {Name: value.TypeRecord, Fields: []message.TypeField{{Name: f.Alias, Type: row}}}, "row": row,
	}})
	m.Label = label
	return m
}
