package outside

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/grantfile"
)

var twinLine = regexp.MustCompile(`(?m)^( *)(?:[^#\n]*\S)? *# twin: ?(.*)$`)

// Twin returns the unguarded form of a grant file: TEXT replaces a line that ends with `# twin: TEXT`.
func Twin(text string) string { return twinLine.ReplaceAllString(text, "$1$2") }

// Pinned parses the text of a file exo.yaml in dir. In the text, {pin:NAME} becomes the digest of what the service NAME offers now.
func Pinned(t testing.TB, dir, text string) *grantfile.File {
	t.Helper()
	path := filepath.Join(dir, "exo.yaml")
	f, err := grantfile.Parse(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Services {
		_, digest, err := f.Services[i].Offers(t.Context(), os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "{pin:"+f.Services[i].Text+"}", digest)
	}
	if f, err = grantfile.Parse(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}
