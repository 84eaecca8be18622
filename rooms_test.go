package exoagent_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Ceilings outside tests. A person moves them, and only ever down but for a new feature.
const (
	mostFiles = 25
	mostLines = 5_000
	// allLines is 220 higher than before errors with several causes became one error for each cause.
	allLines = 149_200 // of the module without the challenge and ofTests
)

// larger are the packages above these, with the ceilings of their own: each is to be cut.
var larger = map[string]struct{ files, lines int }{}

// ofTests are packages that only tests import: their lines are of tests.
var ofTests = map[string]bool{"exo/record/tree/treetest": true, "exo/store/storetest": true, "exosql/internal/kit": true, "internal/corpus": true, "internal/corpus/questions": true, "internal/corpus/schemas": true, "internal/corpus/withheld": true, "internal/testutil": true, "internal/testutil/browsertest": true, "internal/testutil/cuttest": true, "internal/testutil/mailtest": true, "internal/testutil/outside": true, "internal/testutil/pgtest": true, "internal/testutil/ttytest": true}

// ofSystem ends the name of a file that has the same thing for one system: who reads the package reads one of them.
var ofSystem = regexp.MustCompile(`(_linux|_unix|_other|_none|_on|_off|_amd64|_arm64)+\.go$`)

// TestRooms: a package is small enough to be read whole, and the module does not grow unnoticed.
func TestRooms(t *testing.T) {
	named, files, lines, all := map[string]bool{}, map[string]int{}, map[string]int{}, 0
	err := walkDir(".", func(p string, d fs.DirEntry, err error) error {
		p = filepath.ToSlash(p)
		if err != nil || d.IsDir() || path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") || strings.Contains("/"+p, "/testdata/") || ofTests[path.Dir(p)] {
			return err
		}
		text, err := os.ReadFile(p)
		for name := range ofTests {
			if strings.Contains(string(text), `/`+name+`"`) {
				t.Errorf("%s imports %s, which counts as a test's", p, name)
			}
		}
		n := strings.Count(string(text), "\n")
		named[path.Dir(p)+"/"+ofSystem.ReplaceAllString(path.Base(p), ".go")] = true
		lines[path.Dir(p)] += n
		if !strings.HasPrefix(p, "challenge/") {
			all += n
		}
		return err
	})
	for name := range named {
		files[path.Dir(name)]++
	}
	if err != nil || len(files) < 40 {
		t.Fatalf("%d packages: %v", len(files), err)
	}
	for pkg := range files {
		most := larger[pkg]
		if _, listed := larger[pkg]; !listed {
			most.files, most.lines = mostFiles, mostLines
		} else if files[pkg] <= mostFiles && lines[pkg] <= mostLines {
			t.Errorf("%s has %d files and %d lines: it need not be listed any more", pkg, files[pkg], lines[pkg])
		}
		if files[pkg] > most.files || lines[pkg] > most.lines {
			t.Errorf("%s has %d files and %d lines outside tests: the ceiling is %d and %d", pkg, files[pkg], lines[pkg], most.files, most.lines)
		}
	}
	if all > allLines {
		t.Errorf("%d lines outside tests: the ceiling is %d", all, allLines)
	}
}
