package main

// After code has moved, entries of testdata/mutations and claims of SECURITY.md name the old place. This file finds the new place. `go run
// ./internal/mutate -carry` rewrites what has one new place, and lists the rest for a person.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// source is a Go file of the tree, but not a test.
type source struct {
	file  string // the path from the root, with slashes
	text  string
	names []string // the names of declarations; methods as Type.name
}

// carry rewrites the lists and SECURITY.md under root. It returns an error if an entry can't be placed.
func carry(w io.Writer, root string) error {
	tree, tests, err := index(root)
	if err != nil {
		return err
	}
	left := 0
	lists, err := filepath.Glob(filepath.Join(root, "testdata", "mutations", "*.txt"))
	if err != nil {
		return err
	}
	for _, list := range lists {
		n, err := carryList(w, root, list, tree, tests)
		if err != nil {
			return err
		}
		left += n
	}
	n, err := carryClaims(w, filepath.Join(root, "SECURITY.md"), tree, tests)
	if err != nil {
		return err
	}
	if left += n; left > 0 {
		return fmt.Errorf("%d names have no new place, or several: correct the entries listed above by hand", left)
	}
	return nil
}

// index reads all Go files of the tree. It returns the sources, and for each test the folders that declare it.
func index(root string) (tree []source, tests map[string][]string, err error) {
	tests = map[string][]string{}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if err != nil || d.IsDir() {
			if d != nil && d.IsDir() && (rel == "testdata" || strings.HasPrefix(d.Name(), ".") && rel != ".") {
				return fs.SkipDir
			}
			return err
		}
		if path.Ext(rel) != ".go" {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), rel, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := source{file: rel, text: string(text)}
		for _, d := range parsed.Decls {
			s.names = append(s.names, declares(d)...)
		}
		if !strings.HasSuffix(rel, "_test.go") {
			tree = append(tree, s)
			return nil
		}
		for _, name := range s.names {
			if !slices.Contains(tests[name], path.Dir(rel)) {
				tests[name] = append(tests[name], path.Dir(rel))
			}
		}
		return nil
	})
	return tree, tests, err
}

func declares(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{funcName(d)}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, n := range f.Names {
							names = append(names, spec.Name.Name+"."+n.Name)
						}
					}
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// carryList rewrites one list. It returns the number of entries that it could not place.
func carryList(w io.Writer, root, list string, tree []source, tests map[string][]string) (left int, err error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return 0, err
	}
	entries := strings.Split(string(text), "\n\n")
	for i, entry := range entries {
		all, err := Read(filepath.Base(list), entry)
		if err != nil {
			return 0, err
		}
		if len(all) == 0 {
			continue
		}
		m := all[0]
		if _, err := m.Apply(root); err != nil {
			found := places(m, root, tree)
			if len(found) != 1 {
				fmt.Fprintf(w, "%s: %s: %d places have %q\n", filepath.Base(list), m.File, len(found), m.Old)
				left++
				continue
			}
			to := found[0]
			for _, line := range [][3]string{{"file", m.File, to.File}, {"in", m.In, to.In}, {"old", m.Old, to.Old}, {"new", m.New, to.New}} {
				re := regexp.MustCompile(`(?m)^(` + line[0] + `\s+)` + regexp.QuoteMeta(line[1]) + `[ \t]*$`)
				entry = re.ReplaceAllString(entry, "${1}"+strings.ReplaceAll(line[2], "$", "$$"))
			}
			entries[i], m = entry, to
		}
		name, _, _ := strings.Cut(m.Test, "/")
		if m.Test != "" && home(m.File, tests[name]) == "" {
			fmt.Fprintf(w, "%s: %s: the test %s is in %v: move it with the line\n", filepath.Base(list), m.File, name, tests[name])
			left++
		}
	}
	return left, os.WriteFile(list, []byte(strings.Join(entries, "\n\n")), 0o666)
}

// places returns a copy of the entry for each place to which its old text may have moved: a file, or a function, that has the text exactly once. If
// one place is in a file with the same base name, places returns only that one.
func places(m *Mutation, root string, tree []source) (found []*Mutation) {
	for _, s := range tree {
		for _, in := range s.names {
			if m.In != "" && !sameName(in, m.In) || m.In == "" && in != s.names[0] {
				continue
			}
			to := *m
			to.File = s.file
			if m.In != "" {
				to.In = in
			}
			if _, err := to.Apply(root); err != nil {
				to.Old, to.New = respell(m.Old, m.New, s.text)
				if _, err := to.Apply(root); err != nil {
					continue
				}
			}
			found = append(found, &to)
		}
	}
	if same := slices.DeleteFunc(slices.Clone(found), func(to *Mutation) bool { return path.Base(to.File) != path.Base(m.File) }); len(same) == 1 {
		return same // the file moved and kept its name
	}
	return found
}

