package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Ran is a program that has ended. .sql, .trace and .save use it.
type Ran struct {
	Program string
	Result  *codemode.Result
	Kept
	Now string // the outcome of the changes, as a text that follows their number
}

// Show prints the outcome of a program for people: what it logged, its rows or its error, and one
// line with the labels, the counts and the time. It prints the SQL below only if unfold is true.
func (s Screen) Show(out io.Writer, r *Ran, unfold bool) {
	res := r.Result
	fmt.Fprint(out, s.PaintLines(Dim, printable.Text(res.Console)))
	if e := res.Err; e != nil {
		fmt.Fprint(out, s.failure(e))
	} else {
		text, rows := s.Render(res.Value, res.JSON, typesOf(r.Queries))
		fmt.Fprint(out, text)
		if res.Notice != "" {
			fmt.Fprintln(out, s.Paint(Yellow, printable.OneLine(res.Notice)))
		}
		fmt.Fprintln(out, s.footer(r, rows, unfold))
	}
	if res.Err != nil && (len(r.Queries)+r.More > 0 || !res.Label.Empty()) {
		fmt.Fprintln(out, s.footer(r, -1, unfold))
	}
	if res.Err != nil || unfold {
		for _, c := range res.Causes {
			fmt.Fprintln(out, s.Paint(Dim, s.Wrap("labelled "+printable.OneLine(c.String()), 2)))
		}
	}
	if note := res.EffectsNote(); note != "" && (r.Now == "" || res.Err != nil) { // skipped if the changes of a program are only tried, since they have no effect yet
		fmt.Fprintln(out, s.Paint(Yellow, s.Wrap("effects: "+printable.OneLine(note), 2)))
	}
	s.Changed(out, r.Settled(), r.Admits, r.Now)
	if unfold {
		fmt.Fprint(out, s.Unfolded(&r.Kept))
	}
}

// footer returns the line under a result.
func (s Screen) footer(r *Ran, rows int, unfolded bool) string {
	var parts []string
	if rows >= 0 {
		parts = append(parts, Count(rows, "row"))
	}
	parts = append(parts, fmt.Sprintf("%v ms", Milliseconds(r.Result.Took)))
	if n, took := r.Asked(); n > 0 {
		fold := "; .sql shows it"
		if n > 1 {
			fold = "; .sql shows them"
		}
		if unfolded {
			fold = ""
		}
		name := "query"
		if n > 1 {
			name = "queries"
		}
		parts = append(parts, fmt.Sprintf("%d %s in %v ms%s", n, name, Milliseconds(took), fold))
	}
	line := s.Paint(Dim, strings.Join(parts, ", "))
	if tags := r.Result.Label.Tags(); len(tags) > 0 {
		line = s.chips(tags) + " " + line
	}
	return line
}

// Unfolded returns the SQL of queries, each with its bound values.
func (s Screen) Unfolded(k *Kept) string {
	var b strings.Builder
	for _, q := range k.Queries {
		args := q.Args
		if args == nil {
			args = []value.Value{}
		}
		fmt.Fprintf(&b, "%s\n", s.highlightSQL(s.Wrap(printable.OneLine(q.SQL), 2)))
		rows := Count(q.Rows, "row")
		if q.Rows < 0 {
			rows = "rows withheld"
		}
		fmt.Fprintln(&b, s.Paint(Dim, fmt.Sprintf("  %s  %s, %v ms", printable.OneLine(string(printable.Marshal(args))), rows, Milliseconds(q.Took))))
	}
	if left := k.left(); left != "" {
		fmt.Fprintln(&b, s.Paint(Yellow, left))
	}
	return b.String()
}

