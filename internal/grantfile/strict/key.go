package strict

// This file has the keys that the format of a file defines. Fields reads them, the schema describes them, and `exo show` lists what they say.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Key is a key of a map whose keys the format defines.
type Key struct {
	Name string
	Value
	about string // the description in the schema
	must  string // what an author adds who left the key out; "" if the key may be missing
	shows string // the format of the key's value for Shown; "" if Shown leaves the key out
}

// Value is a kind of value. Form describes it in the schema, and Read stores it where the reader of the map wants it.
type Value struct {
	Form Form
	Read func(Entry)
	is   func() any // returns what Read has stored
}

// NewKey returns a key. An editor shows the argument about to the author of a file.
func NewKey(name string, v Value, about string) Key { return Key{Name: name, Value: v, about: about} }

// Must returns the key as one that no map may lack. The error for a missing key ends with the advice.
func (k Key) Must(advice string) Key {
	k.must = advice
	return k
}

// Shows returns the key with a format of its value, for Shown.
func (k Key) Shows(format string) Key {
	if k.is == nil {
		panic("strict: the key " + k.Name + " has Shows, but its value lacks Is")
	}
	k.shows = format
	return k
}

// By returns a value that read stores.
func By(form Form, read func(Entry)) Value { return Value{Form: form, Read: read} }

// Then returns the value with a further check or use of it, after it was read.
func (v Value) Then(more func(Entry)) Value {
	read := v.Read
	v.Read = func(e Entry) { read(e); more(e) }
	return v
}

// Is returns the value with another source of what Shown describes.
func (v Value) Is(is func() any) Value {
	v.is = is
	return v
}

// Shown describes the values of those keys that have a format for it. It leaves out zero values.
func Shown(between string, keys ...Key) string { return strings.Join(Each(keys), between) }

// Each is Shown as a list.
func Each(keys []Key) (out []string) {
	for _, k := range keys {
		if k.shows == "" || reflect.ValueOf(k.is()).IsZero() {
			continue
		}
		is := k.is()
		switch v := is.(type) {
		case bool:
			out = append(out, k.shows)
			continue
		case Name:
			is = v.Text
		case []Name:
			is = Listed(Texts(v))
		case []string:
			is = Listed(v)
		}
		out = append(out, fmt.Sprintf(k.shows, is))
	}
	return out
}

// Listed writes the texts of a list in one line. It quotes a text with a comma, which would otherwise look like two texts.
func Listed(all []string) string {
	out := slices.Clone(all)
	for i, s := range out {
		if strings.ContainsAny(s, ",;\"") {
			out[i] = fmt.Sprintf("%q", s)
		}
	}
	return strings.Join(out, ", ")
}

func to[T any](to *T, form Form, read func(*yaml.Node, string) T) Value {
	return By(form, func(e Entry) { *to = read(e.Value, e.Name) }).Is(func() any { return *to })
}

// The methods with names in To return the kinds of values that most keys have.

func (r *Reader) TextTo(at *string) Value        { return to(at, AText, r.Text) }
func (r *Reader) NameTo(at *Name) Value          { return to(at, AText, r.Name) }
func (r *Reader) NamesTo(at *[]Name) Value       { return to(at, SomeTexts, r.Names) }
func (r *Reader) BoolTo(at *bool) Value          { return to(at, ABool, r.Bool) }
func (r *Reader) CountTo(at *int) Value          { return to(at, ANumber, r.Positive) }
func (r *Reader) SizeTo(at *int) Value           { return to(at, ASize, r.Bytes) }
func (r *Reader) TimeTo(at *time.Duration) Value { return to(at, ATime, r.Duration) }
func (r *Reader) SecretTo(at *Secret) Value      { return to(at, APlace, r.Secret) }
func (r *Reader) URLTo(at *Secret) Value         { return to(at, AURL, r.URL) }
func (r *Reader) StoreTo(at *Secret) Value {
	return By(AText, func(e Entry) { *at = r.Store(e) }).Is(func() any { return *at })
}

func (r *Reader) SecretsTo(at *[]Secret) Value {
	return to(at, Either(APlace, ListOf(APlace)), r.Secrets).Is(func() any { return scalar.Each(*at, Secret.String) })
}

// TextsTo is NamesTo without the places.
func (r *Reader) TextsTo(at *[]string) Value {
	return to(at, SomeTexts, func(n *yaml.Node, what string) []string { return Texts(r.Names(n, what)) })
}

// DaysTo has the number of days for Shown.
func (r *Reader) DaysTo(at *time.Duration) Value {
	return to(at, ADays, r.Days).Is(func() any { return *at / (24 * time.Hour) })
}

// WordTo is TextTo for one of these words.
func (r *Reader) WordTo(at *string, words ...string) Value {
	return to(at, Words(words), r.Text).Then(func(e Entry) {
		if last := len(words) - 1; *at != "" && !slices.Contains(words, *at) {
			r.At(PosOf(e.Value), "%s: want %s or %s, not `%s`", e.Name, strings.Join(words[:last], ", "), words[last], *at)
		}
	})
}
