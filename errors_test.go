package exoagent_test

import (
	"context"
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// alwaysErrors are the functions that may have a result of type *fail.Error: they make
// one and never give nil.
var alwaysErrors = []string{"exo/fail.Errorf", "exo/fail.Error.At", "exo/fail.Error.In", "exo/fail.Error.Bounded", "exo/fail.AsError", "exo/fail.Later",
	"exoeval/internal/guest.AsError", "exoeval/internal/guest.Recorded.Shut"}

// A nil *fail.Error in an error is not nil: a caller who writes `var err error = res.Err`
// finds a failure in each success. So nothing that can be nil has that type.
func TestNoTypedNils(t *testing.T) {
	testutil.NotQuick(t)
	checked, found := 0, map[string]bool{}
	for path, pkg := range packages(t) {
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if !obj.Exported() {
				continue
			}
			checked++
			for _, at := range errorsIn(obj) {
				at = strings.TrimPrefix(path, module+"/") + "." + at
				if found[at] = true; !slices.Contains(alwaysErrors, at) {
					t.Errorf("%s is a *exo.Error that callers compare with nil: make it an error", at)
				}
			}
		}
	}
	if checked < 300 {
		t.Errorf("%d names were looked at", checked)
	}
	for _, name := range alwaysErrors { // else the walk sees nothing
		if !found[name] {
			t.Errorf("%s gives no *exo.Error", name)
		}
	}
}

// packages are those of the module, with what they export, by their paths.
func packages(t *testing.T) map[string]*types.Package {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	pkgs := map[string]*types.Package{}
	for path, file := range files {
		if !strings.HasPrefix(path, module+"/") || file == "" {
			continue
		}
		if pkgs[path], err = imp.Import(path); err != nil {
			t.Fatal(err)
		}
	}
	return pkgs
}

// errorsIn are the places of an exported thing where a *fail.Error is given to callers:
// results and fields, those of functions in fields and parameters too.
func errorsIn(obj types.Object) (found []string) {
	var walk func(at string, t types.Type)
	walk = func(at string, t types.Type) {
		switch t := t.(type) {
		case *types.Pointer:
			if n, ok := types.Unalias(t.Elem()).(*types.Named); ok && n.Obj().Name() == "Error" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == module+"/exo/fail" {
				found = append(found, at)
				return
			}
			walk(at, t.Elem())
		case *types.Alias:
			walk(at, t.Rhs())
		case *types.Slice:
			walk(at, t.Elem())
		case *types.Array:
			walk(at, t.Elem())
		case *types.Map:
			walk(at, t.Elem())
		case *types.Chan:
			walk(at, t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					walk(at+"."+f.Name(), f.Type())
				}
			}
		case *types.Interface:
			for m := range t.Methods() {
				walk(at+"."+m.Name(), m.Type())
			}
		case *types.Signature:
			for r := range t.Results().Variables() {
				walk(at, r.Type())
			}
			for p := range t.Params().Variables() {
				if f, ok := p.Type().Underlying().(*types.Signature); ok {
					walk(at+"("+p.Name()+")", f)
				}
			}
		}
	}
	switch obj := obj.(type) {
	case *types.TypeName:
		walk(obj.Name(), obj.Type().Underlying())
		if n, ok := obj.Type().(*types.Named); ok {
			for m := range n.Methods() {
				if m.Exported() {
					walk(obj.Name()+"."+m.Name(), m.Type())
				}
			}
		}
	case *types.Func:
		walk(obj.Name(), obj.Type())
	case *types.Var: // the sentinels are errors, and never nil
		if _, pointer := obj.Type().(*types.Pointer); !pointer {
			walk(obj.Name(), obj.Type())
		}
	}
	return found
}

// What succeeds has an error that is nil, also in a variable of type error.
func TestSuccessIsNil(t *testing.T) {
	it, err := service.New("it", "gives one", service.Read("one", "", func(context.Context, service.None) (int, error) { return 1, nil }))
	if err != nil {
		t.Fatal(err)
	}
	grants := map[string]exo.Object{"it": it}
	gate, err := exo.NewGate(exo.Config{Grants: grants})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	succeeds := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	succeeds("codemode.Result", tool.Run(ctx, "return it.one()").Err)
	evals := map[string]exoeval.Runner{"in process": testutil.InProcess(gate)}
	if evals["worker"], err = worker.Shared().Bind(gate, exoeval.Bounds{}); err != nil {
		t.Fatal(err)
	}
	for where, e := range evals {
		r := e.Run(ctx, exoeval.Job{Program: "return it.one()"})
		succeeds(where, r.Err)
		r = e.Run(ctx, exoeval.Job{Program: "\n  it.two()"})
		f, ok := errors.AsType[*fail.Error](r.Err)
		if at := (fail.Pos{Line: 2, Column: 3, Text: "  it.two()"}); !ok || f.Kind != fail.Denied || f.Pos != at || fail.KindOf(r.Err) != f.Kind || fail.PosOf(r.Err) != at || fail.GuestText(r.Err) != f.Guest() {
			t.Errorf("%s: the twin that fails: %#v", where, r.Err)
		}
	}

	s, err := gate.Begin(ctx, exo.Run{}, "", nil)
	succeeds("Begin", err)
	defer func() { succeeds("Finish", s.Finish(ctx, value.Null(), nil)) }()
	c := s.Checker()
	n, refused := c.MakeRef(gate.Granted()[0].ID)
	succeeds("MakeRef", refused)
	n, refused = c.MakeCall(n, "one", nil)
	succeeds("MakeCall", refused)
	x := n.Expr()
	_, refused = c.Check(x)
	succeeds("Check", refused)
	succeeds("Submit", s.Submit(exo.Call{ID: 1, Expr: x}))
	reply, _, err := s.Next(ctx)
	succeeds("Next", err)
	succeeds("Reply", reply.Err)
	succeeds("Release", s.Release())
	succeeds("Classify", fail.Classify("it", nil))
}
