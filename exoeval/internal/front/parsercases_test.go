package front

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/scalar"
)

// parserTests is where test.sh puts the cases of test262-parser-tests 0.0.5.
func parserTests(t *testing.T) string {
	t.Helper()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	dir := filepath.Join(cache, "exoagent-tools", "parser-tests", "node_modules", "test262-parser-tests")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the cases of test262-parser-tests are not there: run ./test.sh, which installs them")
	}
	return dir
}

var freeWord = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// accepted says whether a case is a program: as it is, or with its free names
// declared round it, since a program has none that nobody declared.
func accepted(src string) bool {
	cfg := testConfig()
	cfg.Globals = Globals()
	_, err := checked(src, cfg)
	if err == nil {
		return true
	}
	var names []string
	for _, w := range freeWord.FindAllString(src, -1) {
		if !slices.Contains(names, w) && !scalar.Keyword(w) && !IsGlobal(w) {
			names = append(names, w)
		}
	}
	if m := err.Error(); !strings.Contains(m, "is not defined") && !strings.Contains(m, "never declared") && !strings.Contains(m, "only declares") {
		return false // refused for what it is
	}
	_, err = checked("async ("+strings.Join(names, ", ")+") => {{\n"+src+"\n}}", cfg)
	return err == nil
}

// TestParserCases runs the cases that parsers of JavaScript are held to: what is
// no JavaScript is refused, what is one is accepted, but for the exclusions, each
// of which has a reason.
func TestParserCases(t *testing.T) {
	b, err := os.ReadFile("../../../testdata/conformance/exclusions.txt")
	if err != nil {
		t.Fatal(err)
	}
	excluded, reason := map[string]string{}, ""
	for line := range strings.Lines(string(b)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "# "):
			reason = line[2:]
		case line != "":
			excluded[line] = reason
		}
	}
	dir := parserTests(t)
	ran := 0
	for _, kind := range []string{"pass", "fail", "early"} {
		files, err := filepath.Glob(filepath.Join(dir, kind, "*.js"))
		if err != nil || len(files) < 600 {
			t.Fatal(kind, len(files), err)
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			ran++
			name := kind + "/" + filepath.Base(f)
			agrees := accepted(string(src)) == (kind == "pass")
			switch why := excluded[name]; {
			case !agrees && why == "":
				t.Errorf("%s: accepted is %t: %q", name, kind != "pass", src)
			case agrees && why != "":
				t.Errorf("%s is excluded (%s), and agrees", name, why)
			}
			delete(excluded, name)
		}
	}
	for name := range excluded {
		t.Errorf("%s is excluded, and there is no such case", name)
	}
	t.Logf("%d cases", ran)
}
