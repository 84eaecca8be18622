package codemode

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

const (
	maxNotice = 1200 // most bytes of a notice
	maxPlaces = 6    // most places that a notice names
	whole     = 40   // a size in which every scalar except a text fits, so that these are never cut
)

// render writes v as JSON of at most limit bytes. If v does not fit, lists lose items at the end,
// long texts are shortened, and objects with too many fields lose the last ones; the notice counts
// what is missing. It fails only if v is no data.
//
// framed begins with resultPrefix, so that the result need not be copied into the whole output.
func render(v value.Value, limit int, advice string) (framed []byte, notice string, err error) {
	full, err := v.JSONSize(math.MaxInt)
	if err != nil {
		return nil, "", err
	}
	c := &cutter{b: append(make([]byte, 0, len(resultPrefix)+min(full, limit)+2*maxSlack), resultPrefix...), at: map[string]*place{}}
	if full <= limit {
		err := c.all(v)
		return c.b, "", err
	}
	if err := c.fit(v, limit, "result"); err != nil {
		return nil, "", err
	}
	return c.b, c.notice(full, limit, advice), nil
}

const resultPrefix = `{"result":`

// resultIn returns the result in the output of render.
func resultIn(framed []byte) json.RawMessage {
	return framed[len(resultPrefix):len(framed):len(framed)]
}

// cutter writes values within budgets and counts what it leaves out.
type cutter struct {
	b      []byte
	places []*place
	at     map[string]*place
}

// place has all the cuts at one path: result[].tags is the tags of every item.
type place struct {
	path, what          string
	shown, total, times int
}

func (c *cutter) cut(path, what string, shown, total int) {
	key := what + path
	p := c.at[key]
	if p == nil {
		p = &place{path: path, what: what}
		c.at[key] = p
		c.places = append(c.places, p)
	}
	p.shown, p.total, p.times = p.shown+shown, p.total+total, p.times+1
}

func (c *cutter) notice(full, limit int, advice string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The result has %d bytes, more than the limit of %d, and was cut.", full, limit)
	for i, p := range c.places {
		if i == maxPlaces {
			fmt.Fprintf(&b, " There are cuts in %d further places.", len(c.places)-i)
			break
		}
		fmt.Fprintf(&b, " %s: %d of %d %s shown", p.path, p.shown, p.total, p.what)
		if p.times > 1 {
			fmt.Fprintf(&b, ", over %d places", p.times)
		}
		b.WriteString(".")
	}
	b.WriteString(" " + advice)
	return scalar.Shorten(b.String(), maxNotice)
}

// fit appends v in at most budget bytes, if budget is not tiny.
func (c *cutter) fit(v value.Value, budget int, path string) error {
	if size(v, budget) <= budget {
		return c.all(v)
	}
	switch v.Type() {
	case value.TypeText:
		b, shown := appendText(c.b, v.Text(), budget)
		c.b = b
		c.cut(path, "bytes of text", shown, len(v.Text()))
		return nil
	case value.TypeList:
		return c.list(&items{v}, v.Len(), budget, path)
	case value.TypeRows:
		return c.list(rowItems{v.Rows(), v.Rows().Writer()}, v.Len(), budget, path)
	case value.TypeRecord:
		return c.record(v, budget, path)
	}
	return c.all(v)
}

func (c *cutter) all(v value.Value) (err error) {
	c.b, err = v.AppendJSON(c.b)
	return err
}

// list keeps items from the start. An item that is larger than an eighth of the budget is cut, so that one huge item does not displace the others. It
// is cut to the size at which all items would fit (level), but never below an eighth of the budget.
func (c *cutter) list(from sequence, n int, budget int, path string) error {
	left := budget - len("[]")
	most := max(left/8, whole)
	var sizes []int
	sum := 0
	for i := 0; i < n && sum <= left; i++ {
		s := from.size(i, left)
		sizes = append(sizes, s)
		sum += min(s, most) + 1
	}
	if sum <= left {
		most = max(most, level(sizes, left-n))
	}
	c.b = append(c.b, '[')
	shown := 0
	for ; shown < n; shown++ {
		s, fits := 0, false
		if shown < len(sizes) {
			s = sizes[shown]
		} else {
			s = from.size(shown, left)
		}
		if fits = s <= most; !fits {
			s = most
		}
		if s+1 > left {
			if shown > 0 || left < whole {
				break
			}
			s, fits = left, false
		}
		if shown > 0 {
			c.b = append(c.b, ',')
			left--
		}
		begin := len(c.b)
		var err error
		if fits {
			c.b, err = from.append(c.b, shown)
		} else {
			err = c.fit(from.at(shown), s, path+"[]")
		}
		if err != nil {
			return err
		}
		left -= len(c.b) - begin
	}
	c.b = append(c.b, ']')
	if shown < n {
		c.cut(path, "items", shown, n)
	}
	return nil
}

