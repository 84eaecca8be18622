package difference

// This file writes a view for a terminal.

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/printable"
)

// Screen describes the place where a view is written.
type Screen struct {
	Color bool
	Width int // the width in columns; 0 breaks no line
}

const (
	red    = "31"
	green  = "32"
	yellow = "33"
	dim    = "2"
)

// Write writes the view. It breaks long texts itself, so each line begins with its own prefix. If the terminal broke a text, a line would begin
// with a part of that text, and could look like a line of the view.
func (v View) Write(to io.Writer, s Screen) error {
	w := &writer{screen: s}
	w.line("", "", "change set %s is %s", v.ID, v.State)
	for _, l := range [][2]string{{"for", v.Principal}, {"asks", strings.Join(v.Rules, " ")}, {"may decide", v.Who}, {"decided by", v.By}, {"by the run", v.Run}, {"because", v.Why}, {"until", v.Until.UTC().Format(time.DateTime) + " UTC"},
		{"would be", v.Summary}, {"digest", v.Digest}, {"has read", strings.Join(v.Read, " ")}} {
		if l[1] != "" {
			w.line("", "", "%-13s %s", l[0], l[1])
		}
	}
	w.line("", "", "")
	w.line("", "", "the program")
	for _, l := range v.Program {
		w.line(dim, "  | ", "%s", l)
	}
	for _, g := range v.Groups {
		w.line("", "", "")
		w.line("", "", "%s: %d %s", g.Table, g.Of, g.Kind)
		for _, f := range g.Facts {
			w.line("", "  * ", "%s", f)
		}
		for _, r := range g.Rows {
			w.row(r)
		}
		if n := g.Of - len(g.Rows); n > 0 {
			w.line("", "  * ", "%d more, which -all shows", n)
		}
	}
	if v.More > 0 {
		w.line("", "", "")
		w.line(yellow, "", "%d further changes, which nobody is shown", v.More)
	}
	for _, a := range v.Also {
		w.line("", "also: ", "%s", a)
	}
	for _, m := range v.Messages {
		w.line("", "", "")
		w.line(green, "> ", "sends %s", m.Op)
		for _, l := range m.Lines {
			w.line("", "  | ", "%s", l)
		}
		if m.Sealed {
			w.line("", "  * ", "it has sealed values, which are opened when it leaves")
		}
	}
	_, err := io.WriteString(to, w.String())
	return err
}

func (w *writer) row(r Row) {
	style := map[string]string{"+": green, "~": yellow, "-": red}[r.Mark]
	w.line(style, "  "+r.Mark+" ", "%s", r.Key)
	var same []string
	for _, c := range r.Cells {
		switch {
		case r.Mark == "~" && c.Changed:
			w.line("", "      ", "%s", c.Name)
			w.line(red, "        - ", "%s", c.Before)
			w.line(green, "        + ", "%s", c.After)
		case r.Mark == "~":
			same = append(same, c.Name+" "+c.Before)
		default:
			w.line(style, "      ", "%s %s", c.Name, c.Before+c.After)
		}
	}
	if same != nil {
		w.line(dim, "      ", "as before: %s", strings.Join(same, ", "))
	}
	if r.Other {
		w.line("", "      ", "another column")
	}
}

type writer struct {
	strings.Builder
	screen Screen
}

// line writes a text after a prefix. A text that is too long continues on further lines, each with a prefix.
func (w *writer) line(style, prefix, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.screen.Color && style != "" {
		fmt.Fprintf(w, "\x1b[%sm", style)
	}
	w.WriteString(prefix)
	room := w.screen.Width - len(prefix)
	used := 0
	for _, r := range text {
		n := printable.Width(string(r))
		if w.screen.Width > 0 && used+n > max(room, 8) {
			fmt.Fprintf(w, "\n%s… ", strings.Repeat(" ", utf8.RuneCountInString(prefix)))
			used = 2
		}
		used += n
		w.WriteRune(r)
	}
	if w.screen.Color && style != "" {
		w.WriteString("\x1b[m")
	}
	w.WriteByte('\n')
}
