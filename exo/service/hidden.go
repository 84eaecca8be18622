package service

import (
	"fmt"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sealed"
)

// hidden says which part of a value programs see sealed: all of it, or some of its fields; for a list, the same of each item. nil: nothing.
//
// Whoever can write into such a field chooses what it holds, and must reveal nothing to a program by that: not by its size, which the
// limits would count, and not by contents that no Value can have, by which the call would fail.
type hidden struct {
	typ    *message.Type
	most   int // that it may take, where all of it is sealed; 0: it is not
	fields map[string]*hidden
}

// size is what MaxBytes has said.
type size struct {
	bytes  int
	fields []string
}

// hide finds what is hidden of a result of type t, whose labels are set.
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
			return nil, fmt.Errorf("MaxBytes limits %q, and that field has no label of secrecy", f)
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

// seal is what write gives, or what stands for a value that is too large or that can't leave, also where the code of its type panics.
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

// charge is what limits count for v: as many bytes as it has, and for what is hidden in it what that may have at most.
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
