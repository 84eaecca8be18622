package grantfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/grantfile/identity"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Claim declares a value that a principal must have, and its type.
type Claim struct {
	Name
	Type string // one of int, text, uuid and bool
	List bool   // the value is a list, which may be empty
}

var ClaimTypes = []string{value.TypeInt, value.TypeText, value.TypeUUID, value.TypeBool}

func (f *File) principal(r *reader, n *yaml.Node) {
	for _, e := range r.Entries(n, "principal") {
		c := Claim{Name: e.Named()}
		v := e.Value
		if v.Kind == yaml.SequenceNode && len(v.Content) == 1 {
			c.List, v = true, v.Content[0]
		}
		c.Type = v.Value
		if v.Kind != yaml.ScalarNode || !slices.Contains(ClaimTypes, c.Type) {
			r.At(posOf(e.Value), "principal.%s: want the type of the claim, which is int, text, uuid or bool, or a list of one of these, like [int]", e.Name)
		}
		if !isWord(e.Name) {
			r.At(e.Pos(), "principal: `%s` can't be the name of a claim: want letters, digits and _, and no digit first", e.Name)
		}
		f.Claims = append(f.Claims, c)
	}
}

func (f *File) claim(name string) *Claim {
	for i := range f.Claims {
		if f.Claims[i].Text == name {
			return &f.Claims[i]
		}
	}
	return nil
}

// Principal is the user for whom programs run: a value for each claim of the file. The zero Principal has no values.
type Principal struct {
	values map[string]any // each is an int64, a string, a bool or a slice of one of these
	name   string
}

// Name returns the principal's name in the record: the claims, sorted by name. After an issuer's token, the name has the subject, too.
func (p Principal) Name() exo.Principal { return exo.Principal(p.name) }

// of adds the issuer and the subject to the principal's name, because several people may have the claims of one organization.
func (p Principal) of(issuer, subject string) Principal {
	p.name = fmt.Sprintf("%q of %q, %s", subject, issuer, p.name) // package identity reads this form
	return p
}

// Named returns the principal of a recorded name. The file that made the name may have had other claims than this file.
func (f *File) Named(name exo.Principal) (Principal, error) {
	i, ok := identity.Parse(name)
	if !ok {
		return Principal{}, fail.Errorf(fail.Denied, "", "the principal's name is not in the form of a grant file, like org=5 user=1")
	}
	p, err := f.Bind(i.Claims)
	if err == nil {
		p.name = string(name)
	}
	return p, err
}

// Bind checks claims, as JSON decodes them, against the declared claims. Each claim must exist with its type: no null, no empty text, no list
// for a single value or the reverse, no text for a number. Bind drops undeclared claims.
func (f *File) Bind(claims map[string]any) (Principal, error) {
	p := Principal{values: map[string]any{}}
	var parts []string
	for _, c := range f.Claims {
		given, ok := claims[c.Text]
		if !ok {
			return Principal{}, fail.Errorf(fail.Denied, "", "the claim `%s` is missing: want %s", c.Text, c.words())
		}
		v, err := c.bind(given)
		if err != nil {
			return Principal{}, err
		}
		p.values[c.Text] = v
		text, err := json.Marshal(v)
		if err != nil {
			return Principal{}, err
		}
		parts = append(parts, c.Text+"="+string(text))
	}
	slices.Sort(parts)
	p.name = strings.Join(parts, " ")
	return p, nil
}

