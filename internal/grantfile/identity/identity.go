// Package identity reads the names that a grant file gives to principals. The record, budgets and the list of revoked principals contain these names:
//
//	org=5 user=1
//	"ann" of "https://login.example.com/", org=5 user=1
//
// The claims are sorted, each with a value of JSON. Quotes keep a subject from looking like another subject with other claims. An entry of a list may
// be a part of a name: some of the claims, or a subject alone, of one issuer or of any.
package identity

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Identity is the content of a name. A principal without a token has no Issuer and no Subject.
type Identity struct {
	Issuer, Subject string
	Claims          map[string]any // the claims as JSON decodes them; numbers are json.Number
}

// Parse reads a name. The result ok is false if the text does not have the form of a name.
func Parse(name exo.Principal) (out Identity, ok bool) {
	rest := string(name)
	var is bool
	if out.Subject, rest, is = quoted(rest); is {
		if of, has := strings.CutPrefix(rest, " of "); has {
			if out.Issuer, rest, ok = quoted(of); !ok {
				return Identity{}, false
			}
		}
		if claims, has := strings.CutPrefix(rest, ", "); has {
			rest = claims
		} else if rest != "" {
			return Identity{}, false
		}
	}
	out.Claims = map[string]any{}
	for rest != "" {
		claim, after, is := strings.Cut(rest, "=")
		d := json.NewDecoder(strings.NewReader(after))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); !is || err != nil {
			return Identity{}, false
		}
		out.Claims[claim], rest = v, strings.TrimPrefix(after[d.InputOffset():], " ")
	}
	return out, true
}

// quoted takes a quoted text from the front of s.
func quoted(s string) (text, rest string, ok bool) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", s, false
	}
	text, err = strconv.Unquote(q)
	return text, s[len(q):], err == nil
}

// Name writes the identity as a name, or as the part of a name that it has.
func (i Identity) Name() exo.Principal {
	var who []string
	if i.Subject != "" {
		who = append(who, strconv.Quote(i.Subject))
		if i.Issuer != "" {
			who[0] += " of " + strconv.Quote(i.Issuer)
		}
	}
	var claims []string
	for _, name := range slices.Sorted(maps.Keys(i.Claims)) {
		text, _ := json.Marshal(i.Claims[name]) // this can't fail, because JSON decoded the value
		claims = append(claims, fmt.Sprintf("%s=%s", name, text))
	}
	if len(claims) > 0 {
		who = append(who, strings.Join(claims, " "))
	}
	return exo.Principal(strings.Join(who, ", "))
}

// Match is a revoke.Match. An entry matches a name that has the entry's subject, issuer and claims. A name's list has to contain each value of the
// entry's list. UUIDs are compared without case, as databases do. An entry that Parse can't read, or that is empty, matches only an equal name.
func Match(entries []exo.Principal) func(exo.Principal) bool {
	raw := map[exo.Principal]bool{}
	var all []Identity
	for _, entry := range entries {
		if i, ok := Parse(entry); ok && (i.Subject != "" || len(i.Claims) > 0) {
			all = append(all, i)
		} else {
			raw[entry] = true
		}
	}
	return func(name exo.Principal) bool {
		p, ok := Parse(name)
		return raw[name] || ok && slices.ContainsFunc(all, func(e Identity) bool { return e.in(p) })
	}
}

// in reports whether p has the subject, the issuer and all claims of e, as far as e has them.
func (e Identity) in(p Identity) bool {
	if e.Subject != "" && e.Subject != p.Subject || e.Issuer != "" && e.Issuer != p.Issuer {
		return false
	}
	for claim, v := range e.Claims {
		if has, is := p.Claims[claim]; !is || !within(v, has) {
			return false
		}
	}
	return true
}

// within reports whether the values v and has are equal. If both are lists, has must contain each value of v.
func within(v, has any) bool {
	list, is := v.([]any)
	of, too := has.([]any)
	if !is || !too {
		return same(v, has)
	}
	return !slices.ContainsFunc(list, func(x any) bool { return !slices.ContainsFunc(of, func(y any) bool { return same(x, y) }) })
}

func same(a, b any) bool {
	s, is := a.(string)
	t, too := b.(string)
	return is && too && len(s) == 36 && uuid().MatchString(s) && strings.EqualFold(s, t) || reflect.DeepEqual(a, b)
}

var uuid = scalar.Pattern(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
