package worker

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
)

// The head of a job is the world of its run. It is the same for all runs of an
// evaluator and is written once. What only readers of declarations need, the
// documentation, stays with the host.

func appendWorld(b []byte, w *exoeval.World) []byte {
	l := w.Limits
	for _, d := range durations(&l) {
		b = binary.AppendVarint(b, int64(*d))
	}
	for _, n := range sizes(&l) {
		b = binary.AppendVarint(b, int64(*n))
	}
	b = appendCount(b, len(w.Granted))
	for _, g := range w.Granted {
		b = appendType(binary.AppendUvarint(appendText(b, g.Name), uint64(g.ID)), g.Type)
	}
	b = appendTexts(b, w.Describing)
	return appendCatalog(b, w.Catalog)
}

func (r *valueReader) world() *exoeval.World {
	w := &exoeval.World{}
	for _, d := range durations(&w.Limits) {
		*d = time.Duration(r.int())
	}
	for _, n := range sizes(&w.Limits) {
		*n = int(r.int())
	}
	w.Granted = make([]exo.Granted, r.count(3))
	for i := range w.Granted {
		w.Granted[i] = exo.Granted{Name: r.text(), ID: uint32(r.upTo(1<<32 - 1)), Type: r.typ()}
	}
	w.Describing = r.texts()
	w.Catalog = r.catalog()
	return w
}

// durations and sizes are all of the limits (TestLimitsCross).
func durations(l *exo.Limits) [3]*time.Duration {
	return [...]*time.Duration{&l.Wall, &l.Total, &l.CPU}
}

func sizes(l *exo.Limits) [14]*int {
	return [...]*int{&l.Memory, &l.SourceBytes, &l.Nesting, &l.CallDepth, &l.ConsoleBytes, &l.ResultBytes,
		&l.Calls, &l.ConcurrentCalls, &l.MessageNodes, &l.MessageDepth, &l.LiteralBytes, &l.UnansweredBytes, &l.Rows, &l.Bytes}
}

func appendJob(b, world []byte, j exoeval.Job) []byte {
	b = append(begin(b, frameJob), world...)
	b = binary.AppendVarint(b, j.Start.UnixMilli())
	b = binary.LittleEndian.AppendUint64(b, j.Seed)
	return end(appendText(b, j.Program))
}

func decodeJob(s string) (*exoeval.World, exoeval.Job, error) {
	r := valueReader{decoder: &decoder{s: s, items: maxItems}}
	w := r.world()
	j := exoeval.Job{Start: time.UnixMilli(r.int()).UTC(), Seed: r.bits(), Program: r.text()}
	return w, j, r.done()
}

func appendTexts(b []byte, ss []string) []byte {
	b = appendCount(b, len(ss))
	for _, s := range ss {
		b = appendText(b, s)
	}
	return b
}

