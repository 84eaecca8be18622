package compile

import (
	"reflect"
	"testing"

	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// TestOnce: a part of a condition is left out only where a condition that must hold already has it.
func TestOnce(t *testing.T) {
	part := func(name string) sqlast.Expr {
		return expr.Call(sqlast.FitsWhole, sqlast.Column{Alias: "t0", Name: name})
	}
	guard, low, high := part("guard"), part("low"), part("high")
	and := func(x ...sqlast.Expr) sqlast.Expr { return expr.Call(sqlast.And, x...) }
	or := func(x ...sqlast.Expr) sqlast.Expr { return expr.Call(sqlast.Or, x...) }
	for name, c := range map[string]struct {
		before  sqlast.Expr
		x, want sqlast.Expr
	}{
		"the guard of the other bound": {and(guard, low), and(guard, high), high},
		"two of three parts":           {and(guard, low), and(guard, high, part("more")), and(high, part("more"))},
		"nothing shared":               {and(guard, low), and(part("other"), high), and(part("other"), high)},
		"the same condition":           {and(guard, low), and(guard, low), and(guard, low)},
		"a part of an alternative":     {or(guard, low), and(guard, high), and(guard, high)},
		"an alternative":               {and(guard, low), or(guard, high), or(guard, high)},
	} {
		if got := once([]sqlast.Expr{c.before}, c.x); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
