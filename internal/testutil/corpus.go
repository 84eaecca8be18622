package testutil

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// File is one file of a corpus. A test that uses a corpus must call Read for each file.
type File struct {
	Name string // the file's name without the folder
	Path string
	text string
	read bool
}

// Read returns the text, and notes that the test has read it.
func (f *File) Read() string { f.read = true; return f.text }

// Root returns the folder of the module.
func Root() string { return root }

// root is found at the start, while a test is in its package's folder. A program that is built here contains the path of this file, but with
// -trimpath only the path in the module.
var root = func() string {
	_, here, _, _ := runtime.Caller(0)
	if filepath.IsAbs(here) {
		return filepath.Dir(filepath.Dir(filepath.Dir(here)))
	}
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.Contains(string(text), "module github.com/exoagent/exoagent\n") {
			break
		}
	}
	return dir
}()

// Corpus reads the files of testdata/folder. The test fails if there is no file, or if a file has another ending, because no test would read
// it. It also fails if it ends without reading each file.
func Corpus(t testing.TB, folder, ending string) []*File {
	t.Helper()
	dir := filepath.Join(Root(), "testdata", folder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, problem := corpus(dir, entries, ending)
	if problem != "" {
		t.Fatal(problem)
	}
	t.Cleanup(func() {
		if strings.Contains(flag.Lookup("test.run").Value.String(), "/") || t.Failed() {
			return // the caller wanted only a part of the corpus
		}
		if f := unread(files); f != "" {
			t.Errorf("%s was not read", f)
		}
	})
	return files
}

func corpus(dir string, entries []os.DirEntry, ending string) (files []*File, problem string) {
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() || !strings.HasSuffix(e.Name(), ending) {
			return nil, path + " is read by no test: give it a name that ends with " + ending
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err.Error()
		}
		if len(strings.TrimSpace(string(b))) == 0 {
			return nil, path + " is empty"
		}
		files = append(files, &File{Name: e.Name(), Path: path, text: string(b)})
	}
	if len(files) == 0 {
		return nil, dir + " has no *" + ending + " file, so the test would check nothing"
	}
	return files, ""
}

func unread(files []*File) string {
	for _, f := range files {
		if !f.read {
			return f.Path
		}
	}
	return ""
}

// Chunks cuts a text at lines that are `---`. first has the line of each chunk, from 1.
func Chunks(text string) (chunks []string, first []int) {
	start, line, from := 0, 1, 1
	for pos := 0; pos <= len(text); {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += pos
		}
		if strings.TrimRight(text[pos:end], " \r") == "---" {
			chunks, first = append(chunks, text[start:pos]), append(first, from)
			start, from = min(end+1, len(text)), line+1
		}
		pos, line = end+1, line+1
	}
	return append(chunks, text[start:]), append(first, from)
}

// Archive splits a txtar file: a comment, then sections headed `-- name --`.
func Archive(text string) (comment string, sections map[string]string, order []string) {
	sections = map[string]string{}
	name, b := "", strings.Builder{}
	flush := func() {
		if name == "" {
			comment = b.String()
		} else {
			sections[name] = b.String()
			order = append(order, name)
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		l := strings.TrimSpace(line)
		if strings.HasPrefix(l, "-- ") && strings.HasSuffix(l, " --") && len(l) > 6 {
			flush()
			name = strings.TrimSpace(l[3 : len(l)-3])
			continue
		}
		b.WriteString(line)
	}
	flush()
	return comment, sections, order
}
