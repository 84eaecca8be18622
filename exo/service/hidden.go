package service

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sealed"
)

// hidden describes which part of a value programs see sealed: all of it, or some of its fields; for a list, that part of each item. A nil
// *hidden means no part.
//
// Outsiders may choose the content of such a field. It must reveal nothing to a program: neither by its size, which limits would count, nor
// by being something that no Value can have, which would make the call fail.
type hidden struct {
	typ    *message.Type
	most   int // if the whole value is sealed, the most bytes that it may have, which limits count; otherwise 0
	fields map[string]*hidden
}

// size describes one call of MaxBytes.
type size struct {
	bytes  int
	fields []string
}

// hide finds the sealed parts of a result of type t, once its labels are set.
func (op *Operation) hide(t *message.Type) (*hidden, error) {
	said, used := map[string]int{}, map[string]bool{}
	for _, s := range op.sizes {
		if s.bytes < 1 || s.bytes > sealed.Most || len(s.fields) == 0 {
			return nil, fmt.Errorf("MaxBytes must be from 1 to %d, and needs the names of fields", sealed.Most)
		}
		for _, f := range s.fields {
			said[f] = s.bytes
		}
	}
	h := hide(t, "", said, used)
	for f := range said {
		if !used[f] {
			return nil, fmt.Errorf("MaxBytes names %q, which has no secrecy label: label it with Labelled, or take it out of MaxBytes", f)
		}
	}
	return h, nil
}

func hide(t *message.Type, path string, said map[string]int, used map[string]bool) *hidden {
	for t.Name == value.TypeList {
		t = t.Args["of"]
	}
	h := &hidden{typ: t, fields: map[string]*hidden{}}
	for _, f := range t.Fields {
		at := strings.TrimPrefix(path+"."+f.Name, ".")
		x := hide(f.Type, at, said, used)
		if !f.Label.Secrecy().Empty() {
			if x = (&hidden{typ: f.Type, most: said[at]}); x.most == 0 {
				x.most = sealed.Size(f.Type.Name)
			}
			used[at] = true
		}
		if x != nil {
			h.fields[f.Name] = x
		}
	}
	if len(h.fields) == 0 {
		return nil
	}
	return h
}

func (h *hidden) sealed() bool { return h != nil && h.most > 0 }

func (h *hidden) field(name string) *hidden {
	if h == nil {
		return nil
	}
	return h.fields[name]
}

// seal returns the value of write, or a replacement if the value is too large or can't leave, or if its type's code panics.
func (h *hidden) seal(write func() (value.Value, error)) (v value.Value) {
	defer func() {
		if recover() != nil {
			v = value.Null()
		}
	}()
	v, err := write()
	if err != nil || fits(h.typ, v, nil, "") != nil {
		v = value.Value{}
	}
	return sealed.Fit(v, h.most)
}

// charge returns the size that limits count for v: its bytes, and for each sealed part the most that the part may have.
func (h *hidden) charge(v value.Value) int {
	switch {
	case h == nil:
		return v.Bytes()
	case h.sealed():
		return h.most
	}
	n := value.TextBytes(0)
	switch v.Type() {
	case value.TypeList:
		for i := range v.Len() {
			n += h.charge(v.At(i))
		}
	case value.TypeRecord:
		for name, x := range v.Fields() {
			n += len(name) + h.field(name).charge(x)
		}
	}
	return n
}
