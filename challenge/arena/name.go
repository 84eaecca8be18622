package arena

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/secure/precis"
)

// Name tidies a player's name for the leaderboard. Pages escape it. Name refuses what makes one line look like another: controls, marks that
// turn the direction of text, and invisible letters (those of RFC 8266, and some more). It returns false for a refused name.
func Name(s string) (string, bool) {
	if strings.TrimSpace(s) == "" {
		return "", len(s) <= 400
	}
	if !utf8.ValidString(s) || len(s) > 400 {
		return "", false
	}
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\t', '\n', '\r':
			return ' '
		case '\uFE0E', '\uFE0F': // these choose how the sign before them is drawn
			return -1
		}
		return r
	}, s)
	s, err := precis.Nickname.String(s)
	if err != nil || utf8.RuneCountInString(s) > 40 {
		return "", false
	}
	marks, seen := 0, false
	for _, r := range s {
		switch {
		case r == ' ':
		case r == '\u2800', r == '\U0001D159': // these signs are empty
			return "", false
		case unicode.Is(unicode.M, r):
			if marks++; marks > 4 { // letters with many marks cover other lines
				return "", false
			}
		default:
			marks, seen = 0, true
		}
	}
	return s, seen
}
