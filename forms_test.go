package exoagent_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/grantschema"
)

// formPackages are the packages that errors name, by the name that Go code imports them under. One is internal: only our own commands use it.
var formPackages = map[string]string{"exosql": "exosql", "dynamic": "exosql/dynamic", "exo": "exo", "service": "exo/service", "value": "exo/value", "message": "exo/message", "fail": "exo/fail", "record": "exo/record",
	"declassify": "exo/declassify", "store": "exo/store", "mcpclient": "exo/mcpclient", "web": "exo/web", "agent": "codemode/agent", "repl": "codemode/repl", "policy": "exo/policy", "schema": "schema", "codemode": "codemode", "mcp": "codemode/mcp", "bearer": "codemode/mcp/bearer", "grantfile": "internal/grantfile", "exoeval": "exoeval", "worker": "exoeval/worker"}

// namedForm finds what a text asks its reader to write: a name of Go, with its package, with its type, or as a call; a key of a grant file;
// a command of exo, perhaps with a flag.
var namedForm = regexp.MustCompile(`(?:^|[^\w./])(?:(?P<pkg>[a-z]+)\.(?P<name>[A-Z]\w*)(?:\.(?P<member>[A-Z]\w*))?|(?P<type>[A-Z][a-z]\w*)\.(?P<of>[A-Z]\w*)|exo (?P<command>[a-z]+)(?: -(?P<flag>[a-z-]+))?)` +
	`|\.(?P<call>[A-Z]\w*[a-z]\w*)\(` + "|`(?P<key>[a-z_]+): ?[^`]*`")

// notForms are texts that have the look of a form and are none.
var notForms = map[string]string{"exo reads": "what the command line does", "ConnConfig.Tracer": "a field of pgx"}

// forms are the names that there are.
type forms struct {
	names    map[string]map[string]bool // of a package, Type.Member too
	members  map[string]bool            // Type.Member of all packages
	methods  map[string]bool
	keys     map[string]bool // of grant files
	commands map[string]map[string]bool
}

func files(t *testing.T, dir string) (out []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", dir, err)
	}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

func (x *forms) declare(pkg string, f *ast.File) {
	member := func(of, name string) {
		x.names[pkg][of+"."+name], x.members[of+"."+name] = true, true
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				x.names[pkg][d.Name.Name] = true
			} else {
				member(receiver(d.Recv.List[0].Type), d.Name.Name)
			}
			x.methods[d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						x.names[pkg][n.Name] = true
					}
				case *ast.TypeSpec:
					x.names[pkg][s.Name.Name] = true
					var fields []*ast.Field
					switch of := s.Type.(type) {
					case *ast.StructType:
						fields = of.Fields.List
					case *ast.InterfaceType:
						fields = of.Methods.List
					}
					for _, f := range fields {
						for _, n := range f.Names {
							member(s.Name.Name, n.Name)
						}
					}
				}
			}
		}
	}
}

// command notes a command of exo and its flags.
func (x *forms) command(f *ast.File) {
	for _, d := range f.Decls {
		name, flags := "", map[string]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Name" && name == "" {
					if sum, ok := n.Value.(*ast.BinaryExpr); ok { // "record " + name
						n.Value = sum.X
					}
					name = strings.TrimSpace(literal(n.Value))
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok {
					if of, ok := s.X.(*ast.Ident); ok && of.Name == "fs" {
						for _, a := range n.Args[:min(2, len(n.Args))] {
							flags[literal(a)] = true
						}
					}
				}
			}
			return true
		})
		if name != "" {
			x.commands[name] = flags
		}
	}
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}

// keysOf notes the properties that a JSON Schema has at any depth.
func (x *forms) keysOf(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			x.keysOf(e)
		}
	case map[string]any:
		if p, ok := v["properties"].(map[string]any); ok {
			for k := range p {
				x.keys[k] = true
			}
		}
		for _, e := range v {
			x.keysOf(e)
		}
	}
}

// missing is a form that a text names and that is not there; "" if all are. n is how many it names.
func (x *forms) missing(text string) (missing string, n int) {
	for _, m := range namedForm.FindAllStringSubmatch(text, -1) {
		g := func(name string) string { return m[namedForm.SubexpIndex(name)] }
		whole, ok := strings.Trim(m[0], " ([`*&,;:"), true
		if notForms[whole] != "" {
			continue
		}
		switch pkg := x.names[g("pkg")]; {
		case g("pkg") != "":
			if pkg == nil {
				continue // no package of ours
			}
			ok = pkg[g("name")] && (g("member") == "" || pkg[g("name")+"."+g("member")])
		case g("type") != "":
			ok = x.members[g("type")+"."+g("of")]
		case g("call") != "":
			ok = x.methods[g("call")]
		case g("key") != "":
			ok = x.keys[g("key")]
		case g("command") != "":
			flags, there := x.commands[g("command")]
			ok = there && (g("flag") == "" || flags[g("flag")])
		}
		if n++; !ok {
			return whole, n
		}
	}
	return "", n
}

// TestNamedForms: a name of Go, a key of a grant file and a command that an error names are there. An error that sent its reader to write what
// is no more would lead to a second error.
func TestNamedForms(t *testing.T) {
	x := &forms{map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}}
	for pkg, dir := range formPackages {
		x.names[pkg] = map[string]bool{}
		for _, f := range files(t, dir) {
			x.declare(pkg, f)
		}
	}
	for _, dir := range []string{"cmd/exo", "cmd/exo/internal/recordcmd", "cmd/exo/internal/approvalscmd", "cmd/exo/internal/undocmd", "cmd/exo/internal/servicescmd", "cmd/exo/internal/budgetscmd", "internal/cli"} {
		for _, f := range files(t, dir) {
			x.command(f)
		}
	}
	var of any
	if err := json.Unmarshal(grantschema.JSON(), &of); err != nil {
		t.Fatal(err)
	}
	x.keysOf(of)
	for text, wrong := range map[string]string{"write exosql.NewTable": "", "write exosql.NewTabel": "exosql.NewTabel", "set OpenOptions.Witness": "", "set OpenOptions.Wittness": "OpenOptions.Wittness",
		"exosql.OpenOptions.Gone": "exosql.OpenOptions.Gone", ".OneOf(…)": "", ".OnlyOf(…)": ".OnlyOf", "write `one_of: [a]`": "", "write `only_of: [a]`": "only_of: [a]",
		"run exo validate -pin": "", "run exo validate -pins": "exo validate -pins", "run exo verify": "exo verify"} {
		if got, _ := x.missing(text); got != wrong {
			t.Errorf("of %q %q is missing, want %q", text, got, wrong)
		}
	}
	named := 0
	for _, dir := range []string{"exosql", "exosql/*", "exosql/internal/*", "exosql/internal/engine/*", "exo", "exo/*", "schema", "schema/*", "codemode", "codemode/*", "exoeval", "exoeval/worker", "internal/grantfile", "internal/terms", "internal/draft"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if _, ok := n.(*ast.ImportSpec); ok {
					return false
				}
				if l, ok := n.(*ast.BasicLit); ok {
					missing, n := x.missing(literal(l))
					if named += n; missing != "" {
						t.Errorf("%s: there is no %s", set.Position(l.Pos()), missing)
					}
				}
				return true
			})
		}
	}
	if named < 120 {
		t.Errorf("%d forms are named", named)
	}
}
