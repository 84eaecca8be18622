package plainfile

import (
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// slowly matches a glob as its words say, in time that has no bound.
func slowly(pattern, name []string) bool {
	dot := func(s string) bool { return strings.HasPrefix(s, ".") }
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**" && len(pattern) == 1:
		return len(name) > 0 && !slices.ContainsFunc(name, dot)
	case pattern[0] == "**":
		return slowly(pattern[1:], name) || len(name) > 0 && !dot(name[0]) && slowly(pattern, name[1:])
	}
	return len(name) > 0 && (dot(pattern[0]) || !dot(name[0])) && slowlyPart([]rune(pattern[0]), []rune(name[0])) && slowly(pattern[1:], name[1:])
}

func slowlyPart(pattern, name []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == '*':
		return slowlyPart(pattern[1:], name) || len(name) > 0 && slowlyPart(pattern, name[1:])
	}
	return len(name) > 0 && (pattern[0] == '?' || pattern[0] == name[0]) && slowlyPart(pattern[1:], name[1:])
}

// means compares the two ways to match.
func means(t interface{ Fatalf(string, ...any) }, text, p string) {
	g, err := ParseGlob(text)
	parts, bad := split(p)
	if err != nil || bad != nil || strings.Count(text, "*") > 8 {
		return
	}
	if got, want := g.Matches(parts), slowly(strings.Split(norm.NFC.String(text), "/"), strings.Split(norm.NFC.String(p), "/")); got != want {
		t.Fatalf("%q matches %q: %v, want %v", text, p, got, want)
	}
	for i := range parts { // Below never leaves out a folder of what matches
		if g.Matches(parts) && !g.Below(parts[:i]...) {
			t.Fatalf("%q matches %q, and not below %q", text, p, parts[:i])
		}
	}
}

// TestGlob: globs match what they say, whole parts, and nothing hidden that they don't name.
func TestGlob(t *testing.T) {
	for _, c := range []struct {
		glob, yes, no string
	}{
		{"*.csv", "a.csv b.c.csv", "a.txt in/a.csv .csv .a.csv a.CSV"},
		{"in/**", "in/a in/b/c.d", "in inn/a IN/a in/.a in/.git/a a/in/b"},
		{"**", "a a/b", ".a a/.b .a/b"},
		{"**/x", "x a/x a/b/x", "a/y .a/x xx a/.x"},
		{"a/**/b", "a/b a/c/b a/c/d/b", "a/.c/b b ab"},
		{"a/**/*.txt", "a/b.txt a/c/b.txt", "a/.txt a/.b.txt a/b.txt/c"},
		{"?.a", "x.a é.a e\u0301.a", "xx.a .a ..a"},
		{".env", ".env", "env a/.env"},
		{".*/*", ".a/b", "a/b .a/.b"},
		{"a*b*c", "abc axbxc aabbc", "ab acb abcd"},
		{"caf\u00e9", "caf\u00e9 cafe\u0301", "cafe CAF\u00c9"},
	} {
		g, err := ParseGlob(c.glob)
		if err != nil {
			t.Fatal(err)
		}
		for want, list := range map[bool]string{true: c.yes, false: c.no} {
			for p := range strings.FieldsSeq(list) {
				if got := g.Matches(strings.Split(p, "/")); got != want {
					t.Errorf("%s matches %s: %v", c.glob, p, got)
				}
			}
		}
	}
	if (Glob{}).Matches([]string{"a"}) || (Glob{}).Below() {
		t.Error("the zero Glob matches")
	}
	for _, c := range []struct {
		glob, yes, no string
	}{{"a/*.csv", "a", "b a/b"}, {"a/**", "a a/b/c", "b ab"}, {"**/x", "a a/b", ".a"}, {"*/*/x", "a a/b", "a/b/c"}, {"x", "", "x a"}} {
		g, _ := ParseGlob(c.glob)
		for want, list := range map[bool]string{true: c.yes, false: c.no} {
			for p := range strings.FieldsSeq(list) {
				if got := g.Below(strings.Split(p, "/")...); got != want {
					t.Errorf("%s may match below %s: %v", c.glob, p, got)
				}
			}
		}
	}
	for _, bad := range []string{"", "/a", "a/", "a//b", "../a", "a/../b", ".", "a**", "**a/b", "[a]", "{a,b}", `a\b`, "a\x00", "a\xff", strings.Repeat("a/", 40) + "b", ".exo-1", ".EXO-*", strings.Repeat("a", 1025)} {
		if g, err := ParseGlob(bad); err == nil {
			t.Errorf("%q is a glob: %v", bad, g)
		}
	}
}

var pieces = []string{"a", "b", "A", ".", "..", "*", "?", "**", "/", "//", "é", "e\u0301", ".exo-", ".EXO-", "\\", "\x00", "[", "\xff", " ", "x.csv"}

func text(label string) *rapid.Generator[string] {
	return rapid.OneOf(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 10).Draw(t, label), "")
	}), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", "**", "?", ".a", "a*", "*b", "é", "e\u0301"}), 1, 6).Draw(t, label), "/")
	}))
}

// TestGlobMeans: a glob matches what its words say, whatever it and the path are.
func TestGlobMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { means(t, text("glob").Draw(t, "glob"), text("path").Draw(t, "path")) })
}

// FuzzGlob is TestGlobMeans with texts of the fuzzer.
func FuzzGlob(f *testing.F) {
	f.Add("in/**/*.csv", "in/a/b.csv")
	f.Add("a*b?c", "aXXbYc")
	f.Add("**", ".a/../b")
	f.Fuzz(func(t *testing.T, glob, p string) { means(t, glob, p) })
}

// TestPathsStayInside: whatever a path is, it is refused, or each part is a name within the folder. The twin joins the path to the folder.
func TestPathsStayInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := text("path").Draw(t, "path")
		joined := path.Join("/root/folder", p)
		inside := strings.HasPrefix(joined, "/root/folder/")
		for _, f := range []func(string) ([]string, error){Split, SplitNew} {
			parts, err := f(p)
			if err != nil {
				continue
			}
			if !inside || strings.Join(parts, "/") != p || path.Clean(p) != p {
				t.Fatalf("%q is %q", p, parts)
			}
			for _, part := range parts {
				if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "/\\\x00") || strings.HasPrefix(strings.ToLower(part), Ours) {
					t.Fatalf("%q has the part %q", p, part)
				}
			}
		}
	})
	if twin := path.Join("/root/folder", "a/../../b"); strings.HasPrefix(twin, "/root/folder/") {
		t.Error("no path leaves the folder when it is joined")
	}
	for _, bad := range []string{"..", "a/..", "a/../b", "../a", "/a", "a/", "a//b", "./a", "a/.", `a\b`, "a\x00", ".exo-1", ".EXO-1", "a/.Exo-1", "\uff0eexo-1"} {
		if parts, err := Split(bad); err == nil {
			t.Errorf("%q is %q", bad, parts)
		}
	}
}

// TestSplitNew: a name that some system takes for another one is not made.
func TestSplitNew(t *testing.T) {
	for _, ok := range []string{"a", "a/b.csv", "caf\u00e9", ".env", "a b", "日本.csv", "v1..2"} {
		if _, err := SplitNew(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range []string{"e\u0301", "a.", "a ", "a./b", "a:b", "a|b", "a*", `a"b`, "<a", "a\u202eb", "a\u200b", "a\u00a0b", strings.Repeat("x", 201)} {
		if parts, err := SplitNew(bad); err == nil {
			t.Errorf("%q is %q", bad, parts)
		}
	}
}
