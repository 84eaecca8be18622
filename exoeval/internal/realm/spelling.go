package realm

// Members of rows that are spelt as the database may have them.

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// RowPrototype is the prototype of rows with these columns. A member that is one of them in another spelling, `order_id` or `orderid` of
// `orderId`, is an error, where a plain object has undefined: a sum or a filter by it would be wrong without a word.
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

// Record is an empty object for the fields of v. Of what is not declared, as of JSON, any name may be asked for. Records with the same
// fields, as in a list, have one prototype.
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

// spelling is what the spellings of a name have in common.
func spelling(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

type spellings struct {
	r  *Realm
	of map[string]string // the column of a spelling
}

func (s *spellings) Get(name string) goja.Value {
	column, ok := s.of[spelling(name)]
	if !ok || column == name || Quiet(name) || s.r.Objects().Get(name) != nil {
		return nil // the program has taken the column away, or means something else
	}
	panic(s.r.VM.NewTypeError("there is no `%s` here; did you mean `%s`?", scalar.Shorten(name, 60), column))
}

func (s *spellings) Set(string, goja.Value) bool { return false }
func (s *spellings) Delete(string) bool          { return false }
func (s *spellings) Has(string) bool             { return false }
func (s *spellings) Keys() []string              { return nil }
