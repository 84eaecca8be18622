package sqlite

import "unicode/utf8"

// like reports whether s matches a pattern of SQL: % means any text, _ any character, and \ the
// character that follows. The pattern is cut at each %. Each piece is looked for after the end of
// the one before, with all its characters at once (shift-and, Baeza-Yates and Gonnet 1992). So the
// work is at most the length of the text times a 64th of the longest piece. That matters because
// nothing can stop this function inside the engine.
func like(s, pattern string) bool {
	pieces, open := cutPattern(pattern)
	first, last := pieces[0], pieces[len(pieces)-1]
	if !open {
		rest, ok := first.prefix(s)
		return ok && rest == ""
	}
	rest, ok := first.prefix(s)
	if !ok {
		return false
	}
	for _, p := range pieces[1 : len(pieces)-1] {
		if rest, ok = p.find(rest); !ok {
			return false
		}
	}
	return last.suffix(rest)
}

// piece is a part of a pattern between two %. anyRune represents _ in it.
type piece []rune

const anyRune = -1

func cutPattern(pattern string) (pieces []piece, open bool) {
	pieces = []piece{nil}
	escaped := false
	for _, r := range pattern {
		last := &pieces[len(pieces)-1]
		switch {
		case escaped:
			*last, escaped = append(*last, r), false
		case r == '\\':
			escaped = true
		case r == '%':
			pieces, open = append(pieces, nil), true
		case r == '_':
			*last = append(*last, anyRune)
		default:
			*last = append(*last, r)
		}
	}
	return pieces, open
}

// prefix returns the rest of s after the piece. It returns false if s does not begin with the piece.
func (p piece) prefix(s string) (rest string, ok bool) {
	for _, want := range p {
		r, n := utf8.DecodeRuneInString(s)
		if n == 0 || want != anyRune && want != r {
			return "", false
		}
		s = s[n:]
	}
	return s, true
}

func (p piece) suffix(s string) bool {
	for i := len(p) - 1; i >= 0; i-- {
		r, n := utf8.DecodeLastRuneInString(s)
		if n == 0 || p[i] != anyRune && p[i] != r {
			return false
		}
		s = s[:len(s)-n]
	}
	return true
}

// find returns the rest of s after the first occurrence of the piece. It returns false if there is none.
func (p piece) find(s string) (rest string, ok bool) {
	if len(p) == 0 {
		return s, true
	}
	words := (len(p) + 63) / 64
	wild := make([]uint64, words) // wild has the positions of _ in the piece
	at := map[rune][]uint64{}     // at has the positions of each character in the piece
	for i, r := range p {
		if r == anyRune {
			wild[i/64] |= 1 << (i % 64)
			continue
		}
		if at[r] == nil {
			at[r] = make([]uint64, words)
		}
		at[r][i/64] |= 1 << (i % 64)
	}
	state := make([]uint64, words) // bit i of state means that the last characters match the piece up to i
	for s != "" {
		r, n := utf8.DecodeRuneInString(s) // an invalid byte of UTF-8 counts as one character
		s = s[n:]
		carry := uint64(1)
		mask := at[r]
		for w := range state {
			next := state[w]<<1 | carry
			carry = state[w] >> 63
			m := wild[w]
			if mask != nil {
				m |= mask[w]
			}
			state[w] = next & m
		}
		if state[words-1]>>((len(p)-1)%64)&1 == 1 {
			return s, true
		}
	}
	return "", false
}
