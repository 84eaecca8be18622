package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/exoagent/exoagent/internal/cli"
)

// goPackage describes a package, in the form of go list -json.
type goPackage struct {
	Dir, ImportPath, Name   string
	GoFiles, CgoFiles, Deps []string
	Module                  *struct {
		Dir  string
		Main bool
	}
}

// findPackage finds the one package that a pattern names.
func findPackage(ctx context.Context, pattern string) (*goPackage, error) {
	out, err := goTool(ctx, "list", "-json=Dir,ImportPath,Name,GoFiles,CgoFiles,Deps,Module", "--", pattern)
	if err != nil {
		return nil, err
	}
	p, d := &goPackage{}, json.NewDecoder(bytes.NewReader(out))
	if err := d.Decode(p); err != nil {
		return nil, cli.Usagef("%s is no Go package: want the directory of one, like ./shop, or an import path", pattern)
	}
	if d.More() {
		return nil, cli.Usagef("%s is more than one package: want one, like ./shop", pattern)
	}
	return p, nil
}

// declarations returns the declarations of the package's files, without its tests.
func (p *goPackage) declarations() (decls []ast.Decl, err error) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		decls = append(decls, f.Decls...)
	}
	return decls, nil
}

// variables returns the names of the variables that the package declares.
func (p *goPackage) variables() (names []string, err error) {
	decls, err := p.declarations()
	for _, d := range decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			for _, n := range s.(*ast.ValueSpec).Names {
				if n.Name != "_" {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names, err
}

// function returns an error unless the package has a function with this name.
func (p *goPackage) function(name string) error {
	decls, err := p.declarations()
	if err != nil {
		return err
	}
	for _, d := range decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
			return nil
		}
	}
	return fmt.Errorf("%s has no function %s: name another with -func, or write this one:\n\nfunc %[2]s(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error)", p.ImportPath, name)
}
