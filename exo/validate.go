package exo

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/internal/scalar"
)

// validate refuses interfaces whose members could not be told apart or would
// mean something else in JavaScript.
func (i *Interface) validate() error {
	if i.Name == "" || undescribed(i.Name) {
		return fmt.Errorf("%q can't be the name of an interface", i.Name)
	}
	if i.Call != "" && (i.Methods[i.Call] == nil || len(i.Methods) > 1 || len(i.Fields) > 0) {
		return fmt.Errorf("%s: what can be called has that one method, %q, and nothing else", i.Name, i.Call)
	}
	if m := i.Methods[i.Keys]; i.Keys != "" && (m == nil || m.Sends || len(m.Params) != 1 || !m.Params[0].Fixed) {
		return fmt.Errorf("%s: what reading a key stands for, %q, has to be a method that sends nothing and takes one value", i.Name, i.Keys)
	}
	for n := range i.Fields {
		if scalar.ReservedName(n) {
			return fmt.Errorf("%s: %q can't be the name of a field", i.Name, n)
		}
		if i.Methods[n] != nil {
			return fmt.Errorf("%s: %q is both a field and a method", i.Name, n)
		}
	}
	for n, m := range i.Methods {
		if m == nil || checkName(n) != nil || i.Methods[m.Name] != m {
			return fmt.Errorf("%s: method %q is malformed", i.Name, n)
		}
		switch {
		case m.Effect >= effectModes || m.Effect != NoEffect && !m.Sends:
			return fmt.Errorf("%s.%s: a method with an effect sends, and its effect is one of the EffectModes", i.Name, m.Name)
		case m.Nested != nil && (m.Effect != NoEffect || m.Sink):
			return fmt.Errorf("%s.%s: what stands in a callback too is neither a sink nor an effect", i.Name, m.Name)
		case m.Total && (!i.Expr || m.Sends || m.Row || m.Nested != nil || slices.ContainsFunc(m.Params, func(p Param) bool { return p.Lambda != nil })):
			return fmt.Errorf("%s.%s: what is total is a method of an expression, sends nothing and takes no callback", i.Name, m.Name)
		case m.Trusted && !m.Sends:
			return fmt.Errorf("%s.%s: a method that demands trust sends", i.Name, m.Name)
		case m.Effect == Held && !isReceipt(m.Result):
			return fmt.Errorf("%s.%s: what is held replies with a Receipt", i.Name, m.Name)
		}
		if err := m.checkDeclassifies(); err != nil {
			return fmt.Errorf("%s.%s: %w", i.Name, m.Name, err)
		}
		for k := range m.Params {
			if m.Params[k].Want == nil || k > 0 && m.Params[k-1].Opt && !m.Params[k].Opt {
				return fmt.Errorf("%s.%s: parameter %d is malformed", i.Name, m.Name, k)
			}
		}
	}
	return i.checkLabels()
}
