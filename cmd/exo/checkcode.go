package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
)

// The variables of a package exist only in a process that runs it, and may be unexported. So the compiler sees one more file in the package (the
// overlay), which returns the values of all variables. At run time, an interface of exosql decides which of the variables are declarations. This
// binary loads no types of the package, so the module may use other versions of Go and exosql. All names in the file begin with exo_check_, so that
// they don't collide with the package's names.
const (
	exosqlPath  = "github.com/exoagent/exoagent/exosql"
	checkDir    = "exo_check_main"
	checkFile   = "0_exo_check.go" // this name sorts first, so that the file's init function runs before those of the other files
	checkURL    = "EXO_CHECK_DB"
	checkReport = "EXO_CHECK_REPORT"
	checkUser   = "EXO_CHECK_USER"
	checkPaths  = "EXO_CHECK_PATHS" // "true": report how the database reads the granted objects
	checkRole   = "EXO_CHECK_ROLE"  // the role for which policies are written, or ""
)

// checkFiles returns the overlay files for a package, and the package to build. The argument function
// names the package's function of grants. If it is "", the package's variables are checked.
func (p *goPackage) checkFiles(function string) (files map[string]string, target string, err error) {
	vars, err := p.variables()
	if err == nil && function != "" {
		err = p.function(function)
	}
	if err != nil {
		return nil, "", err
	}
	files = map[string]string{filepath.Join(p.Dir, checkFile): inPackage(p.Name, vars, function)}
	if p.Name == "main" {
		return files, p.ImportPath, nil
	}
	// The main is below the package, so that it may import the package even if that is internal.
	files[filepath.Join(p.Dir, checkDir, "main.go")] = mainOf(p.ImportPath)
	return files, p.ImportPath + "/" + checkDir, nil
}

// inPackage returns the overlay file in the package. For a package main, the file has the whole
// check: it runs before the other init functions and main, and ends the process.
func inPackage(name string, vars []string, function string) string {
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
	function = cmp.Or(function, "nil")
	fmt.Fprintf(&b, "\nfunc ExoCheckGrants() any { return %s }\n", function)
	if name == "main" {
		b.WriteString("\nfunc init() { exo_check_run(ExoCheckVariables(), ExoCheckGrants()) }\n" + checkCode)
	}
	return b.String()
}

// mainOf returns the program that checks a package which is not a main package.
func mainOf(path string) string {
	return "package main\n\nimport exo_check_target " + fmt.Sprintf("%q", path) + "\n\n" + checkImports +
		"func main() { exo_check_run(exo_check_target.ExoCheckVariables(), exo_check_target.ExoCheckGrants()) }\n" + checkCode
}

const checkImports = `import (
	exo_check_context "context"
	exo_check_hex "encoding/hex"
	exo_check_json "encoding/json"
	exo_check_fmt "fmt"
	exo_check_os "os"
	exo_check_signal "os/signal"
	exo_check_reflect "reflect"
	exo_check_slices "slices"
	exo_check_strings "strings"
	exo_check_strconv "strconv"

	exo_check_exo "github.com/exoagent/exoagent/exo"
	exo_check_exosql "` + exosqlPath + `"
)

`

