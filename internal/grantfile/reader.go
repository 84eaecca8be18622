package grantfile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// reader reads YAML nodes strictly: each node must have the expected type, and no name may occur twice or be unknown.
type reader struct {
	problems
	dir string                             // of the file
	saw func(n *yaml.Node, names []string) // if not nil, it gets the names that a map may have
}

// plain refuses what makes a file mean something else than its visible text: aliases, merges and tags.
func (r *reader) plain(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.at(posOf(n), "anchors and aliases are not allowed: write the value out, so that a reviewer of the file sees it here")
		return
	case n.Style&yaml.TaggedStyle != 0:
		r.at(posOf(n), "YAML tags are not allowed: remove %s", n.Tag)
	}
	for _, c := range n.Content {
		r.plain(c)
	}
}

// entry is a name and its value.
type entry struct {
	name  string
	key   *yaml.Node
	value *yaml.Node
}

func (e entry) pos() Pos { return posOf(e.key) }

// entries reads a map with the file's own names.
func (r *reader) entries(n *yaml.Node, what string) (out []entry) {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.at(posOf(n), "%s: want a map from names, not %s", what, kindOf(n))
		return nil
	}
	seen := map[string]Pos{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.Tag != "!!str" {
			r.at(posOf(k), "want a name, not %s; quote it if it is one", kindOf(k))
			continue
		}
		if at, twice := seen[k.Value]; twice {
			r.at(posOf(k), "`%s` is given twice: line %d has it already", k.Value, at.Line)
			continue
		}
		seen[k.Value] = posOf(k)
		out = append(out, entry{k.Value, k, v})
	}
	return out
}

// fields reads a map with names that the format defines.
func (r *reader) fields(n *yaml.Node, what string, known map[string]func(entry)) {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	if r.saw != nil {
		r.saw(n, names)
	}
	for _, e := range r.entries(n, what) {
		if read := known[e.name]; read != nil {
			read(e)
			continue
		}
		r.at(e.pos(), "%s has no `%s`%s", what, e.name, or(e.name, names))
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func kindOf(n *yaml.Node) string {
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

// text reads a text that is not empty.
func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
		r.at(posOf(n), "%s: want a text, not %s", what, strings.Replace(kindOf(n), "a text", "an empty one", 1))
		return ""
	}
	return n.Value
}

func (r *reader) bool(n *yaml.Node, what string) bool { return r.boolOr(n, what) }

// boolOr reads a bool. words are other values that the caller accepts.
func (r *reader) boolOr(n *yaml.Node, what string, words ...string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		r.at(posOf(n), "%s: want %s, not %s", what, strings.Join(append([]string{"true or false"}, words...), " or "), kindOf(n))
	}
	return n.Value == "true"
}

func (r *reader) positive(n *yaml.Node, what string) int {
	i, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || i < 1 {
		r.at(posOf(n), "%s: want a whole number of at least 1, not %s", what, kindOf(n))
		return 0
	}
	return i
}

// bytes reads a size: a number of bytes, KiB or MiB.
func (r *reader) bytes(n *yaml.Node, what string) int {
	text, unit := n.Value, 1
	for name, u := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20} {
		if t, ok := strings.CutSuffix(n.Value, name); ok {
			text, unit = strings.TrimSpace(t), u
		}
	}
	i, err := strconv.Atoi(text)
	if n.Kind != yaml.ScalarNode || err != nil || i < 1 || i > 1<<40/unit {
		r.at(posOf(n), "%s: want a size like 256KiB or 64MiB, not %s", what, kindOf(n))
		return 0
	}
	return i * unit
}

func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
		r.at(posOf(n), "%s: want a time like 5s or 500ms, not %s", what, kindOf(n))
		return 0
	}
	return d
}

// days reads a number of days, like 90d.
func (r *reader) days(n *yaml.Node, what string) time.Duration {
	digits, is := strings.CutSuffix(n.Value, "d")
	days, err := strconv.ParseUint(digits, 10, 16)
	if n.Kind != yaml.ScalarNode || !is || err != nil || days == 0 || digits[0] == '0' {
		r.at(posOf(n), "%s: want a number of days like 90d, from 1d to 65535d, not %s", what, kindOf(n))
	}
	return time.Duration(days) * 24 * time.Hour
}

// Name is a name in a file, and its place.
type Name struct {
	Text string
	Pos
}

// names reads a list of texts, or one text.
func (r *reader) names(n *yaml.Node, what string) (out []Name) {
	if n.Kind == yaml.ScalarNode {
		if s := r.text(n, what); s != "" {
			return []Name{{s, posOf(n)}}
		}
		return nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.at(posOf(n), "%s: want a list of names, not %s", what, strings.Replace(kindOf(n), "a list", "an empty one", 1))
		return nil
	}
	for _, c := range n.Content {
		s := r.text(c, what)
		for _, o := range out {
			if o.Text == s && s != "" {
				r.at(posOf(c), "%s: `%s` is given twice", what, s)
			}
		}
		if s != "" {
			out = append(out, Name{s, posOf(c)})
		}
	}
	return out
}

func texts(names []Name) (out []string) {
	for _, n := range names {
		out = append(out, n.Text)
	}
	return out
}
