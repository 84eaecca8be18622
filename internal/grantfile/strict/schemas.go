package strict

// This file adds schemas to the URL of a database.

import (
	"net/url"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// WithSchemas adds to a PostgreSQL URL the schemas in which names are looked up. The rest stays the same.
func WithSchemas(raw string, schemas []string) (string, error) {
	if len(schemas) == 0 {
		return raw, nil
	}
	scheme, _, ok := strings.Cut(raw, "://")
	if !ok || scheme != "postgres" && scheme != "postgresql" { // the error does not repeat the URL, which may contain a password
		return "", fail.Errorf(fail.Invalid, "", "`schema` needs the URL of a PostgreSQL database, in the form postgres://user@host/database")
	}
	quoted := scalar.Each(schemas, sqlname.Quote)
	raw, fragment, _ := strings.Cut(raw, "#")
	base, query, _ := strings.Cut(raw, "?")
	var settings []string
	for _, s := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(s, "=")
		if n, err := url.QueryUnescape(name); s != "" && (err != nil || n != "search_path") {
			settings = append(settings, s)
		}
	}
	settings = append(settings, "search_path="+url.QueryEscape(strings.Join(quoted, ",")))
	made := base + "?" + strings.Join(settings, "&")
	if fragment != "" {
		made += "#" + fragment
	}
	return made, nil
}