func (c Claim) bind(given any) (any, error) {
	list, isList := given.([]any)
	switch {
	case isList != c.List:
		return nil, fail.Errorf(fail.Denied, "", "the claim `%s` has a wrong type: want %s", c.Text, c.words())
	case !c.List:
		return c.one(given)
	}
	out := make([]any, len(list))
	for i, v := range list {
		var err error
		if out[i], err = c.one(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// words describes the claim's values, for errors.
func (c Claim) words() string {
	one := cmp.Or(map[string]string{value.TypeInt: "a whole number", value.TypeText: "a text that is not empty", value.TypeUUID: "a UUID", value.TypeBool: "true or false"}[c.Type], "a value")
	if c.List {
		return "a list, each item of which is " + one
	}
	return one
}

// String returns the claim's type as the file writes it.
func (c Claim) String() string {
	if c.List {
		return "[" + c.Type + "]"
	}
	return c.Type
}

func (c Claim) one(given any) (any, error) {
	wrong := fail.Errorf(fail.Denied, "", "the claim `%s` has a wrong value: want %s", c.Text, c.words())
	switch v := given.(type) {
	case bool:
		if c.Type == value.TypeBool {
			return v, nil
		}
	case string:
		if c.Type == value.TypeText && v != "" && !value.Text(v).IsZero() || c.Type == value.TypeUUID && isUUID(v) {
			return v, nil
		}
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil && c.Type == value.TypeInt {
			return i, nil
		}
	case int64:
		if c.Type == value.TypeInt {
			return v, nil
		}
	case int:
		return c.one(int64(v))
	}
	return nil, wrong
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// ParseSome is ParseClaims for some of the claims, or none.
func (f *File) ParseSome(text string) (Principal, error) {
	claims, err := f.claimsOf(text)
	if err != nil {
		return Principal{}, err
	}
	given := &File{Claims: slices.DeleteFunc(slices.Clone(f.Claims), func(c Claim) bool { return claims[c.Text] == nil })}
	return given.Bind(claims)
}

// ParseClaims reads claims that a person types, like org=5,name=Ann, with their types from the file. A + joins the values of a list.
func (f *File) ParseClaims(text string) (Principal, error) {
	claims, err := f.claimsOf(text)
	if err != nil {
		return Principal{}, err
	}
	p, err := f.Bind(claims)
	if err != nil {
		return Principal{}, fail.Errorf(fail.KindOf(err), "", "%s; the file needs claims like %s", Reason(err), f.sample())
	}
	return p, nil
}

func (f *File) claimsOf(text string) (map[string]any, error) {
	claims := map[string]any{}
	for _, part := range strings.Split(text, ",") {
		if part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		c := f.claim(name)
		switch _, twice := claims[name]; {
		case !ok:
			return nil, fail.Errorf(fail.Invalid, "", "%q is no claim and its value: want claims like %s", part, f.sample())
		case c == nil:
			return nil, fail.Errorf(fail.Invalid, "", "`principal` of the file has no claim `%s`%s", name, or(name, f.claimNames()))
		case twice:
			return nil, fail.Errorf(fail.Invalid, "", "the claim `%s` is given twice: want each claim once, and + between the values of a list", name)
		case !c.List:
			claims[name] = c.typed(value)
		default:
			list := []any{}
			for _, v := range strings.Split(value, "+") {
				if value != "" {
					list = append(list, c.typed(v))
				}
			}
			claims[name] = list
		}
	}
	return claims, nil
}

func (c *Claim) typed(val string) any {
	switch {
	case c.Type == value.TypeInt:
		return json.Number(val)
	case c.Type == value.TypeBool && (val == "true" || val == "false"):
		return val == "true"
	}
	return val
}

func (f *File) claimNames() []string {
	return scalar.Each(f.Claims, func(c Claim) string { return c.Text })
}

// sample returns an example of typed claims, for errors.
func (f *File) sample() string {
	if len(f.Claims) == 0 {
		return "no claims"
	}
	parts := scalar.Each(f.Claims, func(c Claim) string {
		one := strings.ToUpper(c.Type)
		if c.List {
			one += "+" + one
		}
		return c.Text + "=" + one
	})
	return strings.Join(parts, ",")
}

// example returns a principal with values of the right types, to check scopes against columns.
func (f *File) example() Principal {
	p := Principal{values: map[string]any{}, name: "example"}
	for _, c := range f.Claims {
		v := map[string]any{value.TypeInt: int64(1), value.TypeText: "x", value.TypeUUID: "00000000-0000-0000-0000-000000000001", value.TypeBool: true}[c.Type]
		if c.List {
			v = []any{v}
		}
		p.values[c.Text] = v
	}
	return p
}
