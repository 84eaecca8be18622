package source

// This file finds places: from a position as goja reports it, through a map of what the eraser inserted, to a line and column.

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/fail"
)

// Places maps positions as goja reports them to those of the text as given.
type Places struct {
	src     string // as given
	wrapped string // what was parsed: prefix + text + suffix
	prefix  int    // length of the prefix
	at      Map    // from offsets of the text that was parsed to those of src, where they differ
}

// Position maps a position as goja reports it (in what was parsed, columns in
// bytes) to the line and column of the text as given, and that line.
func (p *Places) Position(line, col int) fail.Pos {
	off := p.at.Source(p.Offset(line, col) - p.prefix)
	if off < 0 || off > len(p.src) {
		return fail.Pos{}
	}
	return lineColumn(p.src, off)
}

// Offset is the offset in what was parsed of a position as goja reports it.
func (p *Places) Offset(line, col int) int { return offsetOf(p.wrapped, line, col) }

// Keep is p for as long as a cache has it: with a text of its own.
func (p Places) Keep() Places {
	p.src = strings.Clone(p.src)
	return p
}

// lineEnd is the length of the line terminator that s starts with, 0 for none.
// The four terminators are JavaScript's, so that lines agree with goja's.
func lineEnd(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s != "" && (s[0] == '\n' || s[0] == '\r'):
		return 1
	case strings.HasPrefix(s, "\u2028"), strings.HasPrefix(s, "\u2029"):
		return 3
	}
	return 0
}

// offsetOf is the byte offset of a line and a column counted in bytes, both from 1.
func offsetOf(s string, line, col int) int {
	off := 0
	for l := 1; l < line && off < len(s); {
		if n := lineEnd(s[off:]); n > 0 {
			off += n
			l++
		} else {
			off++
		}
	}
	return off + col - 1
}

// lineColumn is the place at off.
func lineColumn(s string, off int) fail.Pos {
	line, start := 1, 0
	for i := 0; i < off; {
		if n := lineEnd(s[i:]); n > 0 {
			i += n
			if i > off { // between \r and \n
				break
			}
			line, start = line+1, i
		} else {
			i++
		}
	}
	end := start
	for end < len(s) && lineEnd(s[end:]) == 0 {
		end++
	}
	col := 1
	for _, r := range s[start:min(off, end)] {
		if col++; r > 0xFFFF {
			col++
		}
	}
	return fail.Pos{Line: line, Column: col, Text: clip(s[start:end], off-start)}
}

// clip shortens a long line to what is round off: an error must not carry the
// whole of a program that was written on one line.
func clip(line string, off int) string {
	const width = 200
	if len(line) <= 2*width {
		return line
	}
	from, to := max(0, min(off, len(line))-width), min(len(line), off+width)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	s := line[from:to]
	if from > 0 {
		s = "…" + s
	}
	if to < len(line) {
		s += "…"
	}
	return s
}

// Map maps offsets of a text with insertions to the text without.
type Map []mapped

type mapped struct {
	out, src int
	fixed    bool // inserted: all of it is at src
}

func (m Map) Source(off int) int {
	i := sort.Search(len(m), func(i int) bool { return m[i].out > off }) - 1
	if off < 0 || i < 0 {
		return off
	}
	if m[i].fixed {
		return m[i].src
	}
	return m[i].src + off - m[i].out
}

// maxCopied bounds the text of a call that an error names as a form to copy.
const maxCopied = 100

// OneLine is a part of what was parsed, on one line. It is "" where that would be too long, or another program.
func (p Places) OneLine(from, to int) string {
	if from < p.prefix || to > len(p.wrapped) {
		return ""
	}
	lines := strings.Split(p.wrapped[from:to], "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
		if i > 0 && !strings.HasPrefix(lines[i], ".") {
			lines[i] = " " + lines[i]
		}
	}
	text := strings.Join(lines, "")
	if len(text) > maxCopied || len(lines) > 1 && (strings.Contains(text, "`") || strings.Contains(text, "//")) || closedIn(text) != 0 {
		return ""
	}
	return text
}

// Begin is where a part begins, in the text as given; zero where brackets in it are not closed.
func (p Places) Begin(from, to int) fail.Pos {
	if from < p.prefix || to > len(p.wrapped) || closedIn(p.wrapped[from:to]) != 0 {
		return fail.Pos{}
	}
	return lineColumn(p.src, p.at.Source(from-p.prefix))
}

// closedIn is how many brackets a text opens more than it closes. One that begins behind `(await` closes one that it did not open.
func closedIn(text string) (open int) {
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
	}
	return open
}
