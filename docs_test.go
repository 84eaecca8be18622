package exoagent_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// block is one fenced block of a page.
type block struct {
	page, heading string
	line          int
	language      string
	mark          string // of the comment above it, <!-- test: mark -->; ""
	text          string
	next          *block // the block that follows with nothing but a blank line between, or nil
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// mostWords is the ceiling of docs/*.md without language.md. A number is a word; the bars of a table and the dashes of a list are none.
const mostWords = 20_000

var wordOrNumber = regexp.MustCompile(`\S*[\pL\pN]\S*`)

// pages are the documents of the module.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range append(names, "README.md", "RATIONALE.md", "SECURITY.md", "CHANGELOG.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(name)] = string(text)
	}
	return out
}

// blocksOf are the fenced blocks of a page.
func blocksOf(page, text string) (out []*block) {
	var b *block
	mark, heading, gap := "", "", false
	for i, line := range strings.Split(text, "\n") {
		m := regexp.MustCompile(`^<!-- test: (.*) -->$`).FindStringSubmatch(line)
		switch {
		case b != nil && strings.HasPrefix(line, "```"):
			out, b, gap = append(out, b), nil, false
		case b != nil:
			b.text += line + "\n"
		case strings.HasPrefix(line, "```"):
			b = &block{page: page, heading: heading, line: i + 1, language: strings.TrimPrefix(line, "```"), mark: mark}
			if len(out) > 0 && !gap && mark == "" {
				out[len(out)-1].next = b
			}
		case m != nil:
			mark = m[1]
			continue
		case strings.HasPrefix(line, "#"):
			heading, gap = strings.TrimSpace(strings.TrimLeft(line, "#")), true
		case strings.TrimSpace(line) != "":
			gap = true
		}
		if b == nil || b.line != i+1 {
			mark = ""
		}
	}
	return out
}

// TestBlocks runs, compiles or compares every block of every page. A block in a language
// that has no check here, or without the mark that its check needs, fails.
func TestBlocks(t *testing.T) {
	testutil.NotQuick(t)
	checks := map[string]func(*testing.T, *block){
		"go": checkGo, "js": checkProgram, "sh": checkShell, "sql": checkSQL,
		"ini": checkUnit, "yaml": checkMetrics, "nginx": checkProxy, "": checkProxy,
	}
	var all []*block
	for page, text := range pages(t) {
		all = append(all, blocksOf(page, text)...)
	}
	if len(all) < 20 {
		t.Fatalf("%d blocks were found", len(all))
	}
	buildGo(t, all)
	commands := 0
	for _, text := range pages(t) {
		commands += checkCommandsInText(t, text)
	}
	checkFlagsInText(t, pages(t))
	if commands < 10 {
		t.Errorf("%d commands were found in sentences", commands)
	}
	shown := map[*block]bool{} // output that the check of the block before it compares
	for _, b := range all {
		for n := b.next; n != nil && slices.Contains([]string{"text", "json", "sql"}, n.language); n = n.next {
			shown[n] = true
		}
	}
	for _, b := range all {
		t.Run(b.String(), func(t *testing.T) {
			elsewhere := regexp.MustCompile(`^(Test\w+) in (\S+)$`).FindStringSubmatch(b.mark)
			switch check := checks[b.language]; {
			case elsewhere != nil:
				readsPage(t, elsewhere[1], elsewhere[2], b.page)
			case shown[b] && b.mark == "":
			case check != nil:
				check(t, b)
			default:
				t.Errorf("a block of %q that nothing tests", b.language)
			}
		})
	}
}

// checkCommandsInText checks the commands that stand within sentences.
func checkCommandsInText(t *testing.T, text string) (n int) {
	for _, m := range regexp.MustCompile("`((?:go (?:run|test|tool|list|doc|mod|install|build)|exo \\w+|\\./test\\.sh|(?:[A-Z_]+=\\S+ )+go) [^`]*)`").FindAllStringSubmatch(withoutBlocks(text), -1) {
		n++
		checkLine(t, m[1])
	}
	return n
}

