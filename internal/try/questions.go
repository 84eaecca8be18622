package try

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/draft"
	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// Question is a question in words, and the program that answers it.
type Question struct{ Words, Program string }

// mostTried bounds how many programs Questions tries for one kind of question.
const mostTried = 4

// Questions returns up to five questions that the user's rows answer: a count, a page, a group, a join and months. It runs each program, and
// drops a question if the program fails, takes too long or finds nothing.
func (h Host) Questions(ctx context.Context, who *Who) (out []Question) {
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	tool, err := h.tool(who.Claims)
	if err != nil {
		return nil
	}
	tables := h.Draft.Shown()
	slices.SortStableFunc(tables, func(a, b draft.Shown) int {
		return cmp.Or(who.sizes[b.Grant]-who.sizes[a.Grant], len(b.Columns)-len(a.Columns))
	})
	m := maker{who, tables}
	for _, kind := range []func(draft.Shown) []Question{m.count, m.page, m.group, m.join, m.months} {
		var tries []Question
		for _, s := range tables {
			tries = append(tries, kind(s)...)
		}
		for _, q := range tries[:min(len(tries), mostTried)] {
			if text, err := run(ctx, tool, q.Program); err == nil && string(text) != "[]" && string(text) != "null" {
				out = append(out, q)
				break
			}
		}
	}
	return out
}

// maker writes questions about tables, the largest first. From the database it only uses names that the draft gave to programs.
type maker struct {
	who    *Who
	tables []draft.Shown
}

func words(name string) string { return strings.ToLower(strings.Join(naming.Words(name), " ")) }

func (m maker) count(s draft.Shown) []Question {
	return []Question{{fmt.Sprintf("How many %s are there?", words(s.Grant)), s.Grant + ".count()"}}
}

func (m maker) page(s draft.Shown) (out []Question) {
	if c := when(s); c != "" {
		out = append(out, Question{fmt.Sprintf("Which %s came last?", words(s.Grant)), fmt.Sprintf(`%s.orderBy("%s", "desc").limit(5)`, s.Grant, c)})
	}
	return append(out, Question{fmt.Sprintf("What is in %s?", words(s.Grant)), s.Grant + ".limit(5)"})
}

var groupWords = scalar.Words("status state stage type kind category class plan role level priority country currency language rating genre source channel")

func (m maker) group(s draft.Shown) (out []Question) {
	for i := range 3 { // try the likeliest columns first
		for _, c := range s.Columns {
			ws := strings.Fields(words(c.Name))
			is := i == 2 && c.Kind == schema.Bool
			if c.Kind == schema.Text && len(ws) > 0 && !c.Key {
				is = i == 0 && c.Listed || i == 1 && !c.Listed && groupWords[ws[len(ws)-1]]
			}
			if is {
				out = append(out, Question{fmt.Sprintf("How many %s are there of each %s?", words(s.Grant), words(c.Name)), fmt.Sprintf("%s.countBy(r => r.%s)", s.Grant, c.Name)})
			}
		}
	}
	return out
}

// join asks for rows of two tables: the rows with the most linked rows, or rows with the row that they refer to.
func (m maker) join(s draft.Shown) (out []Question) {
	name := label(s)
	for _, l := range s.Links {
		to := m.row(l.To)
		if to == nil || to.Grant == s.Grant || m.who.sizes[to.Grant] == 0 || l.One && m.who.sizes[to.Grant] == 1 {
			continue // grouping by one row, like the tenant's own, makes only one group
		}
		switch of := label(*to); {
		case !l.One && name != "" && m.who.sizes[s.Grant] > 1:
			out = append(out, Question{fmt.Sprintf("Which %s have the most %s?", words(s.Grant), words(l.Name)),
				fmt.Sprintf("%s.orderBy(r => r.%s().count().desc()).limit(5).select(r => ({ %s: r.%[3]s, %[2]s: r.%[2]s().count() }))", s.Grant, l.Name, name)})
		case l.One && of != "" && name != "":
			out = append(out, Question{fmt.Sprintf("Which %s belong to which %s?", words(s.Grant), words(l.Name)),
				fmt.Sprintf("%s.limit(5).select(r => ({ %s: r.%[2]s, %s: r.%[3]s().%s }))", s.Grant, name, l.Name, of)})
		case l.One && of != "":
			out = append(out, Question{fmt.Sprintf("How many %s are there of each %s?", words(s.Grant), words(l.Name)),
				fmt.Sprintf("%s.groupBy(r => ({ %s: r.%[2]s().%s })).select(g => ({ %[2]s: g.%[2]s, n: g.count() }))", s.Grant, l.Name, of)})
		}
	}
	return out
}

func (m maker) row(name string) *draft.Shown {
	if i := slices.IndexFunc(m.tables, func(s draft.Shown) bool { return s.Row == name }); i >= 0 {
		return &m.tables[i]
	}
	return nil
}

func (m maker) months(s draft.Shown) []Question {
	c := when(s)
	if c == "" {
		return nil
	}
	return []Question{{fmt.Sprintf("How many %s are there of each of the last months, by %s?", words(s.Grant), words(c)),
		fmt.Sprintf(`%s.groupBy(r => ({ month: r.%s.truncate("month") })).orderBy(g => g.month.desc()).limit(12).select(g => ({ month: g.month, n: g.count() }))`, s.Grant, c)}}
}

var (
	beginWords = scalar.Words("created inserted ordered placed posted opened happened registered joined started sold paid added")
	laterWords = scalar.Words("updated modified deleted expires expired expiry due archived closed")
)

// when returns the column with the time at which a row was created, otherwise any time or day, or "".
func when(s draft.Shown) (column string) {
	best := -1
	for _, c := range s.Columns {
		if c.Kind != schema.Time && c.Kind != schema.Date {
			continue
		}
		score := 1
		for _, w := range strings.Fields(words(c.Name)) {
			switch {
			case beginWords[w]:
				score = 2
			case laterWords[w]:
				score = 0
			}
		}
		if score > best {
			best, column = score, c.Name
		}
	}
	return column
}
