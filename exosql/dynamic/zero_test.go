package dynamic_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
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
				"New": dynamic.New, "NewForFile": dynamic.NewForFile, "ScopeRows": dynamic.ScopeRows, "ScopeVia": dynamic.ScopeVia, "ScopeShared": dynamic.ScopeShared,
				"Eq": dynamic.Eq, "Ne": dynamic.Ne, "Lt": dynamic.Lt, "Le": dynamic.Le, "Gt": dynamic.Gt, "Ge": dynamic.Ge, "Between": dynamic.Between, "In": dynamic.In, "NotIn": dynamic.NotIn, "IsNull": dynamic.IsNull, "IsNotNull": dynamic.IsNotNull,
				"Like": dynamic.Like, "ILike": dynamic.ILike, "Includes": dynamic.Includes, "StartsWith": dynamic.StartsWith, "EndsWith": dynamic.EndsWith, "Has": dynamic.Has,
				"NewScopes": dynamic.NewScopes, "And": dynamic.And, "Or": dynamic.Or, "Not": dynamic.Not, "AllRows": dynamic.AllRows,
			},
			Types: map[string]reflect.Type{
				"Declarations": reflect.TypeFor[*dynamic.Declarations](), "Table": reflect.TypeFor[*dynamic.Table](), "Link": reflect.TypeFor[*dynamic.Link](), "Facet": reflect.TypeFor[*dynamic.Facet](),
				"ColumnSpec": reflect.TypeFor[dynamic.ColumnSpec](), "ApprovalRule": reflect.TypeFor[dynamic.ApprovalRule](), "LinkSpec": reflect.TypeFor[dynamic.LinkSpec](), "MeasureSpec": reflect.TypeFor[dynamic.MeasureSpec](), "Predicate": reflect.TypeFor[dynamic.Predicate](), "Readers": reflect.TypeFor[dynamic.Readers](), "Scope": reflect.TypeFor[dynamic.Scope](),
				"Relation": reflect.TypeFor[dynamic.Relation](), "Scopes": reflect.TypeFor[*dynamic.Scopes](), "Template": reflect.TypeFor[*dynamic.Template](), "Binding": reflect.TypeFor[dynamic.Binding](),
			},
			Receivers: []any{w.d, w.shops, w.shop, w.shops.Rows(dynamic.Eq("id", 1))},
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
			case dynamic.Predicate:
				_, err = w.shop.Grant(db, x)
			case dynamic.Relation:
				_, err = w.shop.Of(db, x)
			case dynamic.Scope:
				_, err = w.shop.Grant(db, dynamic.Eq("id", 1), x)
			case *dynamic.Declarations:
				_, err = x.Table("shops")
			}
			if what == "AllRows" || what == "(Facet 2).Reached" { // the one that takes nothing, and narrows nothing, and the one of a facet that was made
				must(t, err)
			} else if fail.KindOf(err) != fail.Invalid || strings.Count(err.Error(), "invalid") != 1 {
				t.Errorf("%s: %v", what, err)
			}
		})
	})
}
