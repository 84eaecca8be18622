package repl

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
)

// ran is a program that has ended: what .sql, .trace and .save show again.
type ran struct {
	program string
	result  *codemode.Result
	kept
	now string // what has become of the changes, behind their number
}

// show prints the outcome of a program for eyes: what it logged, its rows or its
// error, and one line with the labels, the counts and the time, under which the SQL is
// folded unless unfold.
func (s screen) show(out io.Writer, r *ran, unfold bool) {
	res := r.result
	fmt.Fprint(out, s.paintLines(dim, printable.Text(res.Console)))
	if e := res.Err; e != nil {
		fmt.Fprint(out, s.failure(e))
	} else {
		text, rows := s.render(res.Value, res.JSON, typesOf(r.queries))
		fmt.Fprint(out, text)
		if res.Notice != "" {
			fmt.Fprintln(out, s.paint(yellow, printable.OneLine(res.Notice)))
		}
		fmt.Fprintln(out, s.footer(r, rows, unfold))
	}
	if res.Err != nil && (len(r.queries)+r.more > 0 || !res.Label.Empty()) {
		fmt.Fprintln(out, s.footer(r, -1, unfold))
	}
	if res.Err != nil || unfold {
		for _, c := range res.Causes {
			fmt.Fprintln(out, s.paint(dim, s.wrap("labelled "+printable.OneLine(c.String()), 2)))
		}
	}
	if note := res.EffectsNote(); note != "" && (r.now == "" || res.Err != nil) { // of a try nothing has taken effect
		fmt.Fprintln(out, s.paint(yellow, s.wrap("effects: "+printable.OneLine(note), 2)))
	}
	s.changed(out, r.settled(), r.admits, r.now)
	if unfold {
		fmt.Fprint(out, s.unfolded(&r.kept))
	}
}

// footer is the line under a result.
func (s screen) footer(r *ran, rows int, unfolded bool) string {
	var parts []string
	if rows >= 0 {
		parts = append(parts, count(rows, "row"))
	}
	parts = append(parts, fmt.Sprintf("%v ms", ms(r.result.Took)))
	if n, took := r.asked(); n > 0 {
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
		parts = append(parts, fmt.Sprintf("%d %s in %v ms%s", n, name, ms(took), fold))
	}
	line := s.paint(dim, strings.Join(parts, ", "))
	if tags := r.result.Label.Tags(); len(tags) > 0 {
		line = s.chips(tags) + " " + line
	}
	return line
}

// unfolded is the SQL of queries with what was bound to it.
func (s screen) unfolded(k *kept) string {
	var b strings.Builder
	for _, q := range k.queries {
		args := q.Args
		if args == nil {
			args = []value.Value{}
		}
		fmt.Fprintf(&b, "%s\n", s.highlightSQL(s.wrap(printable.OneLine(q.SQL), 2)))
		rows := count(q.Rows, "row")
		if q.Rows < 0 {
			rows = "rows withheld"
		}
		fmt.Fprintln(&b, s.paint(dim, fmt.Sprintf("  %s  %s, %v ms", printable.OneLine(string(printable.Marshal(args))), rows, ms(q.Took))))
	}
	if left := k.left(); left != "" {
		fmt.Fprintln(&b, s.paint(yellow, left))
	}
	return b.String()
}

// traced is what a program asked for, message by message, as the gate recorded it.
func (s screen) traced(events []exo.Entry) string {
	var b strings.Builder
	for _, ev := range events {
		how := s.paint(green, "done")
		if ev.State == exo.StateHeld {
			how = s.paint(yellow, "held")
		}
		if ev.Err != nil {
			how = s.paint(red, printable.OneLine(fail.KindOf(ev.Err).String()))
		}
		at := ""
		if ev.Pos.Line != 0 {
			at = s.paint(dim, fmt.Sprintf(" (line %d)", ev.Pos.Line))
		}
		fmt.Fprintf(&b, "%4d  %s%s  %s", ev.Call, s.highlight(printable.Cut(printable.OneLine(ev.Op), 4*maxWidth)), at, how)
		fmt.Fprint(&b, s.paint(dim, fmt.Sprintf(", %v ms", ms(ev.Took))))
		if tags := ev.Label.Tags(); len(tags) > 0 {
			fmt.Fprint(&b, "  "+s.chips(tags))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// stopped reports whether a program ended because somebody pressed Ctrl-C: nothing else
// cancels the context of one here.
func stopped(err error) bool {
	return fail.KindOf(err) == fail.Cancelled && errors.Is(errors.Unwrap(err), context.Canceled)
}

// failure is an error with the line it is about, and a mark under the place.
func (s screen) failure(err error) string {
	kind, at := fail.KindOf(err).String(), fail.PosOf(err)
	if stopped(err) { // its message and its cause say the same again
		return s.paint(red, kind+":") + " Ctrl-C stopped the program\n"
	}
	text := s.paint(red, kind+":") + " " + s.wrap(printable.Text(fail.GuestText(err)), 2) + "\n"
	if at.Line != 0 {
		margin := fmt.Sprintf("  line %d: ", at.Line)
		before, units := "", 1
		for _, r := range at.Text {
			if units >= at.Column {
				break
			}
			units++
			if r > 0xFFFF {
				units++ // columns count UTF-16 units
			}
			if r == '\t' {
				r = ' '
			}
			before += string(r)
		}
		line := printable.Text(strings.ReplaceAll(at.Text, "\t", " "))
		text += s.paint(dim, margin) + s.highlight(line) + "\n" + strings.Repeat(" ", len(margin)+printable.Width(printable.Text(before))) + s.paint(red, "^") + "\n"
	}
	if cause := errors.Unwrap(err); cause != nil { // for whoever sits here, not for a model
		text += s.paint(dim, "  ("+printable.OneLine(cause.Error())+")") + "\n"
	}
	return text
}

// wrap breaks a text at spaces where its lines would be wider than the screen; what
// goes on is indented. Where no width is known it is left alone.
func (s screen) wrap(text string, indent int) string {
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

// paintLines paints each line of a text by itself.
func (s screen) paintLines(style, text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = s.paint(style, l)
	}
	return strings.Join(lines, "\n")
}

var sqlWords = js.WordSet(`SELECT FROM JOIN LEFT INNER ON WHERE AND OR NOT IN IS NULL AS ORDER BY LIMIT OFFSET GROUP HAVING
	EXISTS CASE WHEN THEN ELSE END BETWEEN LIKE ILIKE DISTINCT COUNT ASC DESC UNION ALL WITH OVER PARTITION CAST`)

// highlightSQL colours SQL as sqlast writes it: its words are in capitals, and
// names are quoted.
func (s screen) highlightSQL(sql string) string {
	if !s.color {
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
		b.WriteString(s.paint(style, sql[from:i]))
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// settled are the changes of a run that committed, or would have.
func (r *ran) settled() []exosql.Changes {
	if !slices.ContainsFunc(r.result.Effects, func(e exo.Effect) bool { return e.State == exo.StateApplied || errors.Is(e.Err, exo.ErrPreview) }) {
		return nil
	}
	return r.changes
}

// ms is a duration in milliseconds, to a microsecond.
func ms(d time.Duration) float64 { return math.Round(float64(d)/1e3) / 1e3 }
