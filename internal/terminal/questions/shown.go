package questions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/terminal"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Shown holds the row of the README that says what a model is shown of the app.
func Shown(t *testing.T, app terminal.App) {
	db := tu.SQLite.OpenWith(t, &exosql.Options{Setup: app.Setup})
	tool, err := codemode.New(app.Grants(db, app.Default), nil)
	if err != nil {
		t.Fatal(err)
	}
	InReadme(t, fmt.Sprintf("[examples/%s](examples/%[1]s), %d tables", app.Name, len(tool.Size().Interfaces)), tool.Size())
}

// InReadme checks that the README has the row of a size.
func InReadme(t *testing.T, what string, s codemode.Size) {
	t.Helper()
	var each []string
	for k, i := range s.Interfaces {
		if k < 6 {
			each = append(each, fmt.Sprintf("%s %d", i.Name, i.Tokens))
		}
	}
	row := fmt.Sprintf("| %s | %d | %d | %s |\n", what, s.Description, s.Declarations, strings.Join(each, ", "))
	readme, err := os.ReadFile(filepath.Join(tu.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "\n"+row) {
		t.Errorf("the README does not have the row\n%s", row)
	}
}
