package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// These constants name the package that the generated main of exo repl calls, and the module of that package.
const (
	replPackage = "github.com/exoagent/exoagent/codemode/repl"
	replModule  = "github.com/exoagent/exoagent"
)

// buildRepl builds the main program into dir, and returns its path. The argument shown is the
// command's name in help and errors. The main is placed below the package, so that it can import the
// package even if that is internal.
func (p *goPackage) buildRepl(ctx context.Context, dir, function, shown string) (string, error) {
	switch {
	case p.Module == nil:
		return "", fmt.Errorf("%s is in no module: run go mod init in its repository first", p.ImportPath)
	case p.Name == "main":
		return "", fmt.Errorf("%s is a package main, which can't be imported: move its function %s into another package", p.ImportPath, function)
	}
	if err := p.function(function); err != nil {
		return "", err
	}
	home := p.Dir
	if !p.Module.Main { // the package is in another module, so place the main in the main module
		mod, err := goTool(ctx, "list", "-m", "-f", "{{.Dir}}")
		if err != nil {
			return "", err
		}
		home = strings.TrimSpace(string(mod))
	}
	home = filepath.Join(home, "exo_repl_main")
	files := map[string]string{filepath.Join(home, "main.go"): fmt.Sprintf(
		"package main\n\nimport (\n\tgrants %q\n\t%q\n)\n\nfunc main() {\n\trepl.Main(repl.App{Name: %q, Package: %[1]q, About: %[5]q, Grants: grants.%[4]s})\n}\n", p.ImportPath, replPackage, shown, function, "A terminal on what package "+p.ImportPath+" grants.")}
	binary, err := build(ctx, dir, files, home)
	if err == nil {
		return binary, nil
	}
	// If the module does not use the terminal itself, it lacks checksums that the terminal needs.
	// Try again with copies of go.mod and go.sum that have them.
	modfile, copied := copyModule(ctx, dir)
	if copied != nil {
		return "", errors.Join(err, copied)
	}
	if modfile == "" {
		return "", err
	}
	return build(ctx, dir, files, home, "-mod=mod", "-modfile", modfile)
}

// copyModule copies the main module's go.mod and go.sum, and adds the checksums of this module, so
// that no server is needed. In a workspace, where no other go.mod can be used, it returns "".
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
		return "", fmt.Errorf("the package's module does not require %s: run go get %[1]s there: %w", replModule, err)
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

// goTool runs the go command in the current directory, and returns its output. The error has the
// text of standard error. Tests replace it, to build each program only once.
var goTool = func(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil { // the error messages of a stopped command are misleading
		return nil, ctx.Err()
	}
	if text := strings.TrimSpace(complaint.String()); text != "" {
		return nil, errors.New(text)
	}
	return nil, fmt.Errorf("go %s: %w", args[0], err)
}

// build builds a command into dir, and returns its path. The argument files has texts by path. The
// compiler sees them as files of the module (go build -overlay), but nothing is written there.
func build(ctx context.Context, dir string, files map[string]string, target string, flags ...string) (binary string, err error) {
	replace := map[string]string{}
	for path, text := range files {
		if _, err := os.Lstat(path); err == nil {
			return "", fmt.Errorf("%s exists, and exo needs this name for a file of its own: rename your file", path)
		}
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "main.exe")
	args := append([]string{"build", "-ldflags=-s -w", "-overlay", overlay, "-o", binary}, flags...) // without debug information, since the binary runs only once
	if _, err := goTool(ctx, append(args, "--", target)...); err != nil {
		return "", err
	}
	return binary, nil
}
