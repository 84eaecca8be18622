package repl

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// folded are long texts that the editor shows as one mark each: it can only edit
// what fits on the screen. The program is unfolded before it runs.
type folded struct {
	texts []string
	rows  func() int // of the screen
}

// fold gives text, or a mark in its place when it takes much of the screen.
func (f *folded) fold(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n <= max(5, f.rows()/2) {
		return text
	}
	f.texts = append(f.texts, text)
	return fmt.Sprintf("«%d: %d lines»", len(f.texts), n)
}

var foldMark = regexp.MustCompile(`«([0-9]{1,9}): [0-9]+ lines»`)

// unfold puts the texts back in the place of their marks. A mark that was edited,
// or of which there is no text, is what was typed.
func (f *folded) unfold(text string) string {
	return foldMark.ReplaceAllStringFunc(text, func(mark string) string {
		i, err := strconv.Atoi(foldMark.FindStringSubmatch(mark)[1])
		if err != nil || i < 1 || i > len(f.texts) {
			return mark
		}
		return f.texts[i-1]
	})
}
