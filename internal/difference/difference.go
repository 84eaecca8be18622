// Package difference shows a change set to the person who decides about it, as lines for a terminal and as data for a page.
//
// Programs, and people who wrote into the database, choose most of the shown texts. So each text is in quotes on one line, and all invisible
// characters are escaped: no text can look like a mark of the difference, or like a line of its own.
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

// View is a change set in the form that a person sees. Texts from programs and databases are quoted.
type View struct {
	ID        string    `json:"id"`
	State     string    `json:"state"`
	Principal string    `json:"principal"`
	At        time.Time `json:"at"`
	Until     time.Time `json:"until"`
	Rules     []string  `json:"rules"`
	Who       string    `json:"who"` // Who describes the persons who may decide
	Summary   string    `json:"summary"`
	Digest    string    `json:"digest"`
	Number    int64     `json:"number"`  // Number counts rows and further changes
	Grouped   bool      `json:"grouped"` // Grouped reports that Groups shows only some of the rows
	Groups    []Group   `json:"groups,omitempty"`
	More      int64     `json:"more,omitempty"` // More counts changes with rows that no person is shown
	Also      []string  `json:"also,omitempty"`
	Messages  []Message `json:"messages,omitempty"`
	Program   []string  `json:"program"`        // Program has one text for each line
	Read      []string  `json:"read,omitempty"` // Read has the labels of what the program has read
	By        string    `json:"by,omitempty"`   // By is the person who decided
	Run       string    `json:"run,omitempty"`  // Run is the ID of the run that applied the change set, or is about to, for exo undo
	Why       string    `json:"why,omitempty"`
}

// Group has changes of one kind in one table.
type Group struct {
	Table string   `json:"table"`
	Kind  string   `json:"kind"`
	Rows  []Row    `json:"rows"`
	Of    int      `json:"of"`              // Of counts all rows of the group, also those that are not shown
	Facts []string `json:"facts,omitempty"` // Facts are about all rows of the group
}

// Row is one row.
type Row struct {
	Mark  string `json:"mark"` // Mark is + for an added row, ~ for a changed row and - for a deleted row
	Key   string `json:"key"`
	Cells []Cell `json:"cells"`
	Other bool   `json:"another_column,omitempty"` // Other reports that a column which no person is shown changes, too
}

// Cell is one value before and after. Before is "" in a new row, After in a deleted one.
type Cell struct {
	Name    string `json:"name"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Changed bool   `json:"changed"`
}

// Message is a message that would leave if the person agrees.
type Message struct {
	Op     string   `json:"op"`
	Lines  []string `json:"lines"`
	Sealed bool     `json:"sealed,omitempty"` // Sealed reports that the message has sealed values, which Lines only names
}

// Many is the largest number of rows that a change set shows one by one. To agree to more, a person types their number.
const Many = 200

// after is the text for a new value that the database chooses.
const after = "known after apply"

// Of makes the view of a change set for a person who may see the labels of admits. If all is set, it shows every row.
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
	if s := sealed(w.Began, admits); s != "" { // a sealed value may have decided what the program wrote
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
	if v.Grouped { // in a group, rare changes come first
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

// differs reports whether a cell is shown as changed. A sealed cell is always shown as changed. Otherwise a program could guess its value, and the
// difference would reveal whether the guess was right.
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
		return "null" // a text would have quotes
	}
	return Quote(*text)
}

// Outcome returns why nothing was changed although a person had agreed. The error may contain values, so a person who may not see all labels
// reads only a sentence without it.
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

// Typed returns the text that a person types to agree to more changes than the view shows one by one. It is "" for a smaller number.
func (v View) Typed() string {
	if v.Number <= Many {
		return ""
	}
	return strconv.FormatInt(v.Number, 10)
}

// sealed returns the text in place of a value that a person may not see. It is "" if the person may see the value.
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

func lines(text string) (out []string) { return quoted(strings.Split(text, "\n")) }

// Quote writes a foreign text on one line, in quotes. Two different texts never look alike.
func Quote(s string) string { return `"` + strings.ReplaceAll(Shown(s), `"`, `\"`) + `"` }

// maxMarks is how many marks a letter may have. More marks would reach into the lines above and below.
const maxMarks = 3

// Shown writes a text on one line. It escapes what a person can't see, and what changes how the rest is seen.
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
