package message

// This file has the description that an object gives of itself. merge.go puts it into a catalogue.

import "reflect"

// Description is what an object publishes about itself: its type, and the interfaces that can be reached from it.
type Description struct {
	Type       *Type        // one of Interfaces, with its type arguments
	Interfaces []*Interface // everything that can be reached from Type
	Doc        string       // one line for readers of the declarations

	// Frozen promises that Type, Interfaces, and everything that these refer to will never change.
	// Then gates compare descriptions by the address of their Interfaces, without copying them.
	Frozen bool
}

// Interface returns the interface of this name, or nil.
func (d Description) Interface(name string) *Interface {
	for _, i := range d.Interfaces {
		if i.Name == name {
			return i
		}
	}
	return nil
}

// Clone returns a copy that shares nothing with d except labels, which can't change.
func (d Description) Clone() Description {
	c := Description{Type: renamer{}.typ(d.Type), Doc: d.Doc}
	for _, i := range d.Interfaces {
		c.Interfaces = append(c.Interfaces, renamer{}.iface(i))
	}
	return c
}

// SameInterface reports whether a and b are the same interface, or equal.
func SameInterface(a, b *Interface) bool { return a == b || reflect.DeepEqual(a, b) }
