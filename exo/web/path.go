package web

// This file decides which paths a request may have, and writes an argument as one segment of a path.

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/exoagent/exoagent/internal/scalar"
)

// route is an HTTP method and a pattern of paths.
type route struct {
	method string
	parts  []string // the parts of the path
	names  []string // for each part: the name of its parameter, or ""
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// parseRoute reads a route like "GET /repos/{owner}/issues".
func parseRoute(text string) (r route, err error) {
	method, path, _ := strings.Cut(text, " ")
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, method) || !strings.HasPrefix(path, "/") {
		return r, fmt.Errorf("web: %q: want GET, HEAD, POST, PUT, PATCH or DELETE, and a path that begins with /, like GET /issues/{id}", text)
	}
	r = route{method: method, parts: strings.Split(path[1:], "/")}
	for i, part := range r.parts {
		name, end := strings.CutSuffix(strings.TrimPrefix(part, "{"), "}")
		end = end && part[0] == '{'
		switch {
		case end && (name == "" || strings.Trim(name, letters) != "" || slices.Contains(r.names, name)):
			return r, fmt.Errorf("web: %q: %s needs a name that no other part has, of letters, digits, - and _", text, part)
		case !end && (part != "" || i < len(r.parts)-1) && (checkSegment(part) != nil || strings.ContainsAny(part, " {}?#%*") || len(part) != utf8.RuneCountInString(part)):
			return r, fmt.Errorf("web: %q: %q can't be a part of a path: want plain text, or {name} for a whole part", text, part)
		case !end:
			name = ""
		}
		r.names = append(r.names, name)
	}
	return r, nil
}

// fill returns the escaped path, with a text in the place of each parameter. No text can add another segment.
func (r route) fill(arg func(name string) string) (string, error) {
	var b strings.Builder
	for i, part := range r.parts {
		if name := r.names[i]; name != "" {
			part = arg(name)
			if err := checkSegment(part); err != nil {
				return "", fmt.Errorf("`%s` can't be a part of the address: %w", name, err)
			}
		}
		b.WriteString("/" + url.PathEscape(part))
	}
	return b.String(), nil
}

// matches reports whether a method and an escaped path fit the route. A path with an unnecessary escape fits none, since servers and proxies
// differ on whether %2e is a dot.
func (r route) matches(method, escaped string) bool {
	parts := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	if method != r.method || !strings.HasPrefix(escaped, "/") || len(parts) != len(r.parts) {
		return false
	}
	for i, part := range parts {
		text, err := url.PathUnescape(part)
		usual := part == url.PathEscape(text) || part == (&url.URL{Path: text}).EscapedPath()
		if err != nil || !usual || r.names[i] == "" && text != r.parts[i] || r.names[i] != "" && checkSegment(text) != nil {
			return false
		}
	}
	return true
}

// checkSegment refuses a text that could lead some server to another path. Servers may decode twice, treat a backslash as a slash, drop what
// follows a semicolon, drop dots and spaces, or replace characters by similar ones.
func checkSegment(text string) error {
	like := norm.NFKC.String(text)
	before, _, _ := strings.Cut(like, ";")
	switch {
	case text == "" || len(text) > 1024:
		return errors.New("the text must have 1 to 1024 bytes")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
		return errors.New("the text has invisible characters: leave them out")
	case !norm.NFC.IsNormalString(text):
		return errors.New("letters and accents must be composed (Unicode's NFC)")
	case strings.ContainsAny(like, `/\`):
		return errors.New("the text has a slash or a backslash: leave it out")
	case strings.Trim(before, ". ") == "":
		return errors.New("the text needs another character than dots and spaces")
	case escape().MatchString(like):
		return errors.New("the text has an escape like %2f or %u002f: leave it out")
	}
	return nil
}

var escape = scalar.Pattern("%([0-9a-fA-F]{2}|[uU][0-9a-fA-F]{4})") // some servers decode %uXXXX, too
