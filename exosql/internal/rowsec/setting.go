package rowsec

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/scalar"
)

// names has the names of the settings with a grant's values, by the slot of the value, or of the
// first value of a list. They depend only on the structure of the grant, so that a policy made from
// one grant serves all of that structure.
type names map[int]string

// namesOf names the settings of a grant, in a fixed order: those of the tables' scopes, then those of the relation's steps.
func namesOf(g *scope.Grant) names {
	out := names{}
	begun := map[*decl.Table]map[string]int{}
	for _, scopes := range []scope.Scopes{g.Chain, g.Scopes} {
		for _, t := range slices.SortedFunc(maps.Keys(scopes), byName) {
			begun[t] = map[string]int{}
			out.pred(scopes[t].Pred, begun[t])
		}
	}
	var steps []*decl.Relation
	for r := g.Rel; r != nil; r = r.Prev {
		steps = append(steps, r)
	}
	for _, s := range slices.Backward(steps) {
		count := begun[s.Table]
		if s.Kind == decl.StepGrant || count == nil { // the grant's predicate is the scope of its table, which has names already
			count = map[string]int{}
		}
		out.pred(s.Pred, count)
	}
	return out
}

func byName(a, b *decl.Table) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

func (n names) pred(p *decl.Pred, count map[string]int) {
	if p == nil {
		return
	}
	for _, s := range p.Subs {
		n.pred(s, count)
	}
	for i, a := range p.Args {
		name := "exo." + plain(p.Col.Table.Name) + "." + plain(p.Col.Name)
		if list(p) {
			name += "$list"
		}
		if count[name]++; count[name] > 1 {
			name = fmt.Sprintf("%s$n%d", name, count[name])
		}
		n[a.Slot] = name
		if list(p) && i == 0 {
			return
		}
	}
}

// list reports whether the values of a predicate share one setting.
func list(p *decl.Pred) bool { return p.Op == "in" || p.Op == "notIn" }

// plain writes a name in the letters that a setting's name may have. Different names must stay different, or one column's
// value would count for another. Each other character becomes $ and two hexadecimal digits, which follow no other $.
func plain(name string) string {
	var b strings.Builder
	if c := name[0]; !('a' <= c && c <= 'z' || c == '_') {
		b.WriteString("x$$") // the name of a setting must begin with a letter
	}
	for _, c := range []byte(name) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "$%02x", c)
		}
	}
	return b.String()
}

// Settings returns the settings of a grant with its values, by name.
func Settings(g *scope.Grant, vals []value.Value) map[string]string {
	named, out := namesOf(g), map[string]string{}
	var walk func(p *decl.Pred)
	walk = func(p *decl.Pred) {
		if p == nil {
			return
		}
		for _, s := range p.Subs {
			walk(s)
		}
		if list(p) {
			if len(p.Args) == 0 {
				return
			}
			items := scalar.Each(p.Args, func(a decl.Held) string {
				return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text(p.Col, vals[a.Slot])) + `"`
			})
			out[named[p.Args[0].Slot]] = "{" + strings.Join(items, ",") + "}"
			return
		}
		for _, a := range p.Args {
			out[named[a.Slot]] = text(p.Col, vals[a.Slot])
		}
	}
	for _, scopes := range []scope.Scopes{g.Chain, g.Scopes} {
		for _, s := range scopes {
			walk(s.Pred)
		}
	}
	for r := g.Rel; r != nil; r = r.Prev {
		walk(r.Pred)
	}
	return out
}

// text returns a value as text that PostgreSQL can read. Bytes that can't be decoded become "", which matches no row.
func text(col *decl.Column, v value.Value) string {
	if col.Kind == value.TypeBytes {
		b, err := base64.StdEncoding.DecodeString(v.Text())
		if err != nil {
			return ""
		}
		return `\x` + hex.EncodeToString(b)
	}
	return plan.StoredText(v).Text()
}
