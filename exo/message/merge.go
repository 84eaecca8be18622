package message

// This file merges the descriptions of all granted objects into one catalogue, after validate.go has checked each interface.

import "fmt"

// Objects with the same declaration share its interfaces. So a gate validates each interface once,
// and later recognizes it by its address. The cost grows with the number of interfaces, not with the
// number of grants.

// merger collects the interfaces of descriptions.
type merger struct {
	All    Catalog
	valid  map[*Interface]bool        // the interfaces of frozen descriptions, already validated
	frozen map[**Interface]frozenList // the lists of frozen descriptions in the catalogue, by the address of their first item
}

// frozenList has the interfaces of a frozen description, which several objects share.
type frozenList struct {
	n     int
	names Catalog
}

// NewMerger makes a merger without interfaces.
func NewMerger() *merger {
	return &merger{All: Catalog{}, valid: map[*Interface]bool{}, frozen: map[**Interface]frozenList{}}
}

// Add merges a description, and returns the form that the gate keeps: a copy, unless the description is frozen.
func (m *merger) Add(d Description) (Description, error) {
	if known, ok := m.known(d); ok {
		return d, known.types(d.Type)
	}
	own := make(Catalog, len(d.Interfaces))
	if err := own.take(d, m.valid); err != nil {
		return d, err
	}
	if !d.Frozen { // copied, since a host that changed the interface later would change other tools, too
		d = d.Clone()
	} else if len(d.Interfaces) > 0 {
		for _, i := range d.Interfaces {
			m.valid[i] = true
		}
		m.frozen[&d.Interfaces[0]] = frozenList{len(d.Interfaces), own}
	}
	return d, m.All.take(d, m.valid)
}

// known returns the interfaces of an earlier frozen description with the same list. For a
// description that is not frozen it returns none, since that may have changed.
func (m *merger) known(d Description) (Catalog, bool) {
	if !d.Frozen || len(d.Interfaces) == 0 {
		return nil, false
	}
	l, ok := m.frozen[&d.Interfaces[0]]
	return l.names, ok && l.n == len(d.Interfaces)
}

// Merge validates the interfaces of a description and adds them.
func (c Catalog) Merge(d Description) error { return c.take(d, nil) }

// take merges like Merge, but does not validate the interfaces in valid again.
func (c Catalog) take(d Description, valid map[*Interface]bool) error {
	for _, i := range d.Interfaces {
		if !valid[i] {
			if err := i.Validate(); err != nil {
				return err
			}
		}
		old := c[i.Name]
		if old == nil {
			c[i.Name] = i
		} else if !SameInterface(old, i) {
			return twoNamed(old, i)
		}
	}
	return c.types(d.Type)
}

// twoNamed returns the error for two interfaces of one name. If only the label for the objects' existence differs, the error
// names both labels: the host granted one table with two scopes, and labelled one of them.
func twoNamed(old, i *Interface) error {
	alike := *old
	if alike.Label, alike.LabelBy = i.Label, i.LabelBy; !old.Label.Equal(i.Label) && SameInterface(&alike, i) {
		return fmt.Errorf("two interfaces are named %s, and their objects have different labels: %s and %s; give one of them another name", i.Name, old.Label, i.Label)
	}
	return fmt.Errorf("two different interfaces are named %s: give one of them another name", i.Name)
}

// types fails unless t, the type of an object, is one of these interfaces.
func (c Catalog) types(t *Type) error {
	if t == nil || c[t.Name] == nil {
		return fmt.Errorf("Description.Type is not among Description.Interfaces: add its interface there")
	}
	return nil
}