// record keeps all fields as long as their names and a little of each fit. It divides the rest of
// the budget so that small fields stay complete.
func (c *cutter) record(v value.Value, budget int, path string) error {
	left := budget - len("{}")
	var sizes []int
	sum := 0
	for n, x := range v.Fields() {
		// The program chooses the names, too, so a name that is too long ends the record.
		over := size(value.Text(n), left) + len(":,")
		s := size(x, left)
		if sum += over + min(s, whole); sum > left {
			break
		}
		left, sum = left-over, sum-over
		sizes = append(sizes, s)
	}
	share := max(level(sizes, left), whole)
	c.b = append(c.b, '{')
	i := 0
	for n, x := range v.Fields() {
		if i == len(sizes) {
			break
		}
		if i > 0 {
			c.b = append(c.b, ',')
		}
		var err error
		if c.b, err = value.Text(n).AppendJSON(c.b); err != nil {
			return err
		}
		c.b = append(c.b, ':')
		if err := c.fit(x, min(sizes[i], share), path+"."+scalar.Shorten(n, 40)); err != nil {
			return err
		}
		i++
	}
	c.b = append(c.b, '}')
	if i < v.Len() {
		c.cut(path, "fields", i, v.Len())
	}
	return nil
}

// level returns the size to which items of these sizes must be cut to fit in budget together. A
// smaller item stays complete and leaves its rest to the others.
func level(sizes []int, budget int) int {
	s := slices.Sorted(slices.Values(sizes))
	for i, x := range s {
		if share := budget / (len(s) - i); x > share {
			return max(share, 0)
		}
		budget -= x
	}
	return max(budget, 0)
}

// appendText writes s as JSON in at most budget bytes, with
// a mark at a cut. It returns how many bytes of s are shown.
func appendText(b []byte, s string, budget int) ([]byte, int) {
	const mark = "…"
	if size(value.Text(s), budget) > budget {
		left, n := budget-2-len(mark), 0
		for n < len(s) {
			_, w := utf8.DecodeRuneInString(s[n:])
			if left -= size(value.Text(s[n:n+w]), budget) - len(`""`); left < 0 {
				break
			}
			n += w
		}
		b, _ = value.Text(s[:n] + mark).AppendJSON(b)
		return b, n
	}
	b, _ = value.Text(s).AppendJSON(b)
	return b, len(s)
}

// sequence is the source of a list that may be cut: a list's items, or rows, which need not become
// values.
type sequence interface {
	at(i int) value.Value
	size(i, limit int) int
	append(b []byte, i int) ([]byte, error)
}

type items struct{ value.Value }

func (l *items) at(i int) value.Value                   { return l.At(i) }
func (l *items) size(i, limit int) int                  { return size(l.At(i), limit) }
func (l *items) append(b []byte, i int) ([]byte, error) { return l.At(i).AppendJSON(b) }

type rowItems struct {
	rows *value.Rows
	w    *value.RowWriter
}

func (r rowItems) at(i int) value.Value                   { return r.rows.Row(i) }
func (r rowItems) append(b []byte, i int) ([]byte, error) { return r.w.Append(b, i) }

func (r rowItems) size(i, limit int) int {
	n, _ := r.w.Size(i, limit)
	return n
}

// size returns the bytes of v as JSON, or some number above limit. render has already checked that all of v is data.
func size(v value.Value, limit int) int {
	n, _ := v.JSONSize(limit)
	return n
}
