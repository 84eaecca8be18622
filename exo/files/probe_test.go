package files_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/files"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// TestWriteProbe: a program whose result may not carry the label of a folder learns nothing of its files by errors of writes. The twin's folder
// has no label.
func TestWriteProbe(t *testing.T) {
	for _, label := range []value.Label{value.NewLabel("medical"), {}} {
		dir := t.TempDir()
		put(t, dir, "patients/alice/visit.txt", "x")
		f := open(t, dir, files.Config{Write: []string{"patients/**"}, Label: label, Admits: label})
		tool, err := codemode.New(codemode.Grants{"files": f}, &codemode.Options{Evaluator: exoeval.InProcess{}, Principal: "cat", Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), "const has = []; for (const n of ['alice', 'bob']) { try { await files.write({ path: 'patients/' + n, text: '' }) } catch (e) { has.push(n) } } throw new Error('there: ' + has)")
		if said := r.Err.Error(); strings.Contains(said, "alice") != label.Empty() {
			t.Errorf("label %s: %s", label, said)
		}
	}
}

// TestNoFolders: neither a run that fails nor one that ends well makes a folder.
func TestNoFolders(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, files.Config{Write: []string{"out/**"}})
	tool, err := codemode.New(codemode.Grants{"files": f}, &codemode.Options{Evaluator: exoeval.InProcess{}, Principal: "cat", Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"await files.write({ path: 'out/a/x', text: '' })", "try { await files.write({ path: 'out/a/x', text: '' }) } catch (e) { return e.message }"} {
		r := tool.Run(t.Context(), program)
		if text := string(r.JSON) + fmt.Sprint(r.Err); !strings.Contains(text, "its folder does not exist") {
			t.Errorf("%s: %s", program, text)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}
