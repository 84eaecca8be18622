package codemode

import (
	"encoding/json"
	"math"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
)

// Prompted is what the description of a tool is made of, for tests.
func Prompted(g Grants, opt *Options) (rules map[string]string, examples []string, err error) {
	gate, err := exo.NewGate(exo.Config{Grants: g, Record: exo.Unrecorded})
	if err != nil {
		return nil, nil, err
	}
	d := newDeclarer(gate.Catalog(), gate.Granted())
	p := &prompt{catalog: d.cat, granted: d.granted, types: d.types}
	if opt != nil {
		p.admits = opt.Admits
	}
	rules = map[string]string{}
	for _, r := range p.rules() {
		rules[r.id] = r.text
	}
	for _, e := range p.examples() {
		examples = append(examples, e.Code)
	}
	return rules, examples, nil
}

// Render, Measure and MaxNotice are for the tests of cutting.
var (
	Render = func(v value.Value, limit int, advice string) (json.RawMessage, string, error) {
		framed, notice, err := render(v, limit, advice)
		if err != nil {
			return nil, "", err
		}
		return resultIn(framed), notice, nil
	}
	Measure = func(v value.Value) (int, error) { return v.JSONSize(math.MaxInt) }
)

const MaxNotice = maxNotice

// Hits is how many places search looks at for one word.
func Hits(g Grants, word string) (n int) {
	gate, err := exo.NewGate(exo.Config{Grants: g, Record: exo.Unrecorded})
	if err != nil {
		panic(err)
	}
	d := newDeclarer(gate.Catalog(), gate.Granted())
	all := d.declare()
	newCatalogue(all, d.entries(all), gate.Granted()).lookUp(word, (&budget{hits: maxAllHits, typos: maxTypos}).share(1), func(hit, int) { n++ })
	return n
}
