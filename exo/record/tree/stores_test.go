package tree_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
)

// folder makes a log in a folder.
func folder(t testing.TB, witness bool) *treetest.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "log")
	s := &treetest.Store{Keys: treetest.NewKeys(t, witness), From: tree.Dir(dir)}
	if err := tree.Create(dir, s.Keys.About, s.Private); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, "000000000000000.jsonl")
	s.Open = func() (treetest.Log, error) { return tree.Open(dir, s.Private) }
	s.Crash = func(l treetest.Log, torn int) {
		l.(*tree.Log).Crash()
		f, _ := os.OpenFile(first, os.O_WRONLY|os.O_APPEND, 0)
		f.WriteString(`{"leaf":{"v":1,"n":99`[:torn])
		f.Close()
	}
	s.Read = func() [][]byte {
		text, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Collect(bytes.Lines(text))
	}
	s.Write = func(lines [][]byte) {
		if lines == nil {
			os.Remove(first)
		} else if err := os.WriteFile(first, bytes.Join(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.About = func(text []byte) []byte {
		path := filepath.Join(dir, "log.json")
		if text != nil {
			os.WriteFile(path, text, 0o600)
		}
		text, _ = os.ReadFile(path)
		return text
	}
	return s
}

func TestModel(t *testing.T) { treetest.Model(t, folder) }

func TestTampering(t *testing.T) { treetest.Tampering(t, folder) }

// BenchmarkGroups: see treetest.Groups.
func BenchmarkGroups(b *testing.B) { treetest.Groups(b, folder) }
