package dynamic_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	. "github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// TestZeroValues: with the zero value of every type in every parameter and as the receiver, each
// function and method gives an error of Kind Invalid, or a value whose use gives one.
func TestZeroValues(t *testing.T) {
	engines(t, func(t *testing.T, db *exosql.DB, live *schema.Database) {
		w := newWorld(t, live)
		tu.ZeroCalls(t, tu.Surface{
			Functions: map[string]any{
				"New": New, "NewFor": NewFor, "ScopeRows": ScopeRows, "ScopeVia": ScopeVia, "ScopeShared": ScopeShared,
				"Eq": Eq, "Ne": Ne, "Lt": Lt, "Le": Le, "Gt": Gt, "Ge": Ge, "Between": Between, "In": In, "NotIn": NotIn, "IsNull": IsNull, "IsNotNull": IsNotNull,
				"Like": Like, "ILike": ILike, "Includes": Includes, "StartsWith": StartsWith, "EndsWith": EndsWith, "Has": Has,
				"NewScopes": NewScopes, "And": And, "Or": Or, "Not": Not, "AllRows": AllRows,
			},
			Types: map[string]reflect.Type{
				"Declarations": reflect.TypeFor[*Declarations](), "Table": reflect.TypeFor[*Table](), "Link": reflect.TypeFor[*Link](), "Facet": reflect.TypeFor[*Facet](),
				"ColumnSpec": reflect.TypeFor[ColumnSpec](), "LinkSpec": reflect.TypeFor[LinkSpec](), "Predicate": reflect.TypeFor[Predicate](), "Readers": reflect.TypeFor[Readers](), "Scope": reflect.TypeFor[Scope](),
				"Relation": reflect.TypeFor[Relation](), "Scopes": reflect.TypeFor[*Scopes](), "Template": reflect.TypeFor[*Template](), "Binding": reflect.TypeFor[Binding](),
			},
			Receivers: []any{w.d, w.shops, w.shop, w.shops.Rows(Eq("id", 1))},
		}, func(what string, out []reflect.Value) {
			if strings.HasSuffix(what, ".Example") || strings.HasSuffix(what, ".For") { // no object, which nothing grants
				if !out[0].IsNil() {
					t.Errorf("%s gives %v", what, out[0])
				}
				return
			}
			var err error
			switch x := out[len(out)-1].Interface().(type) {
			case error:
				err = x
			case Predicate:
				_, err = w.shop.Grant(db, x)
			case Relation:
				_, err = w.shop.Of(db, x)
			case Scope:
				_, err = w.shop.Grant(db, Eq("id", 1), x)
			case *Declarations:
				_, err = x.Table("shops")
			}
			if what == "AllRows" || what == "(Facet 2).Reached" { // the one that takes nothing, and narrows nothing, and the one of a facet that was made
				must(t, err)
			} else if exo.KindOf(err) != exo.Invalid || strings.Count(err.Error(), "invalid") != 1 {
				t.Errorf("%s: %v", what, err)
			}
		})
	})
}
