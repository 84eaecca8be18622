package exoagent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// declarations are the names that the files of one folder declare: functions, types,
// variables and constants as Name, methods as Type.Name.
type declarations struct{ names, tests map[string]bool }

var declaredIn = map[string]*declarations{}

// declared reads the Go files of a folder, those of every system.
func declared(t *testing.T, dir string) *declarations {
	t.Helper()
	if d := declaredIn[dir]; d != nil {
		return d
	}
	d := &declarations{map[string]bool{}, map[string]bool{}}
	declaredIn[dir] = d
	files, _ := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if strings.HasSuffix(file, "_test.go") {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
					d.tests[f.Name.Name] = true
				}
				continue
			}
			for _, name := range namesOf(decl) {
				d.names[name] = true
			}
		}
	}
	return d
}

func namesOf(decl ast.Decl) (out []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil {
			of := decl.Recv.List[0].Type
			for {
				switch x := of.(type) {
				case *ast.StarExpr:
					of = x.X
					continue
				case *ast.IndexExpr:
					of = x.X
					continue
				case *ast.IndexListExpr:
					of = x.X
					continue
				case *ast.Ident:
					name = x.Name + "." + name
				}
				break
			}
		}
		return []string{name}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				out = append(out, spec.Name.Name)
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, n := range f.Names {
							out = append(out, spec.Name.Name+"."+n.Name)
						}
					}
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					out = append(out, n.Name)
				}
			}
		}
	}
	return out
}

// resolve looks up a name in the form of SECURITY.md: the folder of a package, a dot, and
// what is declared there; or a file.
func resolve(t *testing.T, name string, test bool) bool {
	t.Helper()
	if !test && strings.Contains(path.Base(name), ".") {
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return true
		}
	}
	if test && !strings.Contains(name, ".") {
		return declared(t, ".").tests[name]
	}
	slash := strings.LastIndex(name, "/") + 1
	pkg, rest, ok := strings.Cut(name[slash:], ".")
	d := declared(t, name[:slash]+pkg)
	if test {
		return ok && d.tests[rest] && regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]`).MatchString(rest)
	}
	return ok && d.names[rest]
}

// unmutated are claims of which no single line of code can be broken, with the reason.
var unmutated = map[string]string{
	"A value reaches a statement only as a bound argument":                                              "internal/sqlast has no node that could hold a value",
	"A declaration in Go takes the name of a table or column only as a constant of the source":          "the Go compiler refuses others",
	"A join that multiplies rows ends within the limits of its run":                                     "with the limit broken the test would not end",
	"A test refuses imports that the design does not allow, so that no second path to an object exists": "the tests read the source itself",
}

// mutations are the tests that testdata/mutations requires to fail, as SECURITY.md names them.
func mutations(t *testing.T) map[string]bool {
	t.Helper()
	lists, _ := filepath.Glob("testdata/mutations/*.txt")
	out := map[string]bool{}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		folder := ""
		for line := range strings.Lines(string(text)) {
			switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
			case "file":
				folder = path.Dir(strings.TrimSpace(rest))
			case "test":
				test, _, _ := strings.Cut(strings.TrimSpace(rest), "/")
				of := folder
				for of != "." && !declared(t, of).tests[test] {
					of = path.Dir(of)
				}
				if of == "." { // as internal/mutate looks for it
					top, _, _ := strings.Cut(folder, "/")
					for _, below := range []string{folder + "/*", top + "/test/*", top + "/internal/*", "exosql/test/*"} {
						all, _ := filepath.Glob(below)
						for _, dir := range all {
							if of == "." && declared(t, filepath.ToSlash(dir)).tests[test] {
								of = filepath.ToSlash(dir)
							}
						}
					}
				}
				out[of+"."+test] = true
			}
		}
	}
	return out
}

// TestSecurity: each claim of SECURITY.md names what enforces it and a test, both are there,
// and a mutation makes one of the tests fail.
func TestSecurity(t *testing.T) {
	broken := mutations(t)
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, claims := 0, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if !strings.HasPrefix(line, "| ") || line == "| claim | enforced by | test | not covered |\n" {
			continue
		}
		if len(cells) != 4 {
			t.Errorf("want claim, enforced by, test and residue: %s", line)
			continue
		}
		rows++
		claim, held := strings.Trim(cells[0], "| "), false
		if claims[claim] {
			t.Errorf("this claim stands twice: %s", claim)
		}
		claims[claim] = true
		for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			held = held || broken[span[1]]
		}
		if _, known := unmutated[claim]; held == known {
			t.Errorf("%s: a mutation whose test it names: %v; listed as one that none can break: %v", claim, held, known)
		}
		for i, what := range []string{"claim", "enforcing function", "test", "residue"} {
			spans := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[i], -1)
			if i == 1 || i == 2 {
				if len(spans) == 0 {
					t.Errorf("no %s: %s", what, cells[0])
				}
				for _, s := range spans {
					if !resolve(t, s[1], i == 2) {
						t.Errorf("%s: there is no %s %s", strings.Trim(cells[0], "| "), what, s[1])
					}
				}
			} else if len(strings.Fields(strings.Trim(cells[i], "| "))) == 0 {
				t.Errorf("no %s: %s", what, line)
			}
		}
	}
	if rows < 40 {
		t.Errorf("the table has %d claims", rows)
	}
}

// TestNamesInPages: a page that names a test or a file that is not there promises something
// that nothing holds.
func TestNamesInPages(t *testing.T) {
	tests, files := map[string]bool{}, map[string]bool{}
	err := walkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		p = filepath.ToSlash(p)
		files[p], files[path.Base(p)] = true, true
		if strings.HasSuffix(p, "_test.go") {
			for name := range declared(t, path.Dir(p)).tests {
				tests[name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	members := map[string]bool{} // Type.Member, and package.Name, of all packages
	for p := range files {
		if strings.HasSuffix(p, ".go") && strings.Contains(p, "/") {
			for name := range declared(t, path.Dir(p)).names {
				members[path.Base(path.Dir(p))+"."+name] = true
				members[name] = true
				packages[path.Base(path.Dir(p))] = true
			}
		}
	}
	// Files of a reader's own module, and of other people's.
	for _, name := range []string{"facet_start.go", "shop/facet_start.go", "schema.sql", "runs.jsonl"} {
		files[name] = true
	}
	seen, all := 0, pages(t)
	maps.Copy(all, designs(t))
	for page, text := range all {
		for _, name := range regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w+`).FindAllString(text, -1) {
			if seen++; !tests[name] {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
		for _, m := range regexp.MustCompile("`((?:\\w+\\.)?[A-Z]\\w+(?:\\.[A-Z]\\w+)?)[(`]").FindAllStringSubmatch(withoutBlocks(text), -1) {
			first, _, dotted := strings.Cut(m[1], ".")
			ours := packages[first] || first[0] >= 'A' && first[0] <= 'Z'
			test := strings.Contains(m[1], ".Test") // TestSecurity resolves it
			if dotted && ours && !test && !members[m[1]] {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
		for _, m := range regexp.MustCompile("[`(]([\\w./-]+\\.(?:go|md|sh|txt|mjs|js|jsonl|sql))[`)]").FindAllStringSubmatch(withoutBlocks(text), -1) {
			if name := strings.TrimPrefix(strings.TrimPrefix(m[1], "../"), "./"); !files[name] && !files[path.Join(path.Dir(page), name)] && !files[path.Join(path.Dir(page), m[1])] {
				t.Errorf("%s names the file %s, which is not there", page, m[1])
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d names of tests were found", seen)
	}
}