// Traced returns what a program asked for, message by message, as the gate recorded it.
func (s Screen) Traced(events []exo.Entry) string {
	var b strings.Builder
	for _, ev := range events {
		how := s.Paint(green, "done")
		if ev.State == exo.StateHeld {
			how = s.Paint(Yellow, "held")
		}
		if ev.Err != nil {
			how = s.Paint(Red, printable.OneLine(fail.KindOf(ev.Err).String()))
		}
		at := ""
		if ev.Pos.Line != 0 {
			at = s.Paint(Dim, fmt.Sprintf(" (line %d)", ev.Pos.Line))
		}
		fmt.Fprintf(&b, "%4d  %s%s  %s", ev.Call, s.Highlight(printable.Cut(printable.OneLine(ev.Op), 4*maxWidth)), at, how)
		fmt.Fprint(&b, s.Paint(Dim, fmt.Sprintf(", %v ms", Milliseconds(ev.Took))))
		if tags := ev.Label.Tags(); len(tags) > 0 {
			fmt.Fprint(&b, "  "+s.chips(tags))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// Stopped reports whether Ctrl-C ended a program, since nothing else cancels its context here.
func Stopped(err error) bool {
	return fail.KindOf(err) == fail.Cancelled && errors.Is(errors.Unwrap(err), context.Canceled)
}

// failure returns the text of an error with its line of the program, and a mark under the place.
func (s Screen) failure(err error) string {
	kind, at := fail.KindOf(err).String(), fail.PosOf(err)
	if Stopped(err) { // print only one line, since the message and the cause of such an error are the same
		return s.Paint(Red, kind+":") + " Ctrl-C stopped the program\n"
	}
	text := s.Paint(Red, kind+":") + " " + s.Wrap(printable.Text(fail.GuestText(err)), 2) + "\n"
	if at.Line != 0 {
		margin := fmt.Sprintf("  line %d: ", at.Line)
		before, units := "", 1
		for _, r := range at.Text {
			if units >= at.Column {
				break
			}
			units++
			if r > 0xFFFF {
				units++ // columns are counted in UTF-16 units
			}
			if r == '\t' {
				r = ' '
			}
			before += string(r)
		}
		line := printable.Text(strings.ReplaceAll(at.Text, "\t", " "))
		text += s.Paint(Dim, margin) + s.Highlight(line) + "\n" + strings.Repeat(" ", len(margin)+printable.Width(printable.Text(before))) + s.Paint(Red, "^") + "\n"
	}
	if cause := errors.Unwrap(err); cause != nil { // shown, since it is for the person at the terminal, not for a model
		text += s.Paint(Dim, "  ("+printable.OneLine(cause.Error())+")") + "\n"
	}
	return text
}

// Wrap breaks a text at spaces if its lines would be wider than the screen. It indents
// the lines that follow. If the width is not known, it returns the text unchanged.
func (s Screen) Wrap(text string, indent int) string {
	room := s.width() - indent
	if room < 20 || printable.Width(text) <= room {
		return text
	}
	var b strings.Builder
	n := 0
	for i, word := range strings.Split(text, " ") {
		w := printable.Width(word)
		switch {
		case i == 0:
		case n+1+w > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += w
	}
	return b.String()
}

// PaintLines paints each line of a text separately.
func (s Screen) PaintLines(style, text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = s.Paint(style, l)
	}
	return strings.Join(lines, "\n")
}

var sqlWords = scalar.Words(`SELECT FROM JOIN LEFT INNER ON WHERE AND OR NOT IN IS NULL AS ORDER BY LIMIT OFFSET GROUP HAVING
	EXISTS CASE WHEN THEN ELSE END BETWEEN LIKE ILIKE DISTINCT COUNT ASC DESC UNION ALL WITH OVER PARTITION CAST`)

// highlightSQL colours SQL in the form of sqlast, with words in capitals and quoted names.
func (s Screen) highlightSQL(sql string) string {
	if !s.Color {
		return sql
	}
	var b strings.Builder
	for i := 0; i < len(sql); {
		from, style := i, ""
		switch c := sql[i]; {
		case c == '"' || c == '\'':
			if i = strings.IndexByte(sql[from+1:], c) + from + 2; i < from+2 {
				i = len(sql)
			}
			if style = ""; c == '\'' {
				style = green
			}
		case js.IsWord(c):
			for i < len(sql) && js.IsWord(sql[i]) {
				i++
			}
			if sqlWords[sql[from:i]] {
				style = magenta
			}
		default:
			i++
		}
		b.WriteString(s.Paint(style, sql[from:i]))
	}
	return b.String()
}

func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Settled returns the changes of a run that committed, or would have committed. It returns nil for other runs.
func (r *Ran) Settled() []exosql.Changes {
	if !slices.ContainsFunc(r.Result.Effects, func(e exo.Effect) bool { return e.State == exo.StateApplied || errors.Is(e.Err, exo.ErrPreview) }) {
		return nil
	}
	return r.changes
}

// Milliseconds returns a duration in milliseconds, rounded to a microsecond.
func Milliseconds(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }
