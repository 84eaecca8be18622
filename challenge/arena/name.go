package arena

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name tidies the name that somebody gives for the leaderboard. Pages escape it;
// this refuses what would make one line look like another: controls, and marks that
// turn the direction of text.
func Name(s string) (string, bool) {
	if !utf8.ValidString(s) || len(s) > 400 {
		return "", false
	}
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > 40 {
		return "", false
	}
	marks := 0
	for _, r := range s {
		switch {
		case r == ' ':
		case !unicode.IsPrint(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2800', r == '\u3164', r == '\uFFA0', r == '\u115F', r == '\u1160':
			return "", false
		case unicode.Is(unicode.M, r):
			if marks++; marks > 4 { // letters under a tower of marks cover other lines
				return "", false
			}
		default:
			marks = 0
		}
	}
	return s, true
}
