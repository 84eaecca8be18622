package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A package's variables exist in a process of it only, and those that matter may not be
// exported. So a file is laid over the package (go build -overlay: nothing is
// written to the module) that hands out all of its variables as values; which of them are
// declarations, exosql's own interface says at run time. No types are loaded here, so
// neither the version of Go nor that of exosql in the module has to be this binary's.

// goPackage is what the go command knows of a package.
type goPackage struct {
	Dir, ImportPath, Name string
	GoFiles, CgoFiles     []string
	Standard              bool
	Deps                  []string
	Error                 *struct{ Err string }
}

const exosqlPath = "github.com/exoagent/exoagent/exosql"

// load finds the package that a pattern names.
func load(ctx context.Context, pattern string) (*goPackage, error) {
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-json=Dir,ImportPath,Name,GoFiles,CgoFiles,Standard,Deps,Error", "--", pattern)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list %s: %w\n%s", pattern, err, strings.TrimSpace(stderr.String()))
	}
	var found []*goPackage
	for d := json.NewDecoder(&out); d.More(); {
		p := &goPackage{}
		if err := d.Decode(p); err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	if len(found) != 1 {
		return nil, usagef("%s names %d packages: want one", pattern, len(found))
	}
	p := found[0]
	switch {
	case p.Error != nil:
		return nil, fmt.Errorf("%s: %s", pattern, p.Error.Err)
	case p.Standard || len(p.GoFiles)+len(p.CgoFiles) == 0:
		return nil, fmt.Errorf("%s declares nothing for exosql", pattern)
	}
	for _, dep := range p.Deps {
		if dep == exosqlPath {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s declares nothing for exosql: it does not import it", pattern)
}

// variables are the names of the package's own variables.
func (p *goPackage) variables() ([]string, error) {
	var out []string
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					if n.Name != "_" {
						out = append(out, n.Name)
					}
				}
			}
		}
	}
	return out, nil
}

// overlay writes the files to lay over the module into dir, and returns the path of
// the list of them and the package to build.
func (p *goPackage) overlay(dir string) (list, build string, err error) {
	vars, err := p.variables()
	if err != nil {
		return "", "", err
	}
	files := map[string]string{filepath.Join(p.Dir, overlayFile): inPackage(p.Name, vars)}
	build = p.ImportPath
	if p.Name != "main" {
		// Below the package, so that it may import what is internal to it.
		build += "/" + overlayDir
		files[filepath.Join(p.Dir, overlayDir, "main.go")] = mainOf(p.ImportPath)
	}
	replace := map[string]string{}
	for path, text := range files {
		if _, err := os.Lstat(path); err == nil {
			return "", "", fmt.Errorf("%s is in the way", path)
		}
		to := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", "", err
		}
		replace[path] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", "", err
	}
	list = filepath.Join(dir, "overlay.json")
	return list, build, os.WriteFile(list, text, 0o600)
}

// inspect builds the package with what is laid over it, runs it against the
// database, and reads its report. The URL goes by the environment: arguments are for all to see.
func (p *goPackage) inspect(ctx context.Context, std stdio, url string) (*report, error) {
	dir, err := os.MkdirTemp("", "exo-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list, target, err := p.overlay(dir)
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	binary := filepath.Join(dir, "check.exe")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", binary, "--", target)
	build.Stderr = &stderr
	if err := build.Run(); err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%s can't be built:\n%s", p.ImportPath, strings.TrimSpace(stderr.String())))
	}
	out := filepath.Join(dir, "report.json")
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append(os.Environ(), overlayURL+"="+url, overlayReport+"="+out)
	cmd.Stdout, cmd.Stderr = std.err, std.err // what the package itself prints
	ran := cmd.Run()
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%s ended before it was checked: %w", p.ImportPath, errors.Join(ran)))
	}
	r := &report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Error != "" {
		return nil, errors.Join(ctx.Err(), errors.New(r.Error))
	}
	return r, nil
}
