package source

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// typed are programs in TypeScript and what they give: as models write them, and what is hard to read.
func typed(t testing.TB) (all []struct{ src, want string }) {
	t.Helper()
	b, err := os.ReadFile("testdata/typescript.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strings.Split(string(b), "\n-----\n")[1:] {
		src, want, _ := strings.Cut(strings.TrimSuffix(c, "\n"), "\n=> ")
		all = append(all, struct{ src, want string }{src, want})
	}
	if len(all) < 50 {
		t.Fatalf("only %d programs", len(all))
	}
	return all
}

// FuzzErased: whatever the text, the eraser keeps its promise.
func FuzzErased(f *testing.F) {
	for _, c := range typed(f) {
		f.Add(c.src)
	}
	f.Fuzz(checkErased)
}

// checkErased holds the eraser to its promise: every byte of the result is one
// of the text at the place that the map says, a space for one, or inserted.
func checkErased(t *testing.T, src string) {
	toks, f := scan(nil, src, 100, true)
	if f != nil {
		return
	}
	out, f := eraseTypes(src, toks)
	if f != nil {
		if f.Off < -1 || f.Off > len(src) || f.msg == "" {
			t.Fatalf("fault at %d of %d: %q", f.Off, len(src), f.msg)
		}
		return
	}
	inserted := func(off int) bool {
		fixed := false
		for _, m := range out.At {
			if m.out <= off {
				fixed = m.fixed
			}
		}
		return fixed
	}
	last := 0
	for off := range len(out.Text) {
		at := out.At.Source(off)
		if at < last || at > len(src) {
			t.Fatalf("offset %d of %d comes from %d of %d, the one before from %d", off, len(out.Text), at, len(src), last)
		}
		last = at
		if c := out.Text[off]; c != ' ' && c != ';' && c != '(' && !inserted(off) && c != src[at] {
			t.Fatalf("byte %d is %q, byte %d of the source is %q\n%s", off, c, at, src[at], out.Text)
		}
	}
	if len(out.At) == 0 && len(out.Text) != len(src) || strings.Count(out.Text, "`") > strings.Count(src, "`") {
		t.Fatalf("%d bytes from %d", len(out.Text), len(src))
	}
}

// esbuild reads TypeScript with a parser of its own: what it prints of a program
// is what it prints of our erased one, read as JavaScript.
func TestErasedLikeEsbuild(t *testing.T) {
	same := 0
	for _, c := range typed(t) {
		if sameAsEsbuild(t, c.src) {
			same++
		}
	}
	if same < 50 {
		t.Errorf("only %d programs compared", same)
	}
}

// FuzzErasedLikeEsbuild looks for programs that both read, and read differently.
func FuzzErasedLikeEsbuild(f *testing.F) {
	for _, c := range typed(f) {
		f.Add(c.src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) < 2000 {
			sameAsEsbuild(t, src)
		}
	})
}

// notComparable is written in other words by esbuild, or dropped.
var notComparable = regexp.MustCompile(`enum|private|public|protected|readonly|override|namespace|module|import|export|@|accessor|using|declare|<!--|-->|\bthis\b|use strict|__proto__|await|let|yield|\\|[^\x00-\x7f]`)

func sameAsEsbuild(t *testing.T, src string) bool {
	if notComparable.MatchString(strings.NewReplacer("private readonly x", "", "await ", "", "let ", "").Replace(src)) {
		return false
	}
	for _, wrap := range [][2]string{{exprPrefix, exprSuffix}, {bodyPrefix, bodySuffix}} {
		src := wrap[0] + src + wrap[1]
		want, ok := printed(src, api.LoaderTS)
		if !ok {
			continue
		}
		toks, f := scan(nil, src, 100, true)
		if f != nil {
			return false
		}
		out, stuck, f := eraseAs(src, toks, func(e *eraser) { e.statements("") })
		if f != nil || stuck >= 0 {
			continue // an error for the author, no other program
		}
		got, ok := printed(out.Text, api.LoaderJS)
		if !ok {
			continue // the parser will say so
		}
		if got != want {
			t.Errorf("%s\nerased %s\ngot  %s\nwant %s", src, out.Text, got, want)
		}
		return true
	}
	return false
}

func printed(src string, loader api.Loader) (string, bool) {
	r := api.Transform(src, api.TransformOptions{Loader: loader, Target: api.ESNext, MinifyWhitespace: true})
	return strings.ReplaceAll(string(r.Code), ";", ""), len(r.Errors) == 0
}
