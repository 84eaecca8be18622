package web

// This file decides which paths a request may have, and writes an argument as one segment of a path.

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// route is a method and a pattern of paths.
type route struct {
	method   string
	segments []string // "{name}" stands for one segment
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	verbs   = " GET HEAD POST PUT PATCH DELETE "
)

// parseRoute reads "GET /repos/{owner}/issues".
func parseRoute(text string) (r route, err error) {
	method, path, _ := strings.Cut(text, " ")
	if method == "" || !strings.Contains(verbs, " "+method+" ") || !strings.HasPrefix(path, "/") {
		return r, fmt.Errorf("web: %q: want one of%sand a path that begins with /, like GET /issues/{id}", text, verbs)
	}
	r = route{method: method, segments: strings.Split(path[1:], "/")}
	seen := map[string]bool{}
	for i, s := range r.segments {
		name, is := parameter(s)
		switch {
		case is && (name == "" || seen[name] || strings.Trim(name, letters) != ""):
			return r, fmt.Errorf("web: %q: {%s} wants a name of its own, of letters, digits, - and _", text, name)
		case is:
			seen[name] = true
		case !(s == "" && i == len(r.segments)-1) && (checkSegment(s) != nil || strings.ContainsAny(s, " {}?#%*") || strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf })):
			return r, fmt.Errorf("web: %q: %q can't be a part of a path: want plain text, or {name} for a whole part", text, s)
		}
	}
	return r, nil
}

// parameter returns the name in a segment that stands for others.
func parameter(s string) (name string, ok bool) {
	if !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") {
		return "", false
	}
	return s[1 : len(s)-1], true
}

// parameters are the names in the pattern.
func (r route) parameters() (names []string) {
	for _, s := range r.segments {
		if name, is := parameter(s); is {
			names = append(names, name)
		}
	}
	return names
}

// fill returns the escaped path with a text for each parameter. No text leaves its segment.
func (r route) fill(arg func(name string) string) (string, error) {
	var b strings.Builder
	for _, s := range r.segments {
		if name, is := parameter(s); is {
			text := arg(name)
			if err := checkSegment(text); err != nil {
				return "", fmt.Errorf("`%s` can't be a part of the address: %w", name, err)
			}
			s = url.PathEscape(text)
		}
		b.WriteString("/" + s)
	}
	return b.String(), nil
}

// matches reports whether a method and a path, escaped as it is sent, fit the pattern.
func (r route) matches(method, escaped string) bool {
	parts := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	if method != r.method || !strings.HasPrefix(escaped, "/") || len(parts) != len(r.segments) {
		return false
	}
	for i, part := range parts {
		text, err := unescape(part)
		if _, any := parameter(r.segments[i]); err != nil || !any && text != r.segments[i] || any && checkSegment(text) != nil {
			return false
		}
	}
	return true
}

// unescape decodes a segment. It refuses an escape of a character that needs none: servers and proxies differ in whether %2e is a dot.
func unescape(part string) (string, error) {
	for i := 0; i+2 < len(part); i++ {
		if c, err := url.PathUnescape(part[i : i+3]); part[i] == '%' && err == nil && strings.Trim(c, letters+".~") == "" {
			return "", errors.New("an escape that is not needed")
		}
	}
	return url.PathUnescape(part)
}

// checkSegment refuses a text that some server could take for another path than one with this text as a segment: a server that decodes
// twice, takes a backslash for a slash, drops what follows a semicolon, drops dots and spaces, or replaces characters by those that look like them.
func checkSegment(text string) error {
	like := norm.NFKC.String(text)
	before, _, _ := strings.Cut(like, ";")
	switch {
	case text == "" || len(text) > 1024:
		return errors.New("it must have 1 to 1024 bytes")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
		return errors.New("it has characters that can't be seen")
	case !norm.NFC.IsNormalString(text):
		return errors.New("its letters and accents must be composed (Unicode's NFC)")
	case strings.ContainsAny(like, `/\`):
		return errors.New("it has a slash or a backslash")
	case strings.Trim(before, ". ") == "":
		return errors.New("it has no other characters than dots and spaces")
	case escape.MatchString(like):
		return errors.New("it has an escape like %2f")
	}
	return nil
}

var escape = regexp.MustCompile("%[0-9a-fA-F]{2}")