func (d *decoder) texts() []string {
	n := d.count(1)
	if n == 0 {
		return nil
	}
	ss := make([]string, n)
	for i := range ss {
		ss[i] = d.text()
	}
	return ss
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// catalogWriter writes a catalogue with each method, term and type once:
// interfaces of the columns of a database have most of theirs in common, and what
// is read once is made once.
type catalogWriter struct{ types, terms, methods table }

// table numbers distinct byte strings from 0 and keeps them in that order.
type table struct {
	index map[string]int
	all   []byte
}

func (t *table) add(b []byte) int {
	n, ok := t.index[string(b)]
	if !ok {
		if t.index == nil {
			t.index = map[string]int{}
		}
		n = len(t.index)
		t.index[string(b)] = n
		t.all = append(t.all, b...)
	}
	return n
}

func (t *table) append(b []byte) []byte { return append(appendCount(b, len(t.index)), t.all...) }

func appendCatalog(b []byte, c exo.Catalog) []byte {
	w := &catalogWriter{}
	var body []byte
	names := slices.Sorted(maps.Keys(c))
	for _, name := range names {
		body = w.iface(body, c[name])
	}
	b = w.methods.append(w.terms.append(w.types.append(b)))
	return append(appendCount(b, len(names)), body...)
}

func (w *catalogWriter) iface(b []byte, i *exo.Interface) []byte {
	b = appendTexts(appendText(appendText(b, i.Name), i.Doc), i.Is) // what an interface is stands in messages
	b = appendTexts(appendText(appendText(appendBool(b, i.Expr), i.Await), i.Call), i.Order)
	b = appendCount(b, len(i.Fields))
	for _, n := range slices.Sorted(maps.Keys(i.Fields)) {
		f := i.Fields[n]
		b = appendTexts(appendCount(appendText(b, n), w.types.add(appendType(nil, f.Type))), f.Label.Tags())
	}
	b = appendCount(b, len(i.Methods))
	for _, n := range slices.Sorted(maps.Keys(i.Methods)) {
		b = appendCount(appendText(b, n), w.method(i.Methods[n]))
	}
	return b
}

func (w *catalogWriter) method(m *exo.Method) int {
	b := appendText(appendText(nil, m.Name), m.Truth)
	b = appendBool(appendBool(appendBool(appendBool(b, m.Sends), m.Row), m.Effect), m.Sink)
	b = appendTexts(appendTexts(b, m.Label.Tags()), m.Admits.Tags())
	b = w.term(b, m.Result)
	b = appendCount(b, len(m.Params))
	for k := range m.Params {
		p := &m.Params[k]
		b = appendText(appendText(b, p.Name), p.Bind)
		var flags uint64
		for bit, v := range paramFlags(p) {
			if *v {
				flags |= 1 << bit
			}
		}
		b = binary.AppendUvarint(b, flags)
		b = w.term(w.term(b, p.Want), p.Lambda)
	}
	return w.methods.add(b)
}

func (w *catalogWriter) term(b []byte, t *exo.Term) []byte {
	return appendCount(b, w.terms.add(appendTerm(nil, t)))
}

func paramFlags(p *exo.Param) [9]*bool {
	return [...]*bool{&p.Plain, &p.Filter, &p.Many, &p.Null, &p.Opt, &p.Count, &p.Fixed, &p.Static, &p.Ident}
}

func (d *decoder) catalog() exo.Catalog {
	types := make([]*exo.Type, d.count(1))
	for i := range types {
		types[i] = d.typ()
	}
	terms := make([]*exo.Term, d.count(1))
	for i := range terms {
		terms[i] = d.term(0)
	}
	methods := make([]*exo.Method, d.count(8))
	for i := range methods {
		methods[i] = d.method(terms)
	}
	n := d.count(6)
	c := make(exo.Catalog, n)
	for range n {
		i := &exo.Interface{Name: d.text(), Doc: d.text(), Is: d.texts(), Expr: d.bool(), Await: d.text(), Call: d.text(), Order: d.texts()}
		k := d.count(3)
		i.Fields = make(map[string]*exo.Member, k)
		for range k {
			name := d.text()
			i.Fields[name] = &exo.Member{Type: pick(d, types), Label: exo.NewLabel(d.texts()...)}
		}
		k = d.count(2)
		i.Methods = make(map[string]*exo.Method, k)
		for range k {
			name := d.text()
			i.Methods[name] = pick(d, methods)
		}
		c[i.Name] = i
	}
	return c
}

// pick is the one of the table that comes next by its number.
func pick[T any](d *decoder, table []*T) *T {
	n := d.upTo(uint64(len(table)))
	if d.err != nil || n == len(table) {
		d.fail("no such number")
		return nil
	}
	return table[n]
}

func (d *decoder) method(terms []*exo.Term) *exo.Method {
	m := &exo.Method{Name: d.text(), Truth: d.text(), Sends: d.bool(), Row: d.bool(), Effect: d.bool(), Sink: d.bool(),
		Label: exo.NewLabel(d.texts()...), Admits: exo.NewLabel(d.texts()...), Result: pick(d, terms)}
	if n := d.count(5); n > 0 {
		m.Params = make([]exo.Param, n)
	}
	for k := range m.Params {
		p := &m.Params[k]
		p.Name, p.Bind = d.text(), d.text()
		flags := d.upTo(1<<9 - 1)
		for bit, v := range paramFlags(p) {
			*v = flags>>bit&1 == 1
		}
		p.Want, p.Lambda = pick(d, terms), pick(d, terms)
	}
	return m
}
