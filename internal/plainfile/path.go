package plainfile

// This file decides which paths a program may name, and which paths match a glob.

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// These bound the bytes and the parts of a path.
const (
	maxPath  = 1024
	maxParts = 32
)

// Ours begins the names of exo's own files, which wait for a commit or for an undo. No part of a program's path may begin with Ours.
const Ours = ".exo-"

// Glob is a pattern of paths. Within a part, * matches any text and ? one character. A part ** matches any number of parts. A part of a path
// with a dot at its start matches only a part of the pattern with a dot at its start. The zero Glob matches nothing.
type Glob struct {
	text  string
	parts []string
}

// ParseGlob reads a pattern like "reports/**/*.csv". It refuses a pattern that other programs read in another way.
func ParseGlob(text string) (g Glob, err error) {
	if strings.ContainsAny(text, `[]{}`) {
		return g, fmt.Errorf("the glob %.80q has one of [ ] { }, which a glob here can't have: write one glob for each alternative", text)
	}
	parts, err := split(text)
	if err != nil {
		return g, fmt.Errorf("the glob %.80q: %w", text, err)
	}
	for i, part := range parts {
		if strings.Contains(part, "**") && part != "**" {
			return g, fmt.Errorf("the glob %.80q: ** must be a whole part of the path, as in a/**/b", text)
		}
		parts[i] = norm.NFC.String(part)
	}
	if parts[len(parts)-1] == "**" {
		parts = append(parts, "*") // a/** matches all below a, but not a itself
	}
	return Glob{text, parts}, nil
}

// String returns the pattern.
func (g Glob) String() string { return g.text }

// Matches reports whether a path fits the pattern.
func (g Glob) Matches(path []string) bool { return len(path) > 0 && match(g.parts, path, false) }

// AnyMatches reports whether a path fits one of the patterns.
func AnyMatches(globs []Glob, path []string) bool {
	return slices.ContainsFunc(globs, func(g Glob) bool { return g.Matches(path) })
}

// Below reports whether a path that begins with the parts of a folder could match.
func (g Glob) Below(folder ...string) bool { return len(g.parts) > 0 && match(g.parts, folder, true) }

// match reports whether a path fits a pattern. If open is set, it reports whether a longer path could fit. It compares each part of the path at
// most once with each part of the pattern.
func match(pattern, path []string, open bool) bool {
	fits := make([]bool, len(path)+1) // whether the pattern so far matches the first i parts
	fits[0] = true
	beyond := false // whether parts of the pattern are left when the whole path has matched
	for _, part := range pattern {
		beyond = beyond || fits[len(path)]
		next := make([]bool, len(path)+1)
		for i := range fits {
			switch {
			case part == "**":
				next[i] = fits[i] || i > 0 && next[i-1] && !strings.HasPrefix(path[i-1], ".")
			case i > 0:
				next[i] = fits[i-1] && matchPart(part, norm.NFC.String(path[i-1]))
			}
		}
		fits = next
	}
	return fits[len(path)] && !open || beyond && open
}

// matchPart compares one part. After a difference it goes back only to the last *, so it takes at most len(pattern) * len(name) steps.
func matchPart(pattern, name string) bool {
	p, n, star, from := []rune(pattern), []rune(name), -1, 0
	if len(n) > 0 && n[0] == '.' && (len(p) == 0 || p[0] != '.') {
		return false
	}
	i := 0
	for k := 0; k < len(n); {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, k
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[k]):
			i, k = i+1, k+1
		case star >= 0:
			from++
			i, k = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}

// split returns the parts of a path or a glob. Its error is for programs, with what to write.
func split(text string) ([]string, error) {
	switch {
	case text == "":
		return nil, errors.New("the path is empty: write one like a/b.csv")
	case len(text) > maxPath:
		return nil, fmt.Errorf("the path has more than %d bytes: write a shorter one, like a/b.csv", maxPath)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return nil, errors.New("the path has a control character, or is not valid UTF-8: write one like a/b.csv")
	case strings.Contains(text, `\`):
		return nil, errors.New(`the path has \: separate its parts by /, like a/b.csv`)
	}
	parts := strings.Split(text, "/")
	if len(parts) > maxParts {
		return nil, fmt.Errorf("the path has more than %d parts: use a folder that is less deep", maxParts)
	}
	for _, part := range parts {
		switch {
		case part == "" || part == "." || part == "..":
			return nil, errors.New("the path has an empty part, . or ..: write it from the granted folder on, like a/b.csv")
		case strings.HasPrefix(fold(part), Ours):
			return nil, fmt.Errorf("the path has a name that begins with %s, which is reserved: use another name", Ours)
		}
	}
	return parts, nil
}

// Split returns the parts of a path that names a file. Its error is for programs.
func Split(text string) ([]string, error) {
	parts, err := split(text)
	if err == nil && (!filepath.IsLocal(filepath.FromSlash(text)) || runtime.GOOS == "windows" && strings.ContainsAny(text, `:*?"<>|`)) {
		return nil, errors.New("the path has a name that this operating system reserves: use another name")
	}
	return parts, err
}

// SplitNew is Split for a file that may be created. It refuses a name that some system treats as another name. Its error is for programs.
func SplitNew(text string) ([]string, error) {
	parts, err := Split(text)
	for _, part := range parts {
		switch {
		case len(part) > 200: // most file systems allow 255
			err = errors.New("the path has a name of more than 200 bytes: use a shorter name")
		case strings.ContainsFunc(part, func(c rune) bool { return !unicode.IsPrint(c) }):
			err = errors.New("the path has an invisible character: write the path without this character")
		case !norm.NFC.IsNormalString(part):
			err = errors.New(`the path has a letter in several parts, like e and an accent: compose the letters by path.normalize("NFC")`)
		case strings.ContainsAny(part, `:*?"<>|`) || strings.TrimRight(part, ". ") != part:
			err = errors.New(`the path has a name with one of : * ? " < > |, or with a dot or a space at its end: use another name`)
		}
	}
	return parts, err
}

// fold returns one text for all names that some file system treats as equal: upper and lower case, composed and decomposed letters,
// and letters that look alike.
func fold(name string) string { return cases.Fold().String(norm.NFKC.String(name)) }
