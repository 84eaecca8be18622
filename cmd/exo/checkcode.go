package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// A package's variables exist in a process of it only, and those that matter may not be
// exported. So a file is laid over the package that hands out all of its variables as
// values; which of them are declarations, exosql's own interface says at run time. No types
// are loaded here, so neither the version of Go nor that of exosql in the module has to be
// this binary's. Names begin with exo_check_, imports too: they share the package with what
// is declared there.
const (
	exosqlPath  = "github.com/exoagent/exoagent/exosql"
	checkDir    = "exo_check_main"
	checkFile   = "0_exo_check.go" // first by name: init functions run in the order of files
	checkURL    = "EXO_CHECK_DB"
	checkReport = "EXO_CHECK_REPORT"
)

// checkFiles are the files to lay over a package, and the package to build.
func (p *goPackage) checkFiles() (files map[string]string, target string, err error) {
	vars, err := p.variables()
	if err != nil {
		return nil, "", err
	}
	files = map[string]string{filepath.Join(p.Dir, checkFile): inPackage(p.Name, vars)}
	if p.Name == "main" {
		return files, p.ImportPath, nil
	}
	// Below the package, so that it may import what is internal to it.
	files[filepath.Join(p.Dir, checkDir, "main.go")] = mainOf(p.ImportPath)
	return files, p.ImportPath + "/" + checkDir, nil
}

// inPackage is the file in the package. Of a package main it is the whole check, which
// comes before the other init functions and main, and ends the process.
func inPackage(name string, vars []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", name)
	if name == "main" {
		b.WriteString(checkImports)
	}
	b.WriteString("func ExoCheckVariables() []any {\n\treturn []any{\n")
	for _, v := range vars {
		fmt.Fprintf(&b, "\t\t&%s,\n", v)
	}
	b.WriteString("\t}\n}\n")
	if name == "main" {
		b.WriteString("\nfunc init() { exo_check_run(ExoCheckVariables()) }\n" + checkCode)
	}
	return b.String()
}

// mainOf is the program that checks a package that is none.
func mainOf(path string) string {
	return "package main\n\nimport exo_check_target " + fmt.Sprintf("%q", path) + "\n\n" + checkImports +
		"func main() { exo_check_run(exo_check_target.ExoCheckVariables()) }\n" + checkCode
}

const checkImports = `import (
	exo_check_context "context"
	exo_check_json "encoding/json"
	exo_check_os "os"
	exo_check_signal "os/signal"
	exo_check_reflect "reflect"

	exo_check_exosql "` + exosqlPath + `"
)

`

// checkCode asks of each variable whether exosql.Inspect takes it.
const checkCode = `
func exo_check_run(variables []any) {
	var report struct {
		Compared int
		Findings []exo_check_exosql.Finding
		Error    string
	}
	var what []exo_check_exosql.Declared
	for _, v := range variables {
		x := exo_check_reflect.ValueOf(v).Elem()
		if !x.IsZero() && x.CanInterface() {
			if d, ok := x.Interface().(exo_check_exosql.Declared); ok {
				what = append(what, d)
			}
		}
	}
	report.Compared = len(what)
	err := func() error {
		if len(what) == 0 {
			report.Error = "the package has no variable that exosql.Check takes: a table, a link, a facet or a relation"
			return nil
		}
		ctx, stop := exo_check_signal.NotifyContext(exo_check_context.Background(), exo_check_os.Interrupt)
		defer stop()
		db, err := exo_check_exosql.Open(ctx, exo_check_os.Getenv("` + checkURL + `"), nil)
		if err != nil {
			return err
		}
		defer db.Close()
		report.Findings, err = exo_check_exosql.Inspect(ctx, db, what...)
		return err
	}()
	if err != nil {
		report.Error = err.Error()
	}
	text, err := exo_check_json.Marshal(report)
	if err == nil {
		err = exo_check_os.WriteFile(exo_check_os.Getenv("` + checkReport + `"), text, 0o600)
	}
	if err != nil {
		panic(err)
	}
	exo_check_os.Exit(0)
}
`
