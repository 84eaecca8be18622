package message

// This file has an object's description of itself. merge.go puts it into a catalogue.

import "reflect"

// Description is an object's description of itself: its type, and the interfaces that can be reached from it.
type Description struct {
	Type       *Type        // an interface among Interfaces, with its arguments
	Interfaces []*Interface // everything that can be reached from Type
	Doc        string       // one line for the reader of the declarations

	// Frozen promises that Type, Interfaces, and all that they refer to will never change. Then
	// gates compare two descriptions by the address of their Interfaces, and don't copy them.
	Frozen bool
}

// Interface is the interface of this name, nil if there is none.
func (d Description) Interface(name string) *Interface {
	for _, i := range d.Interfaces {
		if i.Name == name {
			return i
		}
	}
	return nil
}

// Clone is a copy that shares nothing with d but the labels, which can't change.
func (d Description) Clone() Description {
	c := Description{Type: renamer{}.typ(d.Type), Doc: d.Doc}
	for _, i := range d.Interfaces {
		c.Interfaces = append(c.Interfaces, renamer{}.iface(i))
	}
	return c
}

// SameInterface reports whether two interfaces are one, or equal.
func SameInterface(a, b *Interface) bool { return a == b || reflect.DeepEqual(a, b) }
