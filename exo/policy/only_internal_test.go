package policy

import (
	"maps"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/exo"
)

// TestOnlyReachesWhatIsMade: what a method makes with fields of its own, as groups of rows are, has no
// methods but those named.
func TestOnlyReachesWhatIsMade(t *testing.T) {
	method := func(name string, result *exo.Term) *exo.Method { return &exo.Method{Name: name, Result: result} }
	number := &exo.Term{Con: &exo.Type{Name: exo.TypeInt}}
	group := &exo.Term{App: "Rows", Args: map[string]*exo.Term{"ns": {Name: "group", Of: &exo.Term{App: "Group", Own: &exo.Term{Var: "keys"}}}}}
	d := &exo.Description{Type: &exo.Type{Name: "Rows"}, Interfaces: []*exo.Interface{
		{Name: "Rows", Methods: map[string]*exo.Method{"groupBy": method("groupBy", group), "count": method("count", number), "sum": method("sum", number)}},
		{Name: "Group", Methods: map[string]*exo.Method{"count": method("count", number), "sum": method("sum", number)}},
		{Name: "Text", Methods: map[string]*exo.Method{"lower": method("lower", number)}},
	}}
	if err := only(d, []string{"groupBy", "count"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"Rows": {"count", "groupBy"}, "Group": {"count"}, "Text": {"lower"}} {
		if got := slices.Sorted(maps.Keys(d.Interface(name).Methods)); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}