// checkFlagsInText checks the flags that stand within sentences and tables: a command of
// this module has them, or Go's.
func checkFlagsInText(t *testing.T, all map[string]string) {
	var help []byte
	for _, c := range [][]string{{built["challenge"], "-h"}, {built["examples/saas"], "-h"}, {built["cmd/exo"], "help", "gen"}, {built["cmd/exo"], "help", "check"}, {built["cmd/exo"], "help", "repl"}, {built["cmd/exo"], "help", "serve"}, {built["cmd/exo"], "help", "run"}, {built["cmd/exo"], "help", "manifest"}, {built["cmd/exo"], "help", "init"}, {built["cmd/exo"], "help", "try"}, {built["cmd/exo"], "help", "demo"}, {built["cmd/exo"], "help", "record", "erase"}, {built["cmd/exo"], "help", "record", "tail"}, {built["cmd/exo"], "help", "approvals", "approve"}, {built["cmd/exo"], "help", "services", "outbox"}, {built["cmd/exo"], "help", "access", "revoke"},
		{"go", "help", "mod", "edit"}, {"go", "help", "build"}, {"cat", "test.sh"}} {
		out, _ := exec.Command(c[0], c[1:]...).CombinedOutput()
		help = append(help, out...)
	}
	for page, text := range all {
		for _, m := range regexp.MustCompile("`(--?[a-z][a-z-]*)[ =`]").FindAllStringSubmatch(withoutBlocks(text), -1) {
			if !regexp.MustCompile(`[\s(|]` + m[1] + `[\s=):,|]`).Match(help) {
				t.Errorf("%s names the flag %s, which is not there", page, m[1])
			}
		}
	}
}

// readsPage checks that the test of a package reads the page.
func readsPage(t *testing.T, test, dir, page string) {
	t.Helper()
	if !declared(t, dir).tests[test] {
		t.Errorf("%s has no %s", dir, test)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), test) && strings.Contains(string(text), filepath.Base(page)) {
			return
		}
	}
	t.Errorf("no file of %s with %s names %s", dir, test, page)
}

// TestReadmeIsShort: who meets the module reads the README to its end.
func TestReadmeIsShort(t *testing.T) {
	readme := pages(t)["README.md"]
	if n := len(strings.Fields(readme)); n >= 1200 {
		t.Errorf("README.md has %d words, want under 1,200: what is longer goes to docs/", n)
	}
	for page, text := range pages(t) {
		first := strings.SplitN(text, "\n", 4)
		if strings.HasPrefix(page, "docs/") && (len(first) < 4 || first[1] != "" || !strings.HasPrefix(first[2], "For ")) {
			t.Errorf("%s does not say in its first sentence for whom it is", page)
		}
		if strings.HasPrefix(page, "docs/") && !strings.Contains(readme, "]("+page+")") {
			t.Errorf("README.md does not link to %s", page)
		}
	}
}

// TestDocsAreShort: who looks for something in docs/ finds it; docs/language.md is the reference of the language.
func TestDocsAreShort(t *testing.T) {
	words := 0
	for page, text := range pages(t) {
		if strings.HasPrefix(page, "docs/") && page != "docs/language.md" {
			words += len(wordOrNumber.FindAllString(text, -1))
		}
	}
	if words > mostWords {
		t.Errorf("docs/ has %d words without language.md, want at most %d", words, mostWords)
	}
}

// TestLimitsPage: docs/limits.md has each limit with its default.
func TestLimitsPage(t *testing.T) {
	page := pages(t)["docs/limits.md"]
	for of, limits := range map[string]reflect.Value{"Limits": reflect.ValueOf(exo.Limits{}.OrDefault()), "Bounds": reflect.ValueOf(exoeval.Bounds{}.OrDefault())} {
		for i := range limits.NumField() {
			want := fmt.Sprint(limits.Field(i))
			switch n, _ := strconv.Atoi(want); {
			case limits.Field(i).Type() == reflect.TypeFor[time.Duration]():
				want = fmt.Sprintf("%g s", limits.Field(i).Interface().(time.Duration).Seconds())
			case n >= 1<<20 && n%(1<<20) == 0:
				want = fmt.Sprint(n>>20, " MiB")
			case n >= 1<<10 && n%(1<<10) == 0:
				want = fmt.Sprint(n>>10, " KiB")
			case n >= 1000:
				want = fmt.Sprintf("%d,%03d", n/1000, n%1000)
			}
			name := of + "." + limits.Type().Field(i).Name
			if !regexp.MustCompile("(?m)^\\| `" + name + "` \\|.*\\| " + want + " \\|$").MatchString(page) {
				t.Errorf("docs/limits.md has no row of %s with the default %s", name, want)
			}
		}
	}
}

// TestPaths: README.md leads each kind of reader over a few pages, and each page says which comes next.
func TestPaths(t *testing.T) {
	all := pages(t)
	for _, path := range [][]string{{"start", "schema", "limits"}, {"grantfile", "mcp", "limits"}, {"challenge", "models", "limits"}, {"limits", "effects", "approvals", "record", "roles", "workers"}} {
		var links []string
		for i, name := range path {
			links = append(links, "[docs/"+name+".md](docs/"+name+".md)")
			if text := strings.TrimSpace(all["docs/"+name+".md"]); i+1 < len(path) && !strings.HasPrefix(text[strings.LastIndex(text, "\n")+1:], "Next: ["+path[i+1]+".md]("+path[i+1]+".md)") {
				t.Errorf("docs/%s.md does not end with the page that comes next, %s.md", name, path[i+1])
			}
		}
		if !strings.Contains(all["README.md"], "| "+strings.Join(links, ", ")+" |") {
			t.Errorf("README.md does not lead over %s", path)
		}
	}
}