// sameName compares names without regard to whether they are exported. It compares methods part by part.
func sameName(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	return slices.EqualFunc(x, y, func(a, b string) bool { return lower(a) == lower(b) })
}

func lower(s string) string {
	for i, r := range s {
		return string(unicode.ToLower(r)) + s[i+len(string(r)):]
	}
	return s
}

type word struct {
	tok      token.Token
	text     string
	from, to int
}

func words(text string) (out []word) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		out = append(out, word{tok, lit, file.Offset(pos), file.Offset(pos) + len(lit)})
	}
}

// respell finds a line that differs from old only in package qualifiers and in whether names are exported. It returns that line, and change in
// the same spelling. It returns "" twice if there is no such line.
func respell(old, change, text string) (string, string) {
	want, have := words(old), words(text)
	for at := range have {
		spelt, end := map[string]string{}, at
		if !matches(want, have, at, spelt, &end) {
			continue
		}
		var b strings.Builder
		last := 0
		ws := words(change)
		for i := 0; i < len(ws); i++ {
			w, to := ws[i], ws[i].to
			key := w.text
			if i+2 < len(ws) && ws[i+1].tok == token.PERIOD && spelt[key+"."+ws[i+2].text] != "" {
				key, to = key+"."+ws[i+2].text, ws[i+2].to
				i += 2
			}
			if s, ok := spelt[key]; ok && w.tok == token.IDENT {
				b.WriteString(change[last:w.from] + s)
				last = to
			}
		}
		return text[have[at].from:have[end-1].to], b.String() + change[last:]
	}
	return "", ""
}

// matches compares the words of a line with those of a text from at on, and notes how the text spells each name.
func matches(want, have []word, at int, spelt map[string]string, end *int) bool {
	j := at
	same := func(a, b word) bool {
		return a.tok == b.tok && (a.text == b.text || a.tok == token.IDENT && lower(a.text) == lower(b.text))
	}
	qualified := func(ws []word, i int) bool {
		return i+2 < len(ws) && ws[i].tok == token.IDENT && ws[i+1].tok == token.PERIOD && (i == 0 || ws[i-1].tok != token.PERIOD)
	}
	for i := 0; i < len(want); i, j = i+1, j+1 {
		switch {
		case j >= len(have):
			return false
		case same(want[i], have[j]):
			spelt[want[i].text] = have[j].text
		case qualified(have, j) && same(want[i], have[j+2]):
			spelt[want[i].text] = have[j].text + "." + have[j+2].text
			j += 2
		case qualified(want, i) && same(want[i+2], have[j]):
			spelt[want[i].text+"."+want[i+2].text] = have[j].text
			i += 2
		case qualified(want, i) && qualified(have, j) && same(want[i+2], have[j+2]):
			spelt[want[i].text+"."+want[i+2].text] = have[j].text + "." + have[j+2].text
			i, j = i+2, j+2
		default:
			return false
		}
	}
	*end = j
	return true
}

// carryClaims rewrites the functions and tests that SECURITY.md names.
func carryClaims(w io.Writer, page string, tree []source, tests map[string][]string) (left int, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return 0, err
	}
	declared := map[string][]string{} // the folders and names of declarations, by their unexported spelling
	there := map[string]bool{}
	for _, s := range tree {
		for _, name := range s.names {
			parts := strings.Split(name, ".")
			for i := range parts {
				parts[i] = lower(parts[i])
			}
			key, full := strings.Join(parts, "."), path.Dir(s.file)+"."+name
			if !there[full] {
				declared[key] = append(declared[key], full)
			}
			there[full] = true
		}
	}
	for name, folders := range tests {
		for _, folder := range folders {
			there[folder+"."+name] = true
			declared[lower(name)] = append(declared[lower(name)], folder+"."+name)
		}
	}
	reported := map[string]bool{}
	out := regexp.MustCompile("`[\\w/]+\\.[\\w.]+`").ReplaceAllStringFunc(string(text), func(span string) string {
		name := strings.Trim(span, "`")
		slash := strings.LastIndex(name, "/") + 1
		folder, rest, _ := strings.Cut(name[slash:], ".")
		if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(name))); err == nil || there[name] || path.Ext(name) == ".go" {
			return span
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(name[:slash]+folder))); err != nil && slash == 0 {
			return span // the name is in a package of another module
		}
		parts := strings.Split(rest, ".")
		for i := range parts {
			parts[i] = lower(parts[i])
		}
		found := declared[strings.Join(parts, ".")]
		if len(found) == 1 {
			return "`" + found[0] + "`"
		}
		if !reported[name] {
			reported[name] = true
			left++
			fmt.Fprintf(w, "SECURITY.md: %s may be any of %v\n", name, found)
		}
		return span
	})
	return left, os.WriteFile(page, []byte(out), 0o666)
}
