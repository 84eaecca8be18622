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

// What the main that repl makes calls, and the module that it is in.
const (
	replPackage = "github.com/exoagent/exoagent/codemode/repl"
	replModule  = "github.com/exoagent/exoagent"
)

// grantPackage is what the go command says of a package.
type grantPackage struct {
	ImportPath, Name, Dir string
	GoFiles, CgoFiles     []string
	Module                *struct {
		Dir  string
		Main bool
	}
}

func findPackage(ctx context.Context, pattern string) (*grantPackage, error) {
	out, err := goTool(ctx, "list", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Module", "--", pattern)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(out))
	var p grantPackage
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("%s is no package", pattern)
	}
	switch {
	case d.More():
		return nil, fmt.Errorf("%s is more than one package", pattern)
	case p.Module == nil:
		return nil, fmt.Errorf("%s is in no module", pattern)
	case p.Name == "main":
		return nil, fmt.Errorf("%s is a command, and can't be imported: keep the function of grants in a package beside it", p.ImportPath)
	}
	return &p, nil
}

// exports reports an error unless the package has an exported function of a name.
func (p *grantPackage) exports(name string) error {
	for _, file := range append(p.GoFiles, p.CgoFiles...) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return nil
			}
		}
	}
	return fmt.Errorf("%s has no function %s; write one, or name another with -func:\n\nfunc %s(ctx context.Context, db *exosql.DB, user string) (codemode.Grants, error)", p.ImportPath, name, name)
}

// build builds the main in a directory, and returns its path; in its help and errors
// it calls itself what is shown. The main is in the
// module only in the eyes of the compiler, by an overlay: below the package, so that
// it may import one that is internal.
func (p *grantPackage) build(ctx context.Context, dir, name, shown string) (string, error) {
	home := p.Dir
	if !p.Module.Main { // of a module that is not ours to add to
		mod, err := goTool(ctx, "list", "-m", "-f", "{{.Dir}}")
		if err != nil {
			return "", err
		}
		home = strings.TrimSpace(string(mod))
	}
	home = filepath.Join(home, "exo_repl_main")
	source := fmt.Sprintf("package main\n\nimport (\n\tgrants %q\n\t%q\n)\n\nfunc main() { repl.Main(%q, %q, grants.%s) }\n", p.ImportPath, replPackage, shown, p.ImportPath, name)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(home, "main.go"): filepath.Join(dir, "main.go")}})
	if err != nil {
		return "", err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600),
		os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "repl")
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary}
	if _, err = goTool(ctx, append(args, home)...); err == nil {
		return binary, nil
	}
	// A module that does not use the terminal itself lacks the checksums of what it
	// needs: try with copies of go.mod and go.sum, to which they are added.
	modfile, copied := copyModule(ctx, dir)
	if copied != nil {
		return "", errors.Join(err, copied)
	}
	if modfile == "" {
		return "", err
	}
	if _, err = goTool(ctx, append(args, "-mod=mod", "-modfile", modfile, home)...); err != nil {
		return "", err
	}
	return binary, nil
}

// copyModule copies the main module's go.mod and go.sum, with the checksums of ours
// added, so that none has to be asked for. It gives "" where there is a workspace,
// in which no other go.mod can be used.
func copyModule(ctx context.Context, dir string) (string, error) {
	env, err := goTool(ctx, "env", "GOWORK", "GOMOD")
	if err != nil {
		return "", err
	}
	work, mod, _ := strings.Cut(strings.TrimRight(string(env), "\r\n"), "\n")
	if work = strings.TrimSpace(work); work != "" && work != "off" {
		return "", nil
	}
	mod = strings.TrimSpace(mod)
	text, err := os.ReadFile(mod)
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(strings.TrimSuffix(mod, ".mod") + ".sum")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	ours, err := goTool(ctx, "list", "-m", "-f", "{{.Dir}}", replModule)
	if err != nil {
		return "", fmt.Errorf("the module does not require %s: %w", replModule, err)
	}
	more, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(ours)), "go.sum"))
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, "go.mod")
	return copied, errors.Join(
		os.WriteFile(copied, text, 0o600),
		os.WriteFile(filepath.Join(dir, "go.sum"), append(append(sums, '\n'), more...), 0o600))
}

// goTool runs the go command in the current directory and gives what it printed; its
// error is what it complained of.
func goTool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(complaint.String()); text != "" {
			return nil, errors.New(text)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}
