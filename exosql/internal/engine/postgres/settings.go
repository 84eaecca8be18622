package postgres

import (
	"context"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// setAll sets settings until the end of the transaction.
const setAll = `SELECT count(pg_catalog.set_config(s.name, s.value, true)) FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) AS s (name, value)`

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
		if s.set, err = s.Conn.Prepare(ctx, "exo_settings", setAll, nil); err != nil {
			return nil, boundError(err)
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
