package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Mutation is an entry of a list: a line that stops an attack, the changed line, and the test that must then fail.
type Mutation struct {
	At       string // the file and line of the entry, for messages
	File     string // the path from the root of the repository, with slashes
	In       string // the function or method that has the line, if the file has it twice; or ""
	Old, New string // a part of the line, and its replacement
	Test     string // TestName or TestName/subtest, in the package of File; "" if the mutation survives
	Survives string // why no test can fail; "" if Test fails
	Why      string // the attack that the line stops

	folder string // the folder of Test; ReadAll sets it
}

// Package returns the folder of the test: see home.
func (m *Mutation) Package() string {
	if m.folder == "" {
		return "./" + path.Dir(m.File)
	}
	return "./" + m.folder
}

// home returns the folder with the test of a file. The argument folders has all folders with a test of that name. It returns the file's own folder, or the nearest
// one around it. Otherwise it returns the only folder below the file's top folder, or the only one of all if that is below exosql/test, as
// exosql/test/approvals for exo. Without such a folder it returns "".
func home(file string, folders []string) string {
	for folder := path.Dir(file); folder != "." && folder != "/"; folder = path.Dir(folder) {
		if slices.Contains(folders, folder) {
			return folder
		}
	}
	top, _, _ := strings.Cut(file, "/")
	below := slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return !strings.HasPrefix(f, top+"/") })
	switch {
	case len(below) == 1:
		return below[0]
	case len(below) == 0 && len(folders) == 1 && strings.HasPrefix(folders[0], "exosql/test/"):
		return folders[0]
	}
	return ""
}

// Name returns the mutation's name in reports.
func (m *Mutation) Name() string { return m.File + ": " + m.Old }

// ReadAll reads all lists of a folder. A folder without lists is an error.
func ReadAll(folder string) ([]*Mutation, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the folder %s has no lists of mutations", folder)
	}
	var all []*Mutation
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		ms, err := Read(filepath.Base(f), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	_, tests, err := index(filepath.Join(folder, "..", ".."))
	for _, m := range all {
		test, _, _ := strings.Cut(m.Test, "/")
		m.folder = home(m.File, tests[test])
	}
	return all, err
}

// Read reads one list. Empty lines separate entries. Each line of an entry is a word and its text. Lines that begin with # are comments.
func Read(name, text string) ([]*Mutation, error) {
	var all []*Mutation
	var m *Mutation
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		line = strings.TrimSpace(line)
		if line == "" {
			m = nil
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		if m == nil {
			m = &Mutation{At: at}
			all = append(all, m)
		}
		field := map[string]*string{"file": &m.File, "in": &m.In, "old": &m.Old, "new": &m.New, "test": &m.Test, "survives": &m.Survives, "why": &m.Why}[word]
		if field == nil {
			return nil, fmt.Errorf("%s: there is no field %q: write file, in, old, new, test, survives or why", at, word)
		}
		if *field != "" || rest == "" {
			return nil, fmt.Errorf("%s: the field %q is given twice, or is empty: write it once, with a value", at, word)
		}
		*field = rest
	}
	for _, m := range all {
		if m.File == "" || m.Old == "" || m.New == "" || m.Why == "" || m.Old == m.New || (m.Test == "") == (m.Survives == "") {
			return nil, fmt.Errorf("%s: an entry needs file, old, new (different from old), why, and either test or survives", m.At)
		}
		if path.Clean(m.File) != m.File || path.IsAbs(m.File) || strings.HasPrefix(m.File, "..") || strings.HasSuffix(m.File, "_test.go") || path.Ext(m.File) != ".go" {
			return nil, fmt.Errorf("%s: %q must be a Go file of the repository, and not a test", m.At, m.File)
		}
	}
	return all, nil
}

// Apply returns the mutated text of the file. The old text must be in the file, or in the function In, exactly once. Otherwise the entry does
// not identify one line.
func (m *Mutation) Apply(root string) ([]byte, error) {
	name := filepath.Join(root, filepath.FromSlash(m.File))
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.At, err)
	}
	from, to := 0, len(text)
	if m.In != "" {
		if from, to, err = bounds(name, text, m.In); err != nil {
			return nil, fmt.Errorf("%s: %w", m.At, err)
		}
	}
	part := string(text[from:to])
	if n := strings.Count(part, m.Old); n != 1 {
		return nil, fmt.Errorf("%s: %s has %q %d times: change old so that it matches exactly one line", m.At, strings.TrimSpace(m.File+" "+m.In), m.Old, n)
	}
	out := slices.Concat(text[:from], []byte(strings.Replace(part, m.Old, m.New, 1)), text[to:])
	if _, err := parser.ParseFile(token.NewFileSet(), name, out, parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("%s: the file with the new text in it does not parse: %w", m.At, err)
	}
	return out, nil
}

// bounds finds a function `name` or a method `Type.name` in a file.
func bounds(file string, text []byte, name string) (from, to int, err error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	found := 0
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && funcName(f) == name {
			from, to, found = fset.Position(f.Pos()).Offset, fset.Position(f.End()).Offset, found+1
		}
	}
	if found != 1 {
		return 0, 0, fmt.Errorf("%s has %d functions with the name %q, and must have one: write a method as Type.name", file, found, name)
	}
	return from, to, nil
}

func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch x := t.(type) { // the type is generic
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	id, ok := t.(*ast.Ident)
	if !ok {
		return f.Name.Name
	}
	return id.Name + "." + f.Name.Name
}