// designs are RATIONALE.md and the DESIGN.md beside each large package.
func designs(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := walkDir(".", func(p string, d fs.DirEntry, err error) error {
		if name := filepath.Base(p); err != nil || name != "DESIGN.md" && name != "RATIONALE.md" && name != "ARCHITECTURE.md" {
			return err
		}
		text, err := os.ReadFile(p)
		out[filepath.ToSlash(p)] = string(text)
		return err
	})
	if err != nil || len(out) < 12 {
		t.Fatalf("%d designs: %v", len(out), err)
	}
	return out
}

// TestDesigns: a design is read in one sitting. A test that it names without a package is in its folder, below it, or at the root.
func TestDesigns(t *testing.T) {
	for page, text := range designs(t) {
		most, words := 0, len(strings.Fields(text))
		if most = map[string]int{"RATIONALE.md": 2500, "ARCHITECTURE.md": 1500}[page]; most == 0 {
			most = 1200
		}
		if page != "RATIONALE.md" && !strings.Contains(pages(t)["RATIONALE.md"], "]("+page+")") {
			t.Errorf("RATIONALE.md does not link to %s", page)
		}
		if words > most {
			t.Errorf("%s has %d words, want at most %d", page, words, most)
		}
		prose := regexp.MustCompile(`(?m)^(#|\||\s*$).*\n?`).ReplaceAllString(withoutBlocks(text), "")
		if ends := len(regexp.MustCompile("[.?!][)*`]*(\\s|$)").FindAllString(prose, -1)); len(strings.Fields(prose)) > 20*ends {
			t.Errorf("%s has %d words in %d sentences: want at most 20 a sentence", page, len(strings.Fields(prose)), ends)
		}
		for _, m := range regexp.MustCompile("`([\\w./-]+\\.)?((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`").FindAllStringSubmatch(text, -1) {
			if dir := strings.TrimSuffix(m[1], "."); dir != "" && !declared(t, dir).tests[m[2]] {
				t.Errorf("%s names %s, and %s has no such test", page, m[2], dir)
			} else if dir == "" && !declared(t, ".").tests[m[2]] && !below(t, filepath.Dir(page), m[2]) {
				t.Errorf("%s names %s, which is in another folder: write its package", page, m[2])
			}
		}
	}
}

// TestArchitecture: the page that follows a program through the code names functions that are there.
func TestArchitecture(t *testing.T) {
	text := designs(t)["ARCHITECTURE.md"]
	names := regexp.MustCompile("`((?:\\w+/)*\\w+\\.[A-Za-z]\\w+(?:\\.\\w+)?)`").FindAllStringSubmatch(withoutBlocks(text), -1)
	found := 0
	for _, m := range names {
		if strings.HasSuffix(m[1], ".md") || m[1] == "t.done" || m[1] == "scope.Entry" {
			continue
		}
		if found++; !resolve(t, m[1], false) {
			t.Errorf("it names %s, which is not there", m[1])
		}
	}
	if found < 35 {
		t.Errorf("%d names were found", found)
	}
}

// below is whether a folder, or one in it, has the test.
func below(t *testing.T, dir, test string) (found bool) {
	t.Helper()
	if err := walkDir(dir, func(p string, d fs.DirEntry, err error) error {
		found = found || err == nil && d.IsDir() && declared(t, filepath.ToSlash(p)).tests[test]
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestLinks: every relative link of every page leads to a file, and its anchor to a heading.
func TestLinks(t *testing.T) {
	all, n := pages(t), 0
	maps.Copy(all, designs(t))
	for page, text := range all {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(withoutBlocks(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			n++
			path, anchor, _ := strings.Cut(m[1], "#")
			to := page
			if path != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(page), path))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(all[to]), anchor) {
				t.Errorf("%s links to %s, and %s has no such heading", page, m[1], to)
			}
		}
	}
	if n < 50 {
		t.Errorf("%d links were found", n)
	}
}

// anchors are the names that GitHub gives the headings of a page.
func anchors(text string) (out []string) {
	for line := range strings.Lines(withoutBlocks(text)) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(strings.TrimLeft(line, "#")))
		for n, base := 1, name; slices.Contains(out, name); n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		out = append(out, name)
	}
	return out
}

func withoutBlocks(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
}
