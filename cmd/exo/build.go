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

// goTool runs the go command in the current directory and gives what it printed; its
// error is what it complained of.
func goTool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil { // what was stopped complains of anything
		return nil, ctx.Err()
	}
	if text := strings.TrimSpace(complaint.String()); text != "" {
		return nil, errors.New(text)
	}
	return nil, fmt.Errorf("go %s: %w", args[0], err)
}

// build builds a command into dir, and gives its path. Over its module lie files, texts
// by path, in the eyes of the compiler alone (go build -overlay): nothing is written to
// the module.
func build(ctx context.Context, dir string, files map[string]string, target string, flags ...string) (binary string, err error) {
	replace := map[string]string{}
	for path, text := range files {
		if _, err := os.Lstat(path); err == nil {
			return "", fmt.Errorf("%s is in the way", path)
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
	args := append([]string{"build", "-ldflags=-s -w", "-overlay", overlay, "-o", binary}, flags...) // it runs once: nobody debugs it
	if _, err := goTool(ctx, append(args, "--", target)...); err != nil {
		return "", err
	}
	return binary, nil
}
