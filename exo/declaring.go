package exo

import "fmt"

// LabelDeclarer is an object that has to know which of its fields are labelled: the order of its rows and what it counts for a value
// depend on it. So a policy can't add a label of secrecy to one of them: the gate would seal the value, and what else
// of it shows would stay.
type LabelDeclarer interface {
	Object
	DeclaresLabels()
}

// declaresLabels refuses labels of secrecy that a policy adds to fields of an object that has to know of them.
func declaresLabels(o Object, own, met Description) error {
	if _, ok := unwrapped(o).(LabelDeclarer); !ok {
		return nil
	}
	for _, i := range met.Interfaces {
		if was := own.Interface(i.Name).Label; !i.Label.Secrecy().FlowsTo(was) {
			return fmt.Errorf("exo: a policy labels %s %s, and its object doesn't know: label it where it is declared", i.Name, i.Label.Secrecy().without(was))
		}
		for name, f := range i.Fields {
			if was := own.Interface(i.Name).Fields[name]; !f.Label.Secrecy().FlowsTo(was.Label) {
				return fmt.Errorf("exo: a policy labels %s.%s %s, and its object doesn't know: label it where it is declared", i.Name, name, f.Label.Secrecy().without(was.Label))
			}
		}
	}
	return nil
}

// narrowed is what f makes of o's description.
func narrowed(o Object, f func(*Description) error) (*Narrowing, error) {
	d, err := o.Describe()
	if err != nil {
		return nil, err
	}
	return Narrow(d, f, func(met Description) error { return declaresLabels(o, d, met) })
}
