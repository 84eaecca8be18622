// Package screen shows results to people: rows as tables, changes, errors, labels and timings. All of
// that may come from an attacker, so it passes printable.Text or printable.OneLine before it is painted.
package screen

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/spin"
)

// Streams are the input and the outputs of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // a person types, so show a prompt and print for people
	Screen   Screen
}

// Screen describes where results are printed. The zero Screen is plain: its text has no escape
// sequences and can go to a file.
type Screen struct {
	Live  bool // the cursor can be moved, for line editing and a spinner
	Color bool
	Cols  func() int // returns the number of columns; nil: unknown

	Expanded string // show rows one below the other: "on", "off", or "" if a table is too wide
}

// Standard finds out whether the streams of the process are a terminal. If the input or an output
// is none, or the terminal is dumb, the screen is plain.
func Standard(stdin io.Reader, stdout, stderr io.Writer) *Streams {
	std := &Streams{In: stdin, Out: stdout, Err: stderr, Terminal: isTerminal(stdin)}
	if std.Terminal && spin.Moves(stdout) && spin.Moves(stderr) && stdin == io.Reader(os.Stdin) && stdout == io.Writer(os.Stdout) {
		std.Screen = Screen{Live: true, Color: os.Getenv("NO_COLOR") == "", Cols: Columns}
	}
	return std
}

func Columns() int {
	w, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || w < 20 {
		return 80
	}
	return w
}

func ScreenRows() int {
	_, h, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || h < 5 {
		return 24
	}
	return h
}

// EscapeSequence matches an escape sequence that sets a style, the only kind that we write into text.
var EscapeSequence = scalar.Pattern("\x1b\\[[0-9;]*m")

// isTerminal reports whether a person types: the input is a character device, but
// not the null device, which scripts and services have as their standard input.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	if err != nil || fi.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(fi, null)
}

// These constants are styles, as parameters of the escape sequence that sets a style. They use only the
// 16 colours that every terminal has and users can choose.
const (
	Bold    = "1"
	Dim     = "2"
	Red     = "31"
	green   = "32"
	Yellow  = "33"
	blue    = "34"
	magenta = "35"
	Cyan    = "36"
)

// Paint returns text in a style. The text must be printable, since it goes between two escape
// sequences.
func (s Screen) Paint(style, text string) string {
	if !s.Color || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// chip returns the tag of a label on a coloured background, always in the same colour for one tag.
func (s Screen) chip(tag string) string {
	tag = printable.Cut(printable.OneLine(tag), maxWidth)
	if !s.Color {
		return "[" + tag + "]"
	}
	sum := 0
	for _, c := range []byte(tag) {
		sum = sum*31 + int(c)
	}
	grounds := []string{"41", "42", "43", "44", "45", "46"}
	return s.Paint("30;"+grounds[(sum&0x7fffffff)%len(grounds)], " "+tag+" ")
}

func (s Screen) chips(tags []string) string { return strings.Join(scalar.Each(tags, s.chip), " ") }

// width returns the number of columns that a table may take.
func (s Screen) width() int {
	if s.Cols == nil {
		return 0
	}
	return s.Cols()
}

// Width returns the number of columns of the screen, or otherwise if it is unknown.
func (s Screen) Width(otherwise int) int { return cmp.Or(s.width(), otherwise) }

// Complain writes an error for the person who runs the command, made printable, since its text may
// come from a database or a service.
func (std *Streams) Complain(who string, err error) {
	fmt.Fprintf(std.Err, "%s: %s\n", who, printable.Text(err.Error()))
}

// spinAfter is how long an action runs before a spinner appears.
const spinAfter = 200 * time.Millisecond

// Spin starts a spinner. On a plain screen it shows nothing. Nothing else may be written while it spins.
func (s Screen) Spin(out io.Writer, what string) *spin.Spinner {
	if !s.Live {
		return &spin.Spinner{}
	}
	return spin.Start(out, spinAfter, func(frame string, took time.Duration) string {
		return s.Paint(Cyan, frame) + " " + s.Paint(Dim, fmt.Sprintf("%s, %.1f s; Ctrl-C stops it", what, took.Seconds()))
	})
}

// Indent indents a program that the model wrote, to set it apart from the answer.
func (s Screen) Indent(text string) string {
	bar := "| "
	if s.Live {
		bar = s.Paint(Dim, "│") + " "
	}
	return bar + strings.ReplaceAll(text, "\n", "\n"+bar)
}

// Lines returns how many lines of the screen a text needs.
func (s Screen) Lines(text string) (n int) {
	cols := max(1, s.width())
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		n += max(1, (printable.Width(EscapeSequence().ReplaceAllString(l, ""))+cols-1)/cols)
	}
	return n
}
