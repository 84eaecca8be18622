// Package difference shows a change set to the person who decides about it: as lines for a terminal, and as data for a page.
//
// Programs, and those who wrote into the database, choose most of what is shown. So each of their texts is in quotes, on one line, with everything
// escaped that can't be seen: it can't look like a mark of the difference, or like a line of its own.
package difference

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/printable"
)

// View is a change set as a person sees it. Its texts of programs and databases are quoted.
type View struct {
	ID        string    `json:"id"`
	State     string    `json:"state"`
	Principal string    `json:"principal"`
	At        time.Time `json:"at"`
	Until     time.Time `json:"until"`
	Rules     []string  `json:"rules"`
	Who       string    `json:"who"` // may decide
	Summary   string    `json:"summary"`
	Digest    string    `json:"digest"`
	Number    int64     `json:"number"`  // rows and further changes
	Grouped   bool      `json:"grouped"` // Groups is a digest of the rows: not every row is in it
	Groups    []Group   `json:"groups,omitempty"`
	More      int64     `json:"more,omitempty"` // changes whose rows nobody is shown
	Also      []string  `json:"also,omitempty"`
	Messages  []Message `json:"messages,omitempty"`
	Program   []string  `json:"program"`        // a line each
	Read      []string  `json:"read,omitempty"` // labels of what the program has read
	By        string    `json:"by,omitempty"`   // who decided
	Run       string    `json:"run,omitempty"`  // that applied it, or is about to: exo undo takes its ID
	Why       string    `json:"why,omitempty"`
}

// Group has changes of one kind in one table.
type Group struct {
	Table string   `json:"table"`
	Kind  string   `json:"kind"`
	Rows  []Row    `json:"rows"`
	Of    int      `json:"of"`              // rows of the group, shown or not
	Facts []string `json:"facts,omitempty"` // about all of them
}

// Row is one row.
type Row struct {
	Mark  string `json:"mark"` // + added, ~ changed, - deleted
	Key   string `json:"key"`
	Cells []Cell `json:"cells"`
	Other bool   `json:"another_column,omitempty"` // a column changes that nobody is shown
}

