package strict_test

import (
	"testing"

	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// TestSchemasOfURL: `schema` changes the search path of a URL and nothing else in it.
func TestSchemasOfURL(t *testing.T) {
	for raw, want := range map[string]string{
		"postgres://u:p%40w@h/d": "postgres://u:p%40w@h/d?search_path=%22a%22%2C%22b+c%22",
		"postgres://h/d?sslmode=disable&options=-c%20statement_timeout%3D5s&search_path=x&application_name=a+b": "postgres://h/d?sslmode=disable&options=-c%20statement_timeout%3D5s&application_name=a+b&search_path=%22a%22%2C%22b+c%22",
		"postgresql://a:1,b:2/d?target_session_attrs=any":                                                       "postgresql://a:1,b:2/d?target_session_attrs=any&search_path=%22a%22%2C%22b+c%22",
		"postgres://h/d?password=a;b&x=%zz":                                                                     "postgres://h/d?password=a;b&x=%zz&search_path=%22a%22%2C%22b+c%22",
		"host=h password=secret":                                                                                "",
		"sqlite:x.db":                                                                                           "",
	} {
		got, err := strict.WithSchemas(raw, []string{"a", "b c"})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s %v, want %s", raw, got, err, want)
		}
	}
}
