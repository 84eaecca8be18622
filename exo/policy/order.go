package policy

// This file has rules about the order of a run's calls.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Calls names some methods of an object.
type Calls struct {
	Of      exo.Object
	Methods []string
}

// After wraps the objects of x and never, so that a run that has called a method of x can't call one of never later. For example, a program that has
// read the tickets can't send mail. A message that calls both is refused, too. If both objects are the same, so are both results. A call counts even if
// it fails later. The rule also applies to objects that the wrapped objects return. Grant the results instead of the objects. Calls of earlier programs
// don't count; use labels for that.
func After(x, never Calls) (first, then exo.Object) {
	key := new(byte) // a key that only this rule has
	called := func(m *exo.Message) *atomic.Bool {
		return m.PerRun(key, func() any { return new(atomic.Bool) }).(*atomic.Bool)
	}
	x.Methods, never.Methods = slices.Clone(x.Methods), slices.Clone(never.Methods)
	notes := exo.Policy{Blind: true, Narrow: named("After", x.Methods), Refusal: usedUp, Before: func(m *exo.Message) bool {
		if calls(m.Root, x.Methods, map[*message.Node]bool{}) {
			called(m).Store(true)
		}
		return true
	}}
	refuses := exo.Policy{Blind: true, Narrow: named("After", never.Methods),
		Refusal: fmt.Sprintf("a program that has called %s can't call %s any more: call it before that, or in another program", strings.Join(x.Methods, " or "), strings.Join(never.Methods, " or ")),
		Before: func(m *exo.Message) bool {
			return !calls(m.Root, never.Methods, map[*message.Node]bool{}) || !called(m).Load() && !calls(m.Root, x.Methods, map[*message.Node]bool{})
		}}
	if same(x.Of, never.Of) {
		o := exo.Wrap(exo.Wrap(x.Of, refuses), notes)
		return o, o
	}
	return exo.Wrap(x.Of, notes), exo.Wrap(never.Of, refuses)
}

// Once lets each run make one call of these methods of o, and of the objects that it returns. The call counts even if it fails later.
func Once(o exo.Object, methods ...string) exo.Object {
	key := new(byte) // a key that only this rule has
	methods = slices.Clone(methods)
	return exo.Wrap(o, exo.Policy{Blind: true, Narrow: named("Once", methods),
		Refusal: fmt.Sprintf("a program may call %s only once, and this one already has", strings.Join(methods, " or ")),
		Before: func(m *exo.Message) bool {
			if !calls(m.Root, methods, map[*message.Node]bool{}) {
				return true
			}
			return m.PerRun(key, func() any { return new(atomic.Bool) }).(*atomic.Bool).CompareAndSwap(false, true)
		}})
}

// named returns a Narrow function that changes nothing. The function fails if a method of the rule does not exist, so that a misspelt one is found.
func named(rule string, methods []string) func(*message.Description) error {
	return func(d *message.Description) error {
		if len(methods) == 0 {
			return errors.New("policy: " + rule + " got no names of methods: pass at least one")
		}
		for _, name := range methods {
			if !slices.ContainsFunc(d.Interfaces, func(i *message.Interface) bool { return i.Methods[name] != nil && i.Methods[name].Name == name }) {
				return fmt.Errorf("policy: %s: the object has no method %q: correct the name", rule, name)
			}
		}
		return nil
	}
}

// same reports whether two objects are identical. It returns false for types that can't be compared.
func same(a, b exo.Object) (is bool) {
	defer func() { _ = recover() }()
	return a == b
}
