// Package strict reads YAML strictly: every node must have the expected type, no name may be unknown or repeated, and each error has its line
// and column. Package grantfile and package services read their parts of a grant file with it.
package strict

// This file reads values.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Reader reads nodes, and collects their errors.
type Reader struct {
	Problems
	Dir string                             // the folder of the file
	Saw func(n *yaml.Node, names []string) // if not nil, Saw gets the names that a map may have
}

// Plain refuses aliases, merges and tags, because with them a file means something else than its visible text.
func (r *Reader) Plain(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.At(PosOf(n), "anchors and aliases are not allowed: write the value out, so that a reviewer of the file sees it here")
		return
	case n.Style&yaml.TaggedStyle != 0:
		r.At(PosOf(n), "YAML tags are not allowed: remove %s", n.Tag)
	}
	for _, c := range n.Content {
		r.Plain(c)
	}
}

// Entry is a name and its value.
type Entry struct {
	Name       string
	Key, Value *yaml.Node
}

// Pos returns the place of the name.
func (e Entry) Pos() Pos { return PosOf(e.Key) }

// Named returns the name with its place.
func (e Entry) Named() Name { return Name{e.Name, e.Pos()} }

// Entries reads a map with the file's own names.
func (r *Reader) Entries(n *yaml.Node, what string) (out []Entry) {
	if IsNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.At(PosOf(n), "%s: want a map, with `NAME: VALUE` on each line, not %s", what, KindOf(n))
		return nil
	}
	seen := map[string]Pos{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.Tag != "!!str" {
			advice := ""
			if k.Kind == yaml.ScalarNode && k.Tag != "!!null" {
				advice = "; if it is a name, put it in quotes"
			}
			r.At(PosOf(k), "%s: want a name, not %s%s", what, KindOf(k), advice)
			continue
		}
		if at, twice := seen[k.Value]; twice {
			r.At(PosOf(k), "`%s` is given twice: line %d has it already, so remove one of the two", k.Value, at.Line)
			continue
		}
		seen[k.Value] = PosOf(k)
		out = append(out, Entry{k.Value, k, v})
	}
	return out
}

// Fields reads a map with keys that the format defines, and returns the names of those that it has. The argument what names the map in errors. If it is a
// path like limits, errors about values begin with it.
func (r *Reader) Fields(of Entry, what string, keys []Key) (has []string) {
	n := of.Value
	names := scalar.Each(keys, func(k Key) string { return k.Name })
	slices.Sort(names)
	if r.Saw != nil {
		r.Saw(n, names)
	}
	if !IsNull(n) && n.Kind != yaml.MappingNode {
		r.At(PosOf(n), "%s: want a map with one or more of the keys %s, not %s", what, strings.Join(names, ", "), KindOf(n))
		return nil
	}
	for _, e := range r.Entries(n, what) {
		if i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == e.Name }); i >= 0 {
			if has = append(has, e.Name); !strings.Contains(what, " ") {
				e.Name = what + "." + e.Name
			}
			keys[i].Read(e)
			continue
		}
		r.At(e.Pos(), "`%s` is no key of %s%s", e.Name, what, Or(e.Name, names))
	}
	for _, k := range keys {
		if k.must != "" && !slices.Contains(has, k.Name) {
			r.At(of.Pos(), "%s has no `%s`: %s", what, k.Name, k.must)
		}
	}
	return has
}

// Short is Fields for a value that is a map, or the value of the first key alone.
func (r *Reader) Short(e Entry, what string, keys []Key) {
	if e.Name = what; e.Value.Kind == yaml.ScalarNode {
		keys[0].Read(e)
	} else {
		r.Fields(e, what, keys)
	}
}

// IsNull reports whether a node has no value.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// KindOf returns the kind of a node in words.
func KindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!str":
		return "a text"
	case "!!bool":
		return n.Value
	}
	return "`" + n.Value + "`"
}

// shown returns the kind of a node in words, or a short text itself. Only the readers of values that are no secrets call it.
func shown(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && len(n.Value) < 40 {
		return fmt.Sprintf("the text %q", n.Value)
	}
	return KindOf(n)
}

