package services_test

// This file reads the grant file of docs/services.md.

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestServicesPage: the file of docs/services.md is one, and has each key that the page explains.
func TestServicesPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(tu.Root(), "docs", "services.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	f, err := grantfile.Parse("exo.yaml", append([]byte("exo: 1\nlabels: { pii: secret, untrusted: untrusted }\nprincipal: { user: int }\napprovals: { key: env:K, store: s }\n"), block[1]...))
	if err != nil || len(f.Services) != 4 {
		t.Fatal(err)
	}
	var said []string
	for _, l := range f.Lines() {
		said = append(said, l.Of+" "+l.What)
	}
	for _, want := range []string{"service desk a person agrees to close-ticket", "service notes may change the files of /srv/notes", "service crm may act at once by addNote", "service inbox writes the files out/**"} {
		if !slices.Contains(said, want) {
			t.Errorf("no line %q in %q", want, said)
		}
	}
}
