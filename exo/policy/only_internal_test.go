package policy

import (
	"maps"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// TestOnlyReachesWhatIsMade: what a method makes with fields of its own, as groups of rows are, has no
// methods but those named.
func TestOnlyReachesWhatIsMade(t *testing.T) {
	method := func(name string, result *message.Term) *message.Method {
		return &message.Method{Name: name, Result: result}
	}
	number := &message.Term{Con: &message.Type{Name: value.TypeInt}}
	group := &message.Term{App: "Rows", Args: map[string]*message.Term{"ns": {Name: "group", Of: &message.Term{App: "Group", Own: &message.Term{Var: "keys"}}}}}
	d := &message.Description{Type: &message.Type{Name: "Rows"}, Interfaces: []*message.Interface{
		{Name: "Rows", Methods: map[string]*message.Method{"groupBy": method("groupBy", group), "count": method("count", number), "sum": method("sum", number)}},
		{Name: "Group", Methods: map[string]*message.Method{"count": method("count", number), "sum": method("sum", number)}},
		{Name: "Text", Methods: map[string]*message.Method{"lower": method("lower", number)}},
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
