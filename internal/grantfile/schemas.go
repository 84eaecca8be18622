package grantfile

import (
	"net/url"
	"strings"

	"github.com/exoagent/exoagent/exo"
)

// withSchemas is a URL of PostgreSQL with the schemas in which names are looked up.
func withSchemas(raw string, schemas []string) (string, error) {
	if len(schemas) == 0 {
		return raw, nil
	}
	u, err := url.Parse(raw)
	if err != nil { // its text may hold a password
		return "", exo.Errorf(exo.Invalid, "", "`schema` needs a URL of the form postgres://user@host/database")
	}
	var quoted []string
	for _, s := range schemas {
		quoted = append(quoted, `"`+strings.ReplaceAll(s, `"`, `""`)+`"`)
	}
	q := u.Query()
	q.Set("search_path", strings.Join(quoted, ","))
	u.RawQuery = q.Encode()
	return u.String(), nil
}
