package postgres

import (
	"context"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// setAll sets settings until the end of the transaction, and setSession until that of the session. They name the schema of everything, since what
// they set may be the search path.
const (
	setAll     = setEach + `true` + fromArrays
	setSession = setEach + `false` + fromArrays

	setEach    = `SELECT pg_catalog.count(pg_catalog.set_config(s.name, s.value, `
	fromArrays = `)) FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.text[])) AS s (name, value)`
)

// settings are names of settings with their values, in the order in which they are set.
type settings struct {
	names, values []string
	encoded       [][]byte // encoded is the result of params; nil: not made yet
}

func (s *settings) Set(name, value string) {
	s.names, s.values, s.encoded = append(s.names, name), append(s.values, value), nil
}

// params returns the arguments of setAll and setSession.
func (s *settings) params() [][]byte {
	if s.encoded == nil {
		s.encoded = [][]byte{encodeNames(s.names), encodeNames(s.values)}
	}
	return s.encoded
}

// With implements engine.Session.
func (s *Session) With(x *engine.Settings) { s.settings = x }

// policies returns the arguments of setAll for a statement, or nil. A unit of work is one transaction, so
// settings of an earlier statement are reset to "": otherwise its grant would apply to this statement.
func (s *Session) policies(ctx context.Context) ([][]byte, error) {
	if s.settings == nil {
		return nil, nil
	}
	if s.set == nil {
		var err error
		if s.set, err = s.define(ctx, "exo_settings", setAll); err != nil {
			return nil, err
		}
	}
	names, values := slices.Clone(s.settings.Names), slices.Clone(s.settings.Values)
	if s.unit != nil {
		for _, n := range s.was {
			if !slices.Contains(names, n) {
				names, values = append(names, n), append(values, "")
			}
		}
		s.was = names
	}
	return [][]byte{encodeNames(names), encodeNames(values)}, nil
}
