package repl

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDatabaseDrift: a database whose tables have the right names, and are not as
// declared, is refused with all that is to be mended.
func TestDatabaseDrift(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	change(t, path, strings.NewReplacer("text TEXT NOT NULL", "text TEXT COLLATE NOCASE", "CREATE INDEX notes_by_owner ON notes (owner_id);", "").Replace(testSchema))
	got := runApp("", "-db", "sqlite:"+path, "-e", "1")
	if got.code != exitUsage || got.out != "" {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"errors: 2, warnings: 1", "notes.text: is declared as never NULL", "notes.text: has the collation NOCASE", "CREATE INDEX notes_by_owner_id ON notes (owner_id)"} {
		if !strings.Contains(got.err, want) {
			t.Errorf("it does not say %q:\n%s", want, got.err)
		}
	}
	change(t, path, "DROP TABLE notes; DROP TABLE owners; "+testSchema+testSeed)
	if got := runApp("", "-db", "sqlite:"+path, "-e", "api.me.notes().count()"); got != (outcome{"2\n", "", 0}) {
		t.Errorf("mended: %+v", got)
	}
}
