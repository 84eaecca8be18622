package testutil

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Surface lists what a package exports.
type Surface struct {
	Functions map[string]any          // generic functions with type arguments
	Types     map[string]reflect.Type // pointers for types with methods on pointers
	Receivers []any                   // valid receivers, in addition to zero ones; their methods get zero values
	Skip      []string                // functions, and types with zero values, that no host can have
	Panics    string                  // the beginning of a panic about a wrong declaration: "exosql: "
}

// ZeroCalls calls every exported function, and every method of exported types, with all combinations of zero values: nil, and pointers to
// zeros. None may panic, except about a wrong declaration. result gets each call and its results. The test fails if the current folder's
// package exports something that s lacks, so new functions are covered, too.
func ZeroCalls(t *testing.T, s Surface, result func(what string, out []reflect.Value)) {
	t.Helper()
	names := slices.Sorted(maps.Keys(s.Functions))
	names = append(append(names, slices.Collect(maps.Keys(s.Types))...), s.Skip...)
	slices.Sort(names)
	if has := exported(t); !slices.Equal(has, names) {
		t.Errorf("the package exports %v\nand the test knows %v", has, names)
	}
	calls := 0
	for name, f := range s.Functions {
		calls += zeroCalls(t, name, reflect.ValueOf(f), s.Panics, result)
	}
	for name, typ := range s.Types {
		for i, r := range append(zeroValues(t, typ), reflect.Value{}) {
			if !r.IsValid() {
				i = slices.IndexFunc(s.Receivers, func(x any) bool { return reflect.TypeOf(x) == typ })
				if i < 0 {
					continue
				}
				r = reflect.ValueOf(s.Receivers[i])
			}
			for m := range typ.NumMethod() {
				if typ.Kind() != reflect.Interface {
					calls += zeroCalls(t, fmt.Sprintf("(%s %d).%s", name, i, typ.Method(m).Name), r.Method(m), s.Panics, result)
				}
			}
		}
	}
	if calls < len(names) {
		t.Errorf("only %d calls", calls)
	}
}

func zeroCalls(t *testing.T, what string, f reflect.Value, panics string, result func(string, []reflect.Value)) (calls int) {
	for _, args := range zeroArgs(t, f.Type()) {
		func() {
			defer func() {
				p := recover()
				if s, ok := p.(string); p != nil && (!ok || panics == "" || !strings.HasPrefix(s, panics)) {
					t.Errorf("%s panics: %v", what, p)
				}
			}()
			out := f.Call(args)
			if result != nil {
				result(what, out)
			}
		}()
		calls++
	}
	return calls
}

// zeroValues returns the zero values of a type: nil, and a pointer to a zero.
func zeroValues(t *testing.T, typ reflect.Type) []reflect.Value {
	switch {
	case typ == reflect.TypeFor[context.Context]():
		return []reflect.Value{reflect.ValueOf(t.Context())}
	case typ.Kind() == reflect.Pointer:
		return []reflect.Value{reflect.Zero(typ), reflect.New(typ.Elem())}
	}
	return []reflect.Value{reflect.Zero(typ)}
}

// zeroArgs returns all combinations of zero values for a function's parameters. A variadic parameter gets none or one.
func zeroArgs(t *testing.T, f reflect.Type) [][]reflect.Value {
	all := [][]reflect.Value{nil}
	for i := range f.NumIn() {
		typ, next := f.In(i), [][]reflect.Value(nil)
		if f.IsVariadic() && i == f.NumIn()-1 {
			typ, next = typ.Elem(), slices.Clone(all)
		}
		for _, v := range zeroValues(t, typ) {
			for _, args := range all {
				next = append(next, append(slices.Clone(args), v))
			}
		}
		all = next
	}
	return all
}

// exported returns the exported functions and types of the current folder's package, in order.
func exported(t *testing.T) (names []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
						names = append(names, s.Name.Name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
