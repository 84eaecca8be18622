package source

// This file finds the line and column for goja's positions. A Map has the eraser's insertions.

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/fail"
)

// Places maps goja's positions to positions in the given text.
type Places struct {
	src     string // the given text
	wrapped string // the text that was parsed: prefix + text + suffix
	prefix  int    // the length of the prefix
	at      Map    // maps offsets of the parsed text to offsets of src, where they differ
}

// Position maps goja's position (in the parsed text, columns in bytes) to the line and column in the given text.
func (p *Places) Position(line, col int) fail.Pos {
	off := p.at.Source(p.Offset(line, col) - p.prefix)
	if off < 0 || off > len(p.src) {
		return fail.Pos{}
	}
	return lineColumn(p.src, off)
}

// Offset returns the offset in the parsed text for goja's position.
func (p *Places) Offset(line, col int) int { return offsetOf(p.wrapped, line, col) }

// Keep returns p for a cache, with a copy of the text.
func (p Places) Keep() Places {
	p.src = strings.Clone(p.src)
	return p
}

// lineEnd returns the length of the line terminator at the start of s, or 0. There are four terminators, as in JavaScript and goja.
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

// offsetOf returns the byte offset of a line and a column. Both count from 1, the column in bytes.
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

// lineColumn returns the line and the column of an offset.
func lineColumn(s string, off int) fail.Pos {
	line, start := 1, 0
	for i := 0; i < off; {
		if n := lineEnd(s[i:]); n > 0 {
			i += n
			if i > off { // the offset is between \r and \n
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

// clip shortens a long line to the part around off. A program may be one line, and an error must not repeat all of it.
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

// Map maps offsets of a text with insertions to offsets of the text without them.
type Map []mapped

type mapped struct {
	out, src int
	fixed    bool // all offsets from out on, in an inserted text, map to the one offset src
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

// maxCopied bounds the text of a call that an error shows as a form to copy.
const maxCopied = 100

// OneLine returns a part of the parsed text on one line. It is "" if the line is too long, or would be a different program.
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

// Begin returns the place in the given text where a part begins. It is zero if the part leaves brackets open.
func (p Places) Begin(from, to int) fail.Pos {
	if from < p.prefix || to > len(p.wrapped) || closedIn(p.wrapped[from:to]) != 0 {
		return fail.Pos{}
	}
	return lineColumn(p.src, p.at.Source(from-p.prefix))
}

// closedIn returns how many more brackets a text opens than it closes. It is negative if the text closes a bracket from before it.
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