// checkCode checks each variable that exosql.Findings accepts, and each object that a function grants. It compares
// them with the database, reports how the database reads the objects' rows, or writes policies for a role.
const checkCode = `
type exo_check_report struct {
	Compared int
	Findings []exo_check_exosql.Finding
	Paths    []exo_check_exosql.AccessPath
	Policies string
	Error    string
}

func exo_check_run(variables []any, grants any) {
	var report exo_check_report
	err := func() error {
		var what []exo_check_exosql.Declared
		for _, v := range variables {
			x := exo_check_reflect.ValueOf(v).Elem()
			if !x.IsZero() && x.CanInterface() {
				if d, ok := x.Interface().(exo_check_exosql.Declared); ok {
					what = append(what, d)
				}
			}
		}
		if report.Compared = len(what); grants == nil && len(what) == 0 {
			report.Error = "the package has no variable to check: want a table, a link, a facet or a relation; or add -user NAME, to check what its function Grants returns"
			return nil
		}
		ctx, stop := exo_check_signal.NotifyContext(exo_check_context.Background(), exo_check_os.Interrupt)
		defer stop()
		db, err := exo_check_exosql.Open(ctx, exo_check_os.Getenv("` + checkURL + `"), nil)
		if err != nil {
			return err
		}
		defer db.Close()
		if grants == nil {
			report.Findings, err = exo_check_exosql.Findings(ctx, db, what...)
			return err
		}
		objects, err := exo_check_objects(ctx, db, grants, exo_check_os.Getenv("` + checkUser + `"))
		if err != nil {
			return err
		}
		if exo_check_os.Getenv("` + checkPaths + `") == "true" {
			report.Compared = 0
			return report.paths(ctx, objects)
		}
		if role := exo_check_os.Getenv("` + checkRole + `"); role != "" {
			return report.policies(ctx, db, objects, role)
		}
		return report.granted(ctx, db, objects, what)
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

// exo_check_object is an object that a function grants.
type exo_check_object struct {
	name string
	o    exo_check_exo.Object
}

// exo_check_objects calls a function of grants, in any of the forms that exo help repl shows.
func exo_check_objects(ctx exo_check_context.Context, db *exo_check_exosql.DB, grants any, user string) (objects []exo_check_object, err error) {
	f := exo_check_reflect.ValueOf(grants)
	var args []exo_check_reflect.Value
	for i := range f.Type().NumIn() {
		p := f.Type().In(i)
		u := exo_check_reflect.New(p)
		var err error
		switch {
		case p == exo_check_reflect.TypeFor[exo_check_context.Context]():
			u.Elem().Set(exo_check_reflect.ValueOf(ctx))
		case p == exo_check_reflect.TypeFor[*exo_check_exosql.DB]():
			u.Elem().Set(exo_check_reflect.ValueOf(db))
		case p.Kind() == exo_check_reflect.String:
			u.Elem().SetString(user)
		case p.Kind() == exo_check_reflect.Array && p.Len() == 16 && p.Elem().Kind() == exo_check_reflect.Uint8:
			var b []byte
			if b, err = exo_check_hex.DecodeString(exo_check_strings.ReplaceAll(user, "-", "")); err == nil && len(b) != 16 {
				err = exo_check_fmt.Errorf("want a UUID, which has 32 hexadecimal digits")
			}
			exo_check_reflect.Copy(u.Elem(), exo_check_reflect.ValueOf(b))
		case u.Elem().CanInt():
			var n int64
			n, err = exo_check_strconv.ParseInt(user, 10, p.Bits())
			u.Elem().SetInt(n)
		case u.Elem().CanUint():
			var n uint64
			n, err = exo_check_strconv.ParseUint(user, 10, p.Bits())
			u.Elem().SetUint(n)
		default:
			return nil, exo_check_fmt.Errorf("the function that returns the grants has a parameter of type %v, which exo can't fill: write the function as exo help repl shows", p)
		}
		if err != nil {
			return nil, exo_check_fmt.Errorf("-user %q can't be a %v, the type of the user in the function that returns the grants: %w", user, p, err)
		}
		args = append(args, u.Elem())
	}
	out := f.Call(args)
	for _, v := range out {
		if err, failed := v.Interface().(error); failed && err != nil {
			return nil, err
		}
	}
	if len(out) == 0 || out[0].Kind() != exo_check_reflect.Map || out[0].Type().Key().Kind() != exo_check_reflect.String {
		return nil, exo_check_fmt.Errorf("the function that returns the grants is a %v: its first result must be codemode.Grants, as exo help repl shows", f.Type())
	}
	names := out[0].MapKeys()
	exo_check_slices.SortFunc(names, func(a, b exo_check_reflect.Value) int { return exo_check_strings.Compare(a.String(), b.String()) })
	for _, name := range names {
		o, _ := out[0].MapIndex(name).Interface().(exo_check_exo.Object)
		objects = append(objects, exo_check_object{name.String(), o})
	}
	return objects, nil
}

// granted compares variables and granted objects with the database.
func (r *exo_check_report) granted(ctx exo_check_context.Context, db *exo_check_exosql.DB, objects []exo_check_object, what []exo_check_exosql.Declared) error {
	for _, x := range objects {
		g := exo_check_exosql.Granted(x.o)
		if _, err := exo_check_exosql.Findings(ctx, db, g); err != nil {
			return exo_check_fmt.Errorf("%s: %w", x.name, err)
		}
		what = append(what, g)
		r.Compared++
	}
	if len(what) == 0 {
		return nil
	}
	var err error
	r.Findings, err = exo_check_exosql.Findings(ctx, db, what...)
	return err
}

// policies writes the SQL that lets a role do what is granted.
func (r *exo_check_report) policies(ctx exo_check_context.Context, db *exo_check_exosql.DB, objects []exo_check_object, role string) (err error) {
	var all []exo_check_exo.Object
	for _, x := range objects {
		if _, err := exo_check_exosql.Findings(ctx, db, exo_check_exosql.Granted(x.o)); err != nil {
			return exo_check_fmt.Errorf("%s: %w", x.name, err)
		}
		all = append(all, x.o)
	}
	r.Compared = len(all)
	r.Policies, err = exo_check_exosql.Policies(ctx, role, all...)
	return err
}

// paths finds how the database reads what is granted.
func (r *exo_check_report) paths(ctx exo_check_context.Context, objects []exo_check_object) error {
	for _, x := range objects {
		paths, err := exo_check_exosql.AccessPaths(ctx, x.o)
		if err != nil {
			return exo_check_fmt.Errorf("%s: %w", x.name, err)
		}
		for _, p := range paths { // keep each path once: two objects may lead to one facet
			if !exo_check_slices.ContainsFunc(r.Paths, func(q exo_check_exosql.AccessPath) bool { return exo_check_reflect.DeepEqual(p, q) }) {
				r.Paths = append(r.Paths, p)
			}
		}
		r.Compared++
	}
	return nil
}
`
