package realm

// This file finds members of rows in the database's spelling.

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// RowPrototype returns the prototype of rows with these columns. It throws if a member is a column in another spelling, such as `order_id` or
// `orderid` for `orderId`. On a plain object the member would be undefined, and a sum or a filter silently wrong.
func (r *Realm) RowPrototype(names []string) *goja.Object {
	if len(names) == 0 {
		return r.Objects()
	}
	if r.spelt == nil {
		r.spelt = map[*string]*goja.Object{}
	}
	if r.spelt[&names[0]] == nil {
		r.spelt[&names[0]] = r.spellings(names)
	}
	return r.spelt[&names[0]]
}

// Record returns an empty object for the fields of v. Records with the same fields share one prototype, which throws for other spellings.
// Undeclared fields, as in JSON, have no such prototype, because a program may ask for any name.
func (r *Realm) Record(v value.Value, declared bool) *goja.Object {
	o, names := r.VM.NewObject(), []string{}
	if !declared {
		return o
	}
	for n := range v.Fields() {
		names = append(names, n)
	}
	key := strings.Join(names, "\x00")
	if r.fields[key] == nil {
		if r.fields == nil {
			r.fields = map[string][]string{}
		}
		r.fields[key] = names
	}
	if err := o.SetPrototype(r.RowPrototype(r.fields[key])); err != nil {
		panic(err)
	}
	return o
}

func (r *Realm) spellings(names []string) *goja.Object {
	s := &spellings{r, make(map[string]string, len(names))}
	for _, n := range names {
		s.of[spelling(n)] = n
	}
	proto := r.VM.NewDynamicObject(s)
	if err := proto.SetPrototype(r.Objects()); err != nil {
		panic(err)
	}
	return proto
}

// spelling returns the form that all spellings of a name share.
func spelling(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

type spellings struct {
	r  *Realm
	of map[string]string // the column for each spelling
}

func (s *spellings) Get(name string) goja.Value {
	column, ok := s.of[spelling(name)]
	if !ok || column == name || Quiet(name) || s.r.Objects().Get(name) != nil {
		return nil // the program removed the column, or means something else
	}
	panic(s.r.VM.NewTypeError("there is no `%s` here; did you mean `%s`?", scalar.Shorten(name, 60), column))
}

func (s *spellings) Set(string, goja.Value) bool { return false }
func (s *spellings) Delete(string) bool          { return false }
func (s *spellings) Has(string) bool             { return false }
func (s *spellings) Keys() []string              { return nil }