// Text reads a text that is not empty.
func (r *Reader) Text(n *yaml.Node, what string) string {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!str" && n.Value != "":
		return n.Value
	case IsNull(n) || n.Kind == yaml.ScalarNode && n.Value == "":
		r.At(PosOf(n), "%s: the value is missing: write a text", what)
	case n.Kind == yaml.ScalarNode:
		r.At(PosOf(n), "%s: want a text, not %s; if it is a text, put it in quotes", what, KindOf(n))
	default:
		r.At(PosOf(n), "%s: want a text, not %s", what, KindOf(n))
	}
	return ""
}

// Name reads a text that is not empty, with its place.
func (r *Reader) Name(n *yaml.Node, what string) Name { return Name{r.Text(n, what), PosOf(n)} }

// Bool reads true or false.
func (r *Reader) Bool(n *yaml.Node, what string) bool { return r.BoolOr(n, what) }

// BoolOr reads a bool. The argument words has other values that the caller accepts, for the error.
func (r *Reader) BoolOr(n *yaml.Node, what string, words ...string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		r.At(PosOf(n), "%s: want %s, without quotes, not %s", what, strings.Join(append([]string{"true", "false"}, words...), " or "), shown(n))
	}
	return n.Value == "true"
}

// Positive reads a whole number of at least 1.
func (r *Reader) Positive(n *yaml.Node, what string) int {
	i, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || i < 1 {
		r.At(PosOf(n), "%s: want a whole number of at least 1, without quotes, not %s", what, shown(n))
		return 0
	}
	return i
}

// Bytes reads a size: a number of bytes, KiB or MiB.
func (r *Reader) Bytes(n *yaml.Node, what string) int {
	text, unit := n.Value, 1
	for name, u := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20} {
		if t, ok := strings.CutSuffix(n.Value, name); ok {
			text, unit = strings.TrimSpace(t), u
		}
	}
	i, err := strconv.Atoi(text)
	if n.Kind != yaml.ScalarNode || err != nil || i < 1 || i > 1<<40/unit {
		r.At(PosOf(n), "%s: want a size like 256KiB or 64MiB, not %s", what, shown(n))
		return 0
	}
	return i * unit
}

// Duration reads a time like 5s.
func (r *Reader) Duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
		r.At(PosOf(n), "%s: want a time like 500ms, 5s or 2h, not %s", what, shown(n))
		return 0
	}
	return d
}

// Days reads a number of days, like 90d.
func (r *Reader) Days(n *yaml.Node, what string) time.Duration {
	digits, is := strings.CutSuffix(n.Value, "d")
	days, err := strconv.ParseUint(digits, 10, 16)
	if n.Kind != yaml.ScalarNode || !is || err != nil || days == 0 || digits[0] == '0' {
		r.At(PosOf(n), "%s: want a number of days like 90d, from 1d to 65535d, not %s", what, shown(n))
	}
	return time.Duration(days) * 24 * time.Hour
}

// Name is a name in a file, and its place.
type Name struct {
	Text string
	Pos
}

// Names reads a list of texts, or one text.
func (r *Reader) Names(n *yaml.Node, what string) (out []Name) {
	if n.Kind == yaml.ScalarNode {
		if s := r.Text(n, what); s != "" {
			return []Name{{s, PosOf(n)}}
		}
		return nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.At(PosOf(n), "%s: want a list like [one, two], not %s", what, strings.Replace(KindOf(n), "a list", "an empty one", 1))
		return nil
	}
	for _, c := range n.Content {
		s := r.Text(c, what)
		for _, o := range out {
			if o.Text == s && s != "" {
				r.At(PosOf(c), "%s: `%s` is given twice: remove one of the two", what, s)
			}
		}
		if s != "" {
			out = append(out, Name{s, PosOf(c)})
		}
	}
	return out
}

// Texts returns the names without their places.
func Texts(names []Name) (out []string) {
	for _, n := range names {
		out = append(out, n.Text)
	}
	return out
}