// Cell is one value before and after. Before is "" in a new row, After in a deleted one.
type Cell struct {
	Name    string `json:"name"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Changed bool   `json:"changed"`
}

// Message is what would leave.
type Message struct {
	Op     string   `json:"op"`
	Lines  []string `json:"lines"`
	Sealed bool     `json:"sealed,omitempty"` // it has values that Lines only names
}

// Many is the number of rows above which a change set is grouped, and agreeing to it means typing their number.
const Many = 200

// after is what a cell shows that the database chooses.
const after = "known after apply"

// Of makes the view of a change set for a person who may see the labels of admits. all shows every row, however many there are.
func Of(w review.ChangeSet, admits value.Label, all bool) View {
	v := View{ID: w.ID, State: string(w.State), Principal: Quote(string(w.Principal)), At: w.At, Until: w.Until, Rules: quoted(w.Rules), Who: who(w.Who), Summary: Shown(w.Summary()),
		Digest: w.Digest(), Program: lines(w.Program), Read: quoted(w.Label), Why: w.Why}
	if v.Why != "" {
		v.Why = Quote(v.Why)
	}
	if w.By != "" {
		v.By = fmt.Sprintf("%s, known by the %s, at %s", Quote(w.By), w.How, w.Decided.UTC().Format(time.DateTime))
	}
	if w.Applies != nil {
		v.Run = w.Applies.String()
	}
	for _, s := range w.Set.Parts {
		v.Number += int64(len(s.Rows)) + s.More
		v.More += s.More
		v.Also = append(v.Also, quoted(s.Also)...)
	}
	if s := sealed(w.Began, admits); s != "" { // it was written from such values
		v.Program = []string{s}
	}
	v.Grouped = v.Number > Many && !all
	var groups []*Group
	of := map[string]*Group{}
	rows := map[*Group][]changeset.Row{}
	for _, s := range w.Set.Parts {
		for _, r := range s.Rows {
			key := r.Table + "\x00" + string(r.Kind)
			if v.Grouped {
				for _, c := range r.Cells {
					if differs(c, admits) {
						key += "\x00" + c.Name
					}
				}
			}
			g := of[key]
			if g == nil {
				g = &Group{Table: Quote(r.Table), Kind: string(r.Kind)}
				groups, of[key] = append(groups, g), g
			}
			g.Of++
			rows[g] = append(rows[g], r)
		}
	}
	for _, g := range groups {
		list := rows[g]
		if v.Grouped {
			list, g.Facts = notable(list, admits)
		}
		for _, r := range list {
			g.Rows = append(g.Rows, row(r, admits))
		}
	}
	if v.Grouped { // what is rare comes first
		slices.SortStableFunc(groups, func(a, b *Group) int { return a.Of - b.Of })
	}
	for _, g := range groups {
		v.Groups = append(v.Groups, *g)
	}
	for _, m := range w.Set.Messages {
		x := Message{Op: Quote(m.Op), Lines: lines(m.Text), Sealed: m.Sealed}
		if s := sealed(m.Label, admits); s != "" {
			x.Lines = []string{s}
		}
		v.Messages = append(v.Messages, x)
	}
	return v
}

func who(w changeset.Who) string {
	by := "at a terminal or by a link anybody, on the page somebody other than the user of the program"
	switch w.By {
	case changeset.Self:
		by = "anybody"
	case changeset.Other:
		by = "somebody other than the user of the program"
	}
	if w.Least == changeset.Page {
		by = strings.TrimPrefix(by, "at a terminal or by a link anybody, on the page ") + ", on the page only"
	}
	return by
}

// differs reports whether a cell is shown as changed. One that the person may not see always is: else a program could guess its value, and the difference
// would tell whether it was right.
func differs(c changeset.Cell, admits value.Label) bool {
	return c.Changed() || sealed(c.Label, admits) != ""
}

func row(r changeset.Row, admits value.Label) Row {
	out := Row{Mark: map[changeset.Kind]string{changeset.Added: "+", changeset.Changed: "~", changeset.Deleted: "-"}[r.Kind], Key: Quote(r.Key), Other: r.Other}
	for _, c := range r.Cells {
		x := Cell{Name: Quote(c.Name), Before: side(c.Before, c.WasNull, c.Label, admits), After: side(c.After, c.IsNull, c.Label, admits), Changed: differs(c, admits)}
		if c.New {
			x.After = after
		}
		out.Cells = append(out.Cells, x)
	}
	return out
}

func side(text *string, null bool, label []string, admits value.Label) string {
	if text == nil {
		return ""
	}
	if s := sealed(label, admits); s != "" {
		return s
	}
	if null {
		return "null" // without quotes, so it is no text
	}
	return Quote(*text)
}

// Outcome says why nothing was changed after a person had agreed. The error may have values: who may not see all labels reads none.
func Outcome(failed error, sees bool) string {
	text := "Nothing was changed, since the program failed this time"
	d, differs := errors.AsType[*review.DiffersError](failed)
	if differs {
		text = "Nothing was changed, since the program would now do something else"
	}
	switch {
	case !sees:
		return text + "."
	case differs:
		return text + ": " + Shown(d.Difference)
	}
	return text + ": " + Shown(failed.Error())
}

// Typed is what a person types to agree to so many changes that the view does not show each; "": nothing.
func (v View) Typed() string {
	if v.Number <= Many {
		return ""
	}
	return strconv.FormatInt(v.Number, 10)
}

// sealed returns what a person is shown in the place of a value that they may not see; "" if they may.
func sealed(label []string, admits value.Label) string {
	l := value.NewLabel(label...).Secrecy()
	if l.FlowsTo(admits) {
		return ""
	}
	return "[sealed " + Shown(l.List()) + "]"
}

func quoted(all []string) (out []string) {
	for _, s := range all {
		out = append(out, Quote(s))
	}
	return out
}

func lines(text string) (out []string) {
	return quoted(strings.Split(text, "\n"))
}

// Quote writes a foreign text on one line, in quotes. Two texts are never written alike.
func Quote(s string) string { return `"` + strings.ReplaceAll(Shown(s), `"`, `\"`) + `"` }

// maxMarks is how many marks in a row a letter may have: more of them reach into the lines above and below.
const maxMarks = 3

// Shown writes a text on one line, with everything escaped that a person can't see, or that changes how the rest is seen.
func Shown(s string) string {
	var b strings.Builder
	marks := 0
	for i, r := range s {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case !printable.Rune(r) || marks > maxMarks || r == '\u2800' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
