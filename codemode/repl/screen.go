package repl

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/spin"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // somebody types: prompt, and print for eyes
	screen   screen
}

// screen is what is known of where results are printed. The zero screen is plain:
// text that a file can hold, without an escape sequence.
type screen struct {
	live  bool // the cursor can be moved: line editing, a spinner
	color bool
	cols  func() int // nil: not known

	expanded string // rows one below the other: "on", "off"; "": where a table is too wide
}

// standard finds out what the streams of the process are. Anything but a terminal
// at both ends is plain, and so is one that says it is dumb.
func standard(stdin io.Reader, stdout, stderr io.Writer) *streams {
	std := &streams{in: stdin, out: stdout, err: stderr, terminal: isTerminal(stdin)}
	if std.terminal && spin.Moves(stdout) && spin.Moves(stderr) && stdin == io.Reader(os.Stdin) && stdout == io.Writer(os.Stdout) {
		std.screen = screen{live: true, color: os.Getenv("NO_COLOR") == "", cols: columns}
	}
	return std
}

func columns() int {
	w, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || w < 20 {
		return 80
	}
	return w
}

func screenRows() int {
	_, h, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || h < 5 {
		return 24
	}
	return h
}

// escapeSequence is one that sets a style: the only ones that we write into text.
var escapeSequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

// isTerminal reports whether somebody types: a character device that is not the
// null device, which scripts and services have as their standard input.
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

// The styles that are used, as parameters of the sequence that sets them. Only the
// 16 colours that every terminal has and that its owner has chosen.
const (
	bold    = "1"
	dim     = "2"
	red     = "31"
	green   = "32"
	yellow  = "33"
	blue    = "34"
	magenta = "35"
	cyan    = "36"
)

// paint is text in a style. The text must be printable: it is the only thing
// between an escape sequence and its end.
func (s screen) paint(style, text string) string {
	if !s.color || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// chip is the tag of a label on a ground of its own colour, the same for the same tag.
func (s screen) chip(tag string) string {
	tag = printable.Cut(printable.OneLine(tag), maxWidth)
	if !s.color {
		return "[" + tag + "]"
	}
	sum := 0
	for _, c := range []byte(tag) {
		sum = sum*31 + int(c)
	}
	grounds := []string{"41", "42", "43", "44", "45", "46"}
	return s.paint("30;"+grounds[(sum&0x7fffffff)%len(grounds)], " "+tag+" ")
}

func (s screen) chips(tags []string) string {
	out := make([]string, len(tags))
	for i, t := range tags {
		out[i] = s.chip(t)
	}
	return strings.Join(out, " ")
}

// width is the columns that a table may take.
func (s screen) width() int {
	if s.cols == nil {
		return 0
	}
	return s.cols()
}

// complain writes what went wrong to whoever runs the command: the text may be a
// database's, of a grants function or a service.
func (std *streams) complain(who string, err error) {
	fmt.Fprintf(std.err, "%s: %s\n", who, printable.Text(err.Error()))
}

// spinAfter is how long something may take before it is worth a word.
const spinAfter = 200 * time.Millisecond

// spin starts a spinner; on a plain screen it shows nothing. Nothing else may be written while it spins.
func (s screen) spin(out io.Writer, what string) *spin.Spinner {
	if !s.live {
		return &spin.Spinner{}
	}
	return spin.Start(out, spinAfter, func(frame string, took time.Duration) string {
		return s.paint(cyan, frame) + " " + s.paint(dim, fmt.Sprintf("%s, %.1f s; Ctrl-C stops it", what, took.Seconds()))
	})
}

// indent sets a program of the model's off from the answer.
func (s screen) indent(text string) string {
	bar := "| "
	if s.live {
		bar = s.paint(dim, "│") + " "
	}
	return bar + strings.ReplaceAll(text, "\n", "\n"+bar)
}

// lines is how many lines of the screen a text takes.
func (s screen) lines(text string) (n int) {
	cols := max(1, s.width())
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		n += max(1, (printable.Width(escapeSequence.ReplaceAllString(l, ""))+cols-1)/cols)
	}
	return n
}
